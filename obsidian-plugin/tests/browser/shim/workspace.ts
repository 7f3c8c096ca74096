import type { Extension } from "@codemirror/state";
import type { App } from "./app";
import { Events } from "./component";
import { enhance, makeEl, migrated } from "./dom";
import { MarkdownView } from "./markdown";
import type { PostProcessor } from "./reading";
import { EditorSuggests } from "./suggest";
import type { TFile } from "./vault";
import type { View } from "./views";
import { Menu, setIcon } from "./widgets";

export interface Side {
	readonly el: HTMLElement;
	readonly tabs: HTMLElement;
	readonly body: HTMLElement;
}

/** obsidian.d.ts: class WorkspaceLeaf. */
export class WorkspaceLeaf {
	view: View | null = null;
	readonly isDeferred = false;
	readonly containerEl: HTMLElement;
	readonly tabEl: HTMLElement;

	constructor(
		readonly app: App,
		public side: Side,
	) {
		this.tabEl = makeEl("div", { cls: "workspace-tab-header" }, side.tabs);
		this.containerEl = makeEl("div", { cls: "workspace-leaf" }, side.body);
		this.tabEl.addEventListener("click", () => app.workspace.setActiveLeaf(this));
		this.tabEl.addEventListener("contextmenu", (event) => this.menu(event));
		this.containerEl.addEventListener("focusin", () => app.workspace.activeLeaf !== this && app.workspace.setActiveLeaf(this));
	}

	getViewState(): { type: string } {
		return { type: this.view?.getViewType() ?? "empty" };
	}

	async setViewState({ type, active, state }: { type: string; active?: boolean; state?: unknown }): Promise<void> {
		const make = this.app.workspace.makers.get(type);
		if (make !== undefined) await this.put(make(this));
		if (state !== undefined) await this.view?.setState(state, {});
		if (active === true) this.app.workspace.setActiveLeaf(this);
	}

	/** "Open a file in this leaf." `eState.line` is the line shown, counted from 0. */
	async openFile(file: TFile, state: { active?: boolean; eState?: { line?: number } } = {}): Promise<void> {
		const view = new MarkdownView(this);
		await view.load__(file);
		await this.put(view);
		view.editor.setCursor({ line: state.eState?.line ?? 0, ch: 0 });
		if (state.active !== false) {
			this.app.workspace.setActiveLeaf(this);
			view.editor.focus();
		}
		this.app.workspace.opened__(file);
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

	/** "Triggered when the user opens the context menu on a file." */
	private menu(event: MouseEvent): void {
		if (!(this.view instanceof MarkdownView) || this.view.file === null) return;
		const menu = new Menu();
		this.app.workspace.trigger("file-menu", menu, this.view.file, "tab-header", this);
		menu.showAtMouseEvent(event);
		event.preventDefault();
	}

	/** Go to another place, which may be in another window. */
	move__(side: Side): void {
		this.side = side;
		side.tabs.append(this.tabEl);
		side.body.append(this.containerEl);
		if (this.view instanceof MarkdownView) this.view.editor.cm.setRoot(this.containerEl.ownerDocument);
		migrated(this.containerEl);
		this.app.workspace.setActiveLeaf(this);
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
	readonly editorSuggest: EditorSuggests;
	readonly extensions__: Extension[] = [];
	readonly processors__: PostProcessor[] = [];
	/** For tests: whether what is typed stays unsaved, however long. */
	keepUnsaved__ = false;
	private readonly waiting: (() => void)[] = [];
	private recent: WorkspaceLeaf | null = null;
	private lately: string[] = [];

	constructor(
		private readonly app: App,
		el: HTMLElement,
	) {
		super();
		this.editorSuggest = new EditorSuggests(app);
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

	/** The layout is kept nowhere. */
	requestSaveLayout(): void {}

	getLeavesOfType(type: string): WorkspaceLeaf[] {
		return this.leaves.filter((leaf) => leaf.getViewState().type === type);
	}

	/** "Migrates this leaf to a new popout window." When that is closed, the leaf goes with it. */
	moveLeafToPopout(leaf: WorkspaceLeaf): { win: Window; doc: Document } {
		const { win, body } = popout(this.app);
		leaf.move__(side(body, "mod-root"));
		win.addEventListener("pagehide", () => leaf.detach());
		return { win, doc: win.document };
	}

	getLeaf(where?: string | boolean): WorkspaceLeaf {
		if (where === "window") {
			const leaf = this.add(this.rootSplit);
			this.moveLeafToPopout(leaf);
			return leaf;
		}
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

	/** "A component managing the current editor. This can be null if the active view has no editor." */
	get activeEditor(): MarkdownView | null {
		return this.getActiveViewOfType(MarkdownView);
	}

	/** "Once this array is modified, calling updateOptions will apply the changes" (Plugin.registerEditorExtension). */
	updateOptions(): void {
		for (const { view } of this.leaves) if (view instanceof MarkdownView) view.editor.reconfigure__(this.editorExtensions__());
	}

	editorExtensions__(): Extension {
		return [...this.extensions__];
	}

	getActiveFile(): TFile | null {
		const view = this.recent?.view;
		return view instanceof MarkdownView ? view.file : null;
	}

	opened__(file: TFile): void {
		this.lately = [file.path, ...this.lately.filter((other) => other !== file.path)];
		this.trigger("file-open", file);
	}

	/** "Get the filenames of the 10 most recently opened files." */
	getLastOpenFiles(): string[] {
		return this.lately.slice(0, 10);
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

/** Another window, which looks as the first one does; its page has prototypes of its own. */
function popout(app: App): { win: Window; body: HTMLElement } {
	const win = window.open("", "_blank", "width=700,height=600") as (Window & typeof globalThis) | null;
	if (win === null) throw new Error("No window was opened.");
	enhance(win);
	app.keymap.hear__(win);
	for (const style of document.querySelectorAll("style")) win.document.head.append(style.cloneNode(true));
	win.document.body.className = `${document.body.className} is-popout-window`;
	const body = makeEl("div", { cls: "horizontal-main-container" }, makeEl("div", { cls: "app-container" }, win.document.body));
	return { win, body };
}

function side(parent: HTMLElement, cls: string): Side {
	const el = makeEl("div", { cls: `workspace-split ${cls}` }, parent);
	return { el, tabs: makeEl("div", { cls: "workspace-tab-header-container" }, el), body: makeEl("div", { cls: "workspace-tab-container" }, el) };
}
