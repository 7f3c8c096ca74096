import type { App, TFile } from "obsidian";
import type { BridgeEvent } from "../protocol/events";
import type { Link } from "../client/link";
import type { Connection } from "../core/connection";
import type { Listeners } from "../core/listeners";
import type { Settings } from "./settings/settings";
import type { Installation } from "./status/installation";

/** What the panes get of the plugin. */
export interface Host {
	readonly app: App;
	readonly settings: Settings;
	readonly link: Link;
	readonly connections: Listeners<Connection>;
	readonly events: Listeners<BridgeEvent>;
	/** Hears when the settings changed. */
	readonly settingsListeners: Listeners<Settings>;
	/** Keep the settings. */
	readonly saveSettings: () => Promise<void>;
	/** Look for the bridge from the beginning. */
	readonly reconnect: () => void;
	/** The same, without the one that this window started. */
	readonly restart: () => Promise<void>;
	/** The installation of the bridge that this window runs. */
	readonly installation: Installation;
	readonly reveal: (pane: PaneType) => Promise<void>;
	/** Show what is related to a file, and stay with it unless it is the one that is followed. */
	readonly showRelated: (file: TFile) => Promise<void>;
	/** Show how a note leads to another, by their paths. */
	readonly showPath: (from: string, to: string) => Promise<void>;
}

/** The name under which the settings of *Page preview* know the lists of notes. */
export const HOVER_SOURCE = "vaultside";

export const SEARCH = "vaultside-search";
export const ASK = "vaultside-ask";
export const RELATED = "vaultside-related";
export const GRAPH = "vaultside-graph";
export const MEMORY = "vaultside-memory";
export const TIDY = "vaultside-tidy";
export const STATUS = "vaultside-status";
export const CHANGES = "vaultside-changes";
export type PaneType = typeof SEARCH | typeof ASK | typeof RELATED | typeof GRAPH | typeof CHANGES | typeof MEMORY | typeof TIDY | typeof STATUS;
