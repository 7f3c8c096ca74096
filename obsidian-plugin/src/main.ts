import { Plugin, type TFile } from "obsidian";
import type { BridgeEvent } from "./protocol/events";
import { Link } from "./client/link";
import { Sidecar } from "./client/sidecar";
import { type Connection, isOpen } from "./core/connection";
import { Listeners } from "./core/listeners";
import { Applier } from "./obsidian/applier";
import { registerCommands } from "./obsidian/commands";
import { registerEditor } from "./obsidian/editor/register-editor";
import { createEnvironment } from "./obsidian/environment";
import { Feed } from "./obsidian/feed";
import { GraphView } from "./obsidian/graph/graph-view";
import { GRAPH, type Host, type PaneType, RELATED, SEARCH } from "./obsidian/host";
import { registerLastChange } from "./obsidian/last-change/last-change";
import { registerPanes, revealPane, showInPane } from "./obsidian/panes";
import { RelatedView } from "./obsidian/related/related-view";
import { DEFAULTS, type Settings } from "./obsidian/settings/settings";
import { SettingsTab } from "./obsidian/settings/settings-tab";
import { Installation } from "./obsidian/status/installation";
import { registerStatusBar } from "./obsidian/status-bar";

/** Puts the parts together; what they do is theirs. */
export default class VaultsidePlugin extends Plugin implements Host {
	override settings: Settings = DEFAULTS;
	readonly connections = new Listeners<Connection>();
	readonly events = new Listeners<BridgeEvent>();
	readonly settingsListeners = new Listeners<Settings>();
	readonly installation = new Installation(() => this.connections.notify(this.link.connection));
	readonly #sidecar = new Sidecar();
	readonly #feed = new Feed(this.app, {
		isConnected: () => isOpen(this.link.connection),
		sendSnapshot: (files) => void this.link.call("report_changes", { snapshot: files }),
		sendChanges: (batch) => void this.link.call("report_changes", { changes: batch }),
	});
	readonly link = new Link(
		createEnvironment(this.app, () => this.settings, this.#sidecar),
		{
			onChange: (connection) => this.connections.notify(connection),
			onConnect: () => {
				this.#feed.sendEverything();
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
		registerCommands(this);
		registerStatusBar(this);
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
		this.settingsListeners.notify(this.settings);
	}

	reconnect(): void {
		this.link.open();
	}

	async restart(): Promise<void> {
		this.link.close();
		await this.#sidecar.stop();
		this.link.open();
	}

	async saveSettings(): Promise<void> {
		await this.saveData(this.settings);
		this.settingsListeners.notify(this.settings);
	}

	reveal(pane: PaneType): Promise<void> {
		return revealPane(this.app, pane);
	}

	showRelated(file: TFile): Promise<void> {
		return showInPane(this, RELATED, RelatedView, (view) => view.showFile(file));
	}

	showPath(from: string, to: string): Promise<void> {
		return showInPane(this, GRAPH, GraphView, (view) => view.showPath(from, to));
	}
}
