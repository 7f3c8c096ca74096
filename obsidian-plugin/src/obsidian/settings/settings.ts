import type { Hidden } from "../../core/hidden";
import type { Queries } from "../../core/recent";

/** What is kept in `data.json`; no secret is. */
export interface Settings {
	/** Start an installed bridge when none runs. */
	start: boolean;
	/** The program, where it is not found by itself. */
	program: string;
	/** The bridge's data folder, where it is not the usual one. */
	dataFolder: string;
	/** A bridge that was paired with; empty to find it by itself. */
	address: string;
	/** Wait with the search until this many milliseconds after the last key. */
	patience: number;
	queries: Queries;
	/** Related notes that are not shown beside a note. */
	hidden: Hidden;
}

export const DEFAULTS: Settings = {
	start: true,
	program: "",
	dataFolder: "",
	address: "",
	patience: 60,
	queries: { recent: [], pinned: [] },
	hidden: {},
};

/** The name in the app's secret storage of the token that pairing gave. */
export const TOKEN = "vault-bridge-token";
