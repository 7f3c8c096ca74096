import type { Colouring } from "../../core/graph/graph-request";
import type { HiddenNotes } from "../../core/hidden-notes";
import type { Queries } from "../../core/queries";

/** What is kept in `data.json`; no secret is. */
export interface Settings {
	/** Start an installed bridge when none runs. */
	start: boolean;
	/** The program, if it is not found automatically. */
	program: string;
	/** The bridge's data folder, where it is not the usual one. */
	dataFolder: string;
	/** A bridge that was paired with; empty to find it by itself. */
	address: string;
	/** Ask for meaning this many milliseconds after words were answered and nothing more was typed. */
	patience: number;
	queries: Queries;
	/** Show what is related to the section that the cursor is in, not to the whole note. */
	followSection: boolean;
	/** Show why each note is related. */
	showWhy: boolean;
	/** By what the colours of the graph tell notes apart. */
	graphColours: Colouring;
	/** How many notes a search shows at once. */
	results: number;
	/** How close together notes stand. */
	density: "comfortable" | "compact";
	/** Mark in open notes what was just changed through the bridge. */
	highlight: boolean;
	/** Say in words in the status bar how things stand. */
	statusText: boolean;
	/** Show icons in the ribbon. */
	ribbon: boolean;
	/** Related notes that are not shown beside a note. */
	hidden: HiddenNotes;
}

export const DEFAULTS: Settings = {
	start: true,
	program: "",
	dataFolder: "",
	address: "",
	patience: 60,
	queries: { recent: [], pinned: [] },
	followSection: true,
	showWhy: true,
	graphColours: "community",
	results: 20,
	density: "comfortable",
	highlight: true,
	statusText: true,
	ribbon: true,
	hidden: {},
};

/** The name in the app's secret storage of the token that pairing gave. */
export const TOKEN = "vaultside-token";
