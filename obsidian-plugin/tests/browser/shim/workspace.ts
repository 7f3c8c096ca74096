import type { App } from "./app";
import { Component, Events } from "./component";
import { makeEl } from "./dom";
import { TFile } from "./vault";
import { setIcon } from "./widgets";

export interface Side {
	readonly el: HTMLElement;
	readonly tabs: HTMLElement;
	readonly body: HTMLElement;
}

/** obsidian.d.ts: class View. */
export abstract class View extends Component {
	readonly app: App;
	icon = "file-text";
	readonly containerEl = makeEl("div", { cls: "workspace-leaf-content" });

	constructor(readonly leaf: WorkspaceLeaf) {
		super();
		this.app = leaf.app;
	}

	async onOpen(): Promise<void> {}

	async onClose(): Promise<void> {}

	abstract getViewType(): string;
	abstract getDisplayText(): string;

	getIcon(): string {
		return this.icon;
	}
}

export abstract class ItemView extends View {
	readonly contentEl = makeEl("div", { cls: "view-content" }, this.containerEl);
}

/** obsidian.d.ts: class Editor, over a plain text field. */
export class Editor {
	constructor(
		readonly el: HTMLTextAreaElement,
		private readonly changed: () => void,
	) {}

	getValue(): string {
		return this.el.value;
	}

	getCursor(): { line: number; ch: number } {
		const before = this.el.value.slice(0, this.el.selectionStart).split("\n");
		return { line: before.length - 1, ch: before.at(-1)?.length ?? 0 };
	}

	setCursor({ line, ch }: { line: number; ch: number }): void {
		const at = this.el.value.split("\n").slice(0, line).reduce((sum, text) => sum + text.length + 1, 0) + ch;
		this.el.setSelectionRange(at, at);
	}

	replaceSelection(text: string): void {
		this.el.setRangeText(text, this.el.selectionStart, this.el.selectionEnd, "end");
		this.changed();
	}
}

/** obsidian.d.ts: class MarkdownView; it saves at once. */
export class MarkdownView extends ItemView {
	file: TFile | null = null;
	readonly editor = new Editor(makeEl("textarea", { cls: "markdown-source-view" }, this.contentEl) as HTMLTextAreaElement, () => {
		if (this.file !== null) void this.app.vault.modify(this.file, this.editor.getValue());
	});

	getViewType(): string {
		return "markdown";
	}

	/** "Gets the data from the editor." */
	getViewData(): string {
		return this.editor.getValue();
	}

	getDisplayText(): string {
		return this.file?.basename ?? "";
	}
}

/** obsidian.d.ts: class WorkspaceLeaf. */
export class WorkspaceLeaf {
	view: View | null = null;
	readonly isDeferred = false;
	readonly containerEl: HTMLElement;
	readonly tabEl: HTMLElement;

	constructor(
		readonly app: App,
		readonly side: Side,
	) {
		this.tabEl = makeEl("div", { cls: "workspace-tab-header" }, side.tabs);
		this.containerEl = makeEl("div", { cls: "workspace-leaf" }, side.body);
		this.tabEl.addEventListener("click", () => app.workspace.setActiveLeaf(this));
	}

	getViewState(): { type: string } {
		return { type: this.view?.getViewType() ?? "empty" };
	}

	async setViewState({ type, active }: { type: string; active?: boolean }): Promise<void> {
		const make = this.app.workspace.makers.get(type);
		if (make !== undefined) await this.put(make(this));
		if (active === true) this.app.workspace.setActiveLeaf(this);
	}

	/** "Open a file in this leaf." `eState.line` is the line shown, counted from 0. */
	async openFile(file: TFile, state: { active?: boolean; eState?: { line?: number } } = {}): Promise<void> {
		const view = new MarkdownView(this);
		view.file = file;
		view.editor.el.value = await this.app.vault.read(file);
		await this.put(view);
		view.editor.setCursor({ line: state.eState?.line ?? 0, ch: 0 });
		if (state.active !== false) this.app.workspace.setActiveLeaf(this);
		this.app.workspace.trigger("file-open", file);
	}

