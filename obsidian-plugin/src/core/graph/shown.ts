import type { GraphViewArguments } from "../../protocol/operations";
import { type Filters, filterArguments } from "../filters";

/** What is drawn: what lies around a note, everything, or the ways from a note to another. */
export type Shown =
	| { readonly is: "around"; readonly path: string | null }
	| { readonly is: "whole" }
	| { readonly is: "way"; readonly from: string; readonly to: string };

/** By what colours tell notes apart. */
export type Colouring = "community" | "folder" | "tag" | "type" | "note_type";

/** How the graph is drawn; all but the colours is kept with the pane. */
export interface Look {
	readonly depth: 1 | 2 | 3;
	readonly colours: Colouring;
	/** Draw names that no note has, too. */
	readonly stubs: boolean;
	/** As a list in place of a picture. */
	readonly list: boolean;
}

export const LOOK: Look = { depth: 1, colours: "community", stubs: true, list: false };

/** Notes that are drawn at most: more are neither seen apart nor drawn fast. */
export const MAX_NOTES = 2_000;
const MAX_NOTES_AROUND = 300;

/** Write what is shown as arguments of `graph_view` at this moment, a time in milliseconds; of a way its notes are asked for. */
export function viewArguments(shown: Exclude<Shown, { is: "way" }>, look: Look, filters: Filters, now: number): GraphViewArguments | null {
	const filtered = { ...filterArguments(filters, now), stubs: look.stubs, tagged: true };
	if (shown.is === "whole") return { ...filtered, fold: false, limit: MAX_NOTES };
	return shown.path === null ? null : { ...filtered, path: shown.path, depth: look.depth, limit: MAX_NOTES_AROUND };
}

/** Take up a look that was kept; what is not understood is as it is by default. */
export function restoreLook(state: unknown, colours: Colouring): Look {
	const told = typeof state === "object" && state !== null ? (state as Record<string, unknown>) : {};
	const { depth, stubs, list } = told;
	return {
		depth: depth === 2 || depth === 3 ? depth : LOOK.depth,
		colours,
		stubs: typeof stubs === "boolean" ? stubs : LOOK.stubs,
		list: typeof list === "boolean" ? list : LOOK.list,
	};
}
