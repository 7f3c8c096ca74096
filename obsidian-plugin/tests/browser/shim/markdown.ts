import type { ViewUpdate } from "@codemirror/view";
import { makeEl } from "./dom";
import { Editor } from "./editor";
import { Menu } from "./widgets";
import type { TFile } from "./vault";
import { ReadingView } from "./reading";
import { ItemView } from "./views";
import type { WorkspaceLeaf } from "./workspace";

/** "Debounced save in 2 seconds from now" (obsidian.d.ts: TextFileView.requestSave). */
const SAVE_MS = 2000;

/** obsidian.d.ts: class MarkdownView, a TextFileView with an editor. */
export class MarkdownView extends ItemView {
	file: TFile | null = null;
	readonly editor: Editor;
	/** What the file holds, as far as this view knows. */
	data = "";
	private reading: ReadingView | null = null;
	private timer: number | undefined;
	private loading = false;

	constructor(leaf: WorkspaceLeaf) {
		super(leaf);
		const { workspace, vault } = leaf.app;
		const el = makeEl("div", { cls: "markdown-source-view cm-s-obsidian mod-cm6 is-live-preview" }, this.contentEl);
		this.editor = new Editor(el, () => this, workspace.editorExtensions__(), (update) => this.updated(update));
		// Asked for when it is needed, as the file comes later and is another after a rename.
		el.addEventListener("contextmenu", (event) => {
			const menu = new Menu();
			workspace.trigger("editor-menu", menu, this.editor, this);
			menu.showAtMouseEvent(event);
			event.preventDefault();
		});
		this.registerEvent(vault.on("modify", (file) => void (file === this.file && this.reload())));
	}

	getViewType(): string {
		return "markdown";
	}

	getDisplayText(): string {
		return this.file?.basename ?? "";
	}

	/** obsidian.d.ts: type MarkdownViewModeType, "source" while it is edited, "preview" while it is read. */
	getMode(): string {
		return this.reading === null ? "source" : "preview";
	}

	override async setState(state: { mode?: string }): Promise<void> {
		if (state.mode === undefined || state.mode === this.getMode()) return;
		await this.save();
		this.reading?.set("");
		this.reading?.containerEl.remove();
		this.reading = null;
		if (state.mode === "preview") {
			const write = (change: (text: string) => string): void => void (this.file !== null && this.app.vault.process(this.file, change));
			this.reading = new ReadingView(this.contentEl, () => this.file?.path ?? "", this.app.workspace.processors__, write);
			this.reading.set(this.data);
		}
		this.editor.cm.dom.parentElement?.toggle(this.reading === null);
	}

	/** "Gets the data from the editor. This will be called to save the editor contents to the file." */
	getViewData(): string {
		return this.editor.getValue();
	}

	/** "Set the data to the editor. This is used to load the file contents." Only what differs is replaced unless `clear`. */
	setViewData(data: string, clear: boolean): void {
		const old = this.getViewData();
		const [from, end] = clear ? [0, 0] : alike(old, data);
		this.loading = true;
		this.editor.cm.dispatch({ changes: { from, to: old.length - end, insert: data.slice(from, data.length - end) } });
		this.loading = false;
		this.data = data;
		this.reading?.set(data);
	}

	requestSave(): void {
		window.clearTimeout(this.timer);
		this.timer = window.setTimeout(() => void this.save(), SAVE_MS);
	}

	async save(): Promise<void> {
		window.clearTimeout(this.timer);
		if (this.file === null || this.getViewData() === this.data || this.app.workspace.keepUnsaved__) return;
		this.data = this.getViewData();
		await this.app.vault.modify(this.file, this.data);
	}

	async load__(file: TFile): Promise<void> {
		this.file = file;
		this.setViewData(await this.app.vault.read(file), true);
	}

	override async onClose(): Promise<void> {
		await this.save();
		this.reading?.set("");
		this.editor.cm.destroy();
	}

	/** A file that somebody else wrote is shown as it is now, unless there is something in the editor that is not saved. */
	private async reload(): Promise<void> {
		if (this.file === null || this.getViewData() !== this.data) return;
		const text = await this.app.vault.read(this.file);
		if (this.getViewData() === this.data) this.setViewData(text, false);
	}

	private updated(update: ViewUpdate): void {
		const { workspace } = this.app;
		if (update.docChanged) {
			if (!this.loading) this.requestSave();
			workspace.trigger("editor-change", this.editor, this);
		}
		if (update.docChanged || update.selectionSet) workspace.editorSuggest.trigger(this.editor, this.file, update);
	}
}

/** How many letters two texts share at the beginning, and how many of the rest at the end. */
function alike(one: string, other: string): [number, number] {
	const most = Math.min(one.length, other.length);
	let start = 0;
	while (start < most && one[start] === other[start]) start += 1;
	let end = 0;
	while (end < most - start && one[one.length - 1 - end] === other[other.length - 1 - end]) end += 1;
	return [start, end];
}