	async put(view: View): Promise<void> {
		await this.empty();
		this.view = view;
		this.containerEl.replaceChildren(view.containerEl);
		this.tabEl.replaceChildren();
		setIcon(makeEl("span", {}, this.tabEl), view.getIcon());
		this.tabEl.setAttribute("aria-label", view.getDisplayText());
		if (view instanceof MarkdownView) makeEl("span", { text: view.getDisplayText() }, this.tabEl);
		view.load();
		await view.onOpen();
	}

	async empty(): Promise<void> {
		const { view } = this;
		this.view = null;
		await view?.onClose();
		view?.unload();
	}

	detach(): void {
		void this.empty();
		this.containerEl.remove();
		this.tabEl.remove();
		this.app.workspace.leaves = this.app.workspace.leaves.filter((leaf) => leaf !== this);
	}
}

/** obsidian.d.ts: class Workspace: the notes in the middle, panes at the side. */
export class Workspace extends Events {
	leaves: WorkspaceLeaf[] = [];
	activeLeaf: WorkspaceLeaf | null = null;
	layoutReady = false;
	readonly makers = new Map<string, (leaf: WorkspaceLeaf) => View>();
	readonly rootSplit: Side;
	readonly rightSplit: Side;
	private readonly waiting: (() => void)[] = [];
	private recent: WorkspaceLeaf | null = null;

	constructor(
		private readonly app: App,
		el: HTMLElement,
	) {
		super();
		this.rootSplit = side(el, "mod-root");
		this.rightSplit = side(el, "mod-sidedock");
	}

	/** "Runs the callback function right away if layout is already ready". */
	onLayoutReady(callback: () => void): void {
		if (this.layoutReady) callback();
		else this.waiting.push(callback);
	}

	becomeReady__(): void {
		this.layoutReady = true;
		for (const callback of this.waiting.splice(0)) callback();
	}

	getLeavesOfType(type: string): WorkspaceLeaf[] {
		return this.leaves.filter((leaf) => leaf.getViewState().type === type);
	}

	getLeaf(where?: string | boolean): WorkspaceLeaf {
		const open = this.leaves.find((leaf) => leaf.side === this.rootSplit);
		return open === undefined || (where !== undefined && where !== false) ? this.add(this.rootSplit) : open;
	}

	getMostRecentLeaf(): WorkspaceLeaf | null {
		return this.recent;
	}

	/** "Get side leaf or create one if one does not exist." */
	async ensureSideLeaf(type: string, _side: string, options: { active?: boolean } = {}): Promise<WorkspaceLeaf> {
		const leaf = this.getLeavesOfType(type)[0] ?? this.add(this.rightSplit);
		if (leaf.view === null) await leaf.setViewState({ type, ...options });
		return leaf;
	}

	async revealLeaf(leaf: WorkspaceLeaf): Promise<void> {
		this.setActiveLeaf(leaf);
	}

	setActiveLeaf(leaf: WorkspaceLeaf): void {
		this.activeLeaf = leaf;
		if (leaf.side === this.rootSplit) this.recent = leaf;
		for (const other of this.leaves.filter((one) => one.side === leaf.side)) {
			other.containerEl.toggle(other === leaf);
			other.tabEl.classList.toggle("is-active", other === leaf);
		}
		this.trigger("active-leaf-change", leaf);
	}

	getActiveFile(): TFile | null {
		const view = this.recent?.view;
		return view instanceof MarkdownView ? view.file : null;
	}

	getActiveViewOfType<T extends View>(type: new (leaf: WorkspaceLeaf) => T): T | null {
		const view = this.activeLeaf?.view;
		return view instanceof type ? view : null;
	}

	private add(at: Side): WorkspaceLeaf {
		const leaf = new WorkspaceLeaf(this.app, at);
		this.leaves.push(leaf);
		return leaf;
	}
}

function side(parent: HTMLElement, cls: string): Side {
	const el = makeEl("div", { cls: `workspace-split ${cls}` }, parent);
	return { el, tabs: makeEl("div", { cls: "workspace-tab-header-container" }, el), body: makeEl("div", { cls: "workspace-tab-container" }, el) };
}
