import { type App, FuzzySuggestModal, type TFile } from "obsidian";

/** Asks for a note of the vault, the one opened last on top. */
export class NotePicker extends FuzzySuggestModal<TFile> {
	constructor(
		app: App,
		private readonly choose: (path: string) => void,
	) {
		super(app);
		this.setPlaceholder("Add a note…");
	}

	getItems(): TFile[] {
		const { vault, workspace } = this.app;
		const recent = workspace.getLastOpenFiles();
		const place = ({ path }: TFile): number => (recent.includes(path) ? recent.indexOf(path) : recent.length);
		return vault.getMarkdownFiles().sort((one, other) => place(one) - place(other));
	}

	getItemText({ path }: TFile): string {
		return path;
	}

	onChooseItem({ path }: TFile): void {
		this.choose(path);
	}
}
