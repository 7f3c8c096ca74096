import { AbstractInputSuggest, type TFolder } from "obsidian";

/** Offers the vault's folders below a field. */
export class FolderSuggest extends AbstractInputSuggest<TFolder> {
	protected override getSuggestions(query: string): TFolder[] {
		const wanted = query.trim().toLowerCase();
		const all = this.app.vault.getAllFolders(false).filter((folder) => folder.path.toLowerCase().includes(wanted));
		return all.sort((one, other) => one.path.localeCompare(other.path));
	}

	override renderSuggestion(folder: TFolder, el: HTMLElement): void {
		el.setText(folder.path);
		el.setAttr("dir", "auto");
	}

	override selectSuggestion(folder: TFolder, event: MouseEvent | KeyboardEvent): void {
		super.selectSuggestion(folder, event);
		this.close();
	}
}
