import type { Extension } from "@codemirror/state";
import { Component, Events } from "./component";
import { makeEl } from "./dom";
import type { Editor } from "./editor";
import { Keymap } from "./keymap";
import { FileManager } from "./links";
import type { MarkdownView } from "./markdown";
import type { EditorSuggest } from "./suggest";
import { MetadataCache } from "./metadata";
import type { PostProcessor } from "./reading";
import { Vault } from "./vault";
import type { View } from "./views";
import { Workspace, type WorkspaceLeaf } from "./workspace";
import type { PluginSettingTab } from "./settings";
import { setIcon } from "./widgets";

interface Command {
	readonly id: string;
	readonly name: string;
	readonly callback?: () => void;
	readonly checkCallback?: (checking: boolean) => boolean | void;
	readonly editorCallback?: (editor: Editor, info: MarkdownView) => void;
	readonly editorCheckCallback?: (checking: boolean, editor: Editor, info: MarkdownView) => boolean | void;
}

/** obsidian.d.ts: class SecretStorage, "Lowercase alphanumeric ID with optional dashes". */
export class SecretStorage extends Events {
	private readonly secrets = new Map<string, string>();

	setSecret(id: string, secret: string): void {
		if (!/^[a-z0-9-]+$/.test(id)) throw new Error("Invalid id.");
		this.secrets.set(id, secret);
	}

	getSecret(id: string): string | null {
		return this.secrets.get(id) ?? null;
	}

	listSecrets(): string[] {
		return [...this.secrets.keys()];
	}
}

/** obsidian.d.ts: class App. */
export class App {
	readonly vault: Vault;
	readonly workspace: Workspace;
	readonly metadataCache: MetadataCache;
	readonly secretStorage = new SecretStorage();
	readonly commands = new Map<string, Command>();
	readonly statusBar: HTMLElement;
	readonly ribbon: HTMLElement;
	readonly keymap = new Keymap();
	readonly fileManager: FileManager;
	stored = "";

	constructor(el: HTMLElement, base: string) {
		const row = makeEl("div", { cls: "horizontal-main-container" }, el);
		this.ribbon = makeEl("div", { cls: "workspace-ribbon" }, row);
		this.vault = new Vault(base);
		this.metadataCache = new MetadataCache(this.vault);
		this.fileManager = new FileManager(this.vault);
		this.workspace = new Workspace(this, row);
		this.statusBar = makeEl("div", { cls: "status-bar" }, el);
	}

	run(id: string): void {
		const command = this.commands.get(id);
		if (command === undefined) throw new Error(`There is no command ${id}.`);
		if (!this.can(id)) throw new Error(`${id} cannot be run now.`);
		const view = this.workspace.activeEditor;
		if (view !== null) command.editorCheckCallback?.(false, view.editor, view);
		if (view !== null) command.editorCallback?.(view.editor, view);
		command.checkCallback?.(false);
		command.callback?.();
	}

	/** Whether the palette offers a command: one for editors only beside an editor (Command.editorCallback), and not what says no. */
	can(id: string): boolean {
		const command = this.commands.get(id);
		const view = this.workspace.activeEditor;
		if (command?.editorCallback !== undefined || command?.editorCheckCallback !== undefined) {
			return view !== null && command.editorCheckCallback?.(true, view.editor, view) !== false;
		}
		return command !== undefined && command.checkCallback?.(true) !== false;
	}
}

interface HoverLink {
	readonly source: string;
	readonly linktext: string;
	readonly state: { readonly scroll: number };
	readonly event: MouseEvent;
}

/** obsidian.d.ts: class Plugin: what is added goes with it. */
export abstract class Plugin extends Component {
	readonly tabs: PluginSettingTab[] = [];

	constructor(
		readonly app: App,
		readonly manifest: { readonly id: string },
	) {
		super();
	}

	addCommand(command: Command): Command {
		const id = `${this.manifest.id}:${command.id}`;
		this.app.commands.set(id, command);
		this.register(() => this.app.commands.delete(id));
		return command;
	}

	addRibbonIcon(icon: string, title: string, act: (event: MouseEvent) => void): HTMLElement {
		const el = makeEl("div", { cls: "clickable-icon side-dock-ribbon-action", attr: { "aria-label": title } }, this.app.ribbon);
		setIcon(el, icon);
		el.addEventListener("click", act);
		this.register(() => el.remove());
		return el;
	}

	addStatusBarItem(): HTMLElement {
		const el = makeEl("div", { cls: "status-bar-item" }, this.app.statusBar);
		this.register(() => el.remove());
		return el;
	}

	/** "Registers a CodeMirror 6 extension", for the editors that are open too. */
	registerEditorExtension(extension: Extension): void {
		const { workspace } = this.app;
		workspace.extensions__.push(extension);
		workspace.updateOptions();
		this.register(() => {
			workspace.extensions__.splice(workspace.extensions__.indexOf(extension), 1);
			workspace.updateOptions();
		});
	}

	registerEditorSuggest(suggest: EditorSuggest<unknown>): void {
		this.app.workspace.editorSuggest.addSuggest(suggest);
		this.register(() => this.app.workspace.editorSuggest.removeSuggest(suggest));
	}

	/** "Registers a post processor, to change how the document looks in reading mode": what is rendered already stays. */
	registerMarkdownPostProcessor(process: PostProcessor): PostProcessor {
		const { processors__ } = this.app.workspace;
		processors__.push(process);
		this.register(() => processors__.splice(processors__.indexOf(process), 1));
		return process;
	}

	addSettingTab(tab: PluginSettingTab): void {
		this.tabs.push(tab);
		tab.update();
	}

	/** "Registers a view with the 'Page preview' core plugin as an emitter of the 'hover-link' event": others are not previewed. */
	registerHoverLinkSource(id: string): void {
		const preview = this.app.workspace.on("hover-link", (given) => {
			const { source, linktext, state, event } = given as HoverLink;
			if (source === id && event.ctrlKey) makeEl("div", { cls: "popover", text: `${linktext} ${state.scroll}` }, document.body);
		});
		this.register(() => this.app.workspace.offref(preview));
	}

	/** The leaves of a view that is gone stay, empty, as the guidelines ask not to detach them. */
	registerView(type: string, make: (leaf: WorkspaceLeaf) => View): void {
		if (this.app.workspace.makers.has(type)) throw new Error(`${type} is registered.`);
		this.app.workspace.makers.set(type, make);
		this.register(() => {
			this.app.workspace.makers.delete(type);
			for (const leaf of this.app.workspace.getLeavesOfType(type)) void leaf.empty();
		});
	}

	async loadData(): Promise<unknown> {
		return this.app.stored === "" ? null : JSON.parse(this.app.stored);
	}

	async saveData(data: unknown): Promise<void> {
		this.app.stored = JSON.stringify(data);
	}
}
