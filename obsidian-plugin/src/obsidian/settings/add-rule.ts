import { AbstractInputSuggest, ButtonComponent, Modal, Setting, type TFolder } from "obsidian";
import { folderGlob, judgeGlob } from "../../core/settings/rules";
import type { BridgeSettings } from "./bridge-settings";
import { addStatusLine } from "../lines";

const TYPED_MS = 200;

/** Asks for a folder or a pattern, and says what it would mean before it does. */
export class AddRule extends Modal {
	#glob = "";
	#round = 0;
	#timer: number | undefined;
	#button: ButtonComponent | null = null;
	#says: HTMLElement | null = null;

	constructor(
		private readonly bridge: BridgeSettings,
		title: string,
		private readonly rules: readonly string[],
		private readonly add: (glob: string) => Promise<void>,
	) {
		super(bridge.host.app);
		this.setTitle(title);
	}

	override onOpen(): void {
		new Setting(this.contentEl)
			.setName("Folder or pattern")
			.setDesc("A folder of this vault; or a pattern, such as *.secret.md for names in every folder. Case does not count.")
			.addSearch((search) => {
				search.setPlaceholder("Folder or pattern").onChange((text) => this.#onText(text));
				search.inputEl.setAttr("aria-label", "Folder or pattern");
				search.inputEl.addEventListener("keydown", (event) => {
					if (event.key === "Enter" && !event.isComposing && !event.defaultPrevented) void this.#finish();
				});
				new FolderSuggest(this.app, search.inputEl).onSelect((folder) => {
					search.setValue(folder.path);
					this.#onText(folder.path);
				});
			});
		this.#says = addStatusLine(this.contentEl);
		const buttons = this.contentEl.createDiv({ cls: "modal-button-container" });
		this.#button = new ButtonComponent(buttons).setButtonText("Add").setCta().setDisabled(true).onClick(() => this.#finish());
		new ButtonComponent(buttons).setButtonText("Cancel").onClick(() => this.close());
	}

	override onClose(): void {
		window.clearTimeout(this.#timer);
		this.#round += 1;
		this.contentEl.empty();
	}

	#onText(text: string): void {
		const isFolder = text.trim() !== "" && this.app.vault.getFolderByPath(text.trim().replace(/^\/+|\/+$/g, "")) !== null;
		this.#glob = isFolder ? folderGlob(text.trim()) : text.trim();
		this.#button?.setDisabled(true);
		this.#round += 1;
		window.clearTimeout(this.#timer);
		this.#timer = window.setTimeout(() => void this.#judge(), TYPED_MS);
	}

	async #judge(): Promise<void> {
		const glob = this.#glob;
		const round = (this.#round += 1);
		const checked = glob === "" ? null : await this.bridge.check(glob);
		if (round !== this.#round) return;
		const { fits, says } = judgeGlob(this.rules, checked);
		this.#says?.setText(fits ? `${glob} · ${says}` : says);
		this.#says?.toggleClass("mod-warning", !fits);
		this.#button?.setDisabled(!fits);
	}

	async #finish(): Promise<void> {
		if (this.#button?.disabled !== false) return;
		this.#button.setDisabled(true).setButtonText("Taking effect…");
		await this.add(this.#glob);
		this.close();
	}
}

/** Offers the vault's folders below a field. */
class FolderSuggest extends AbstractInputSuggest<TFolder> {
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
