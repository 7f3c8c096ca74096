import { FuzzySuggestModal, type TFile } from "obsidian";
import type { Host } from "../host";

/** Asks for another note, and shows how the first leads to it. */
export class PathPicker extends FuzzySuggestModal<TFile> {
	constructor(
		private readonly host: Host,
		private readonly from: TFile,
	) {
		super(host.app);
		this.setPlaceholder(`From ${from.basename} to…`);
	}

	getItems(): TFile[] {
		return this.app.vault.getMarkdownFiles().filter((file) => file.path !== this.from.path);
	}

	getItemText(file: TFile): string {
		return file.path.replace(/\.md$/, "");
	}

	onChooseItem(file: TFile): void {
		void this.host.showPath(this.from.path, file.path);
	}
}
