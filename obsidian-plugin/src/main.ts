import { Plugin, type TFile } from "obsidian";
import type { BridgeEvent } from "./protocol/events";
import { Link } from "./client/link";
import { Sidecar } from "./client/sidecar";
import { type Connection, isOpen } from "./core/connection";
import { Listeners } from "./core/listeners";
import { AskView, SUMMARISE } from "./obsidian/answers/ask-view";
import { Applier } from "./obsidian/applier";
import { applySettings } from "./obsidian/dressing";
import { registerEditor } from "./obsidian/editor/register-editor";
import { Feed } from "./obsidian/feed";
import { GraphView } from "./obsidian/graph/graph-view";
import { ASK, CHANGES, GRAPH, type Host, type PaneType, RELATED, SEARCH, STATUS } from "./obsidian/host";
import { registerLastChange } from "./obsidian/last-change/last-change";
import { tellGiven } from "./obsidian/memory/given-sign";
import { chooseWorkflow } from "./obsidian/workflows/run-workflow";
import { registerPanes } from "./obsidian/panes";
import { RelatedView } from "./obsidian/related/related-view";
import { DEFAULTS, type Settings } from "./obsidian/settings/settings";
import { SettingsTab } from "./obsidian/settings/settings-tab";
import { searchInWindow } from "./obsidian/search/search-modal";
import { SearchView } from "./obsidian/search/search-view";
import { Installation } from "./obsidian/status/installation";
import { makeStatusBar } from "./obsidian/status/status-bar";
import { tellWaiting } from "./obsidian/changes/waiting";
import { tellPlan } from "./obsidian/tidy/plan-sign";
import { chooseProperty, chooseTag } from "./obsidian/tidy/properties";
import { createEnvironment } from "./obsidian/environment";

/** Puts the parts together; what they do is theirs. */
export default class VaultsidePlugin extends Plugin implements Host {
	override settings: Settings = DEFAULTS;
	readonly connections = new Listeners<Connection>();
	readonly events = new Listeners<BridgeEvent>();
	readonly kept = new Listeners<Settings>();
	readonly installation = new Installation(() => this.connections.notify(this.link.connection));
	readonly #sidecar = new Sidecar();
	readonly #feed = new Feed(this.app, {
		hears: () => isOpen(this.link.connection),
		snapshot: (files) => void this.link.call("report_changes", { snapshot: files }),
		changes: (batch) => void this.link.call("report_changes", { changes: batch }),
	});
	readonly link = new Link(
		createEnvironment(this.app, () => this.settings, this.#sidecar),
		{
			onChange: (connection) => this.connections.notify(connection),
			onConnect: () => {
				this.#feed.tellEverything();
				void this.#applier.report();
			},
			onEvent: (event) => {
				void this.#applier.take(event);
				this.events.notify(event);
			},
		},
	);
	readonly #applier = new Applier(this.app, this.link);

	override async onload(): Promise<void> {
		this.settings = { ...DEFAULTS, ...((await this.loadData()) as Partial<Settings> | null) };
		registerPanes(this);
		registerLastChange(this);
		registerEditor(this);
		this.addCommand({ id: "search-window", name: "Search in a window", callback: () => searchInWindow(this) });
		this.addCommand({
			id: "summarise",
			name: SUMMARISE,
			checkCallback: (checking) => {
				const file = this.app.workspace.getActiveFile();
				if (file !== null && !checking) void this.#summarise(file);
				return file !== null;
			},
		});
		this.addCommand({ id: "rename-tag", name: "Rename a tag everywhere…", callback: () => void chooseTag(this) });
		this.addCommand({ id: "rename-property", name: "Rename a property everywhere…", callback: () => void chooseProperty(this) });
		this.addCommand({ id: "run-workflow", name: "Run a workflow…", callback: () => void chooseWorkflow(this) });
		this.addCommand({ id: "reconnect", name: "Look for the bridge again", callback: () => this.reconnect() });
		const search = this.addRibbonIcon("search", "Search by words and meaning", () => void this.reveal(SEARCH));
		const graph = this.addRibbonIcon("chart-network", "Show the graph", () => void this.reveal(GRAPH));
		const changes = this.addRibbonIcon("file-diff", "Show what agents changed", () => void this.reveal(CHANGES));
		this.register(tellWaiting(this, this.addStatusBarItem(), changes));
		this.register(tellGiven(this, this.addStatusBarItem()));
		this.register(tellPlan(this, this.addStatusBarItem()));
		const item = this.addStatusBarItem();
		const show = makeStatusBar(item, () => this.reveal(STATUS));
		this.register(applySettings(this, [search, graph, changes], item));
		show(this.link.connection);
		this.register(this.connections.add(show));
		this.addSettingTab(new SettingsTab(this.app, this, this));
		this.app.workspace.onLayoutReady(() => {
			this.addChild(this.#feed);
			this.link.open();
		});
	}

	override onunload(): void {
		this.#applier.stop();
		this.link.close();
		void this.#sidecar.stop();
	}

	/** The person has just switched the plugin on, so that it may show what it is for. */
	override onUserEnable(): void {
		void this.reveal(SEARCH);
	}

	/** Another program changed what is kept, such as one that syncs. */
	override async onExternalSettingsChange(): Promise<void> {
		Object.assign(this.settings, await this.loadData());
		this.kept.notify(this.settings);
	}

	reconnect(): void {
		this.link.open();
	}

	async restart(): Promise<void> {
		this.link.close();
		await this.#sidecar.stop();
		this.link.open();
	}

	async keep(): Promise<void> {
		await this.saveData(this.settings);
		this.kept.notify(this.settings);
	}

	async reveal(pane: PaneType): Promise<void> {
		const { workspace } = this.app;
		// Where the person has moved it, else at the side.
		const leaf = workspace.getLeavesOfType(pane)[0] ?? (await workspace.ensureSideLeaf(pane, "right", { active: true }));
		await workspace.revealLeaf(leaf);
		if (leaf.view instanceof SearchView || leaf.view instanceof AskView) leaf.view.focus();
	}

	async #summarise(file: TFile): Promise<void> {
		await this.reveal(ASK);
		for (const { view } of this.app.workspace.getLeavesOfType(ASK)) if (view instanceof AskView) view.summarise(file);
	}

	async showRelated(file: TFile): Promise<void> {
		await this.reveal(RELATED);
		for (const { view } of this.app.workspace.getLeavesOfType(RELATED)) if (view instanceof RelatedView) view.showFile(file);
	}

	async showPath(from: string, to: string): Promise<void> {
		await this.reveal(GRAPH);
		for (const { view } of this.app.workspace.getLeavesOfType(GRAPH)) if (view instanceof GraphView) view.showPath(from, to);
	}
}
