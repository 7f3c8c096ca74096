import type { GraphPath, GraphView, GraphViewArguments, OperationName, Operations } from "../../protocol/operations";
import { filterArguments, type Filters } from "../filters";
import { type Answer, explainRefusal, type Refusal } from "../../client/client";
import { titleOf } from "../place";
import { gatherIslands, layOutPaths, notesOf } from "./layout";

/** What is drawn: what lies around a note, everything, or the ways from a note to another. */
export type GraphScope =
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
export function viewArguments(shown: Exclude<GraphScope, { is: "way" }>, look: Look, filters: Filters, now: number): GraphViewArguments | null {
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

export type Call = <Name extends OperationName>(name: Name, given: Operations[Name]["arguments"]) => Promise<Answer<Name>>;

/** What is to be drawn, with the ways from one end to the other where a way is shown; or why nothing is. */
export type GraphAnswer = { readonly view: GraphView; readonly ways: readonly GraphPath[] } | { readonly said: string };

const WAYS = 3;

/** Ask the bridge for what is shown. */
export async function fetchGraph(call: Call, shown: GraphScope, look: Look, filters: Filters, now: number): Promise<GraphAnswer> {
	if (shown.is === "way") return fetchPaths(call, shown.from, shown.to);
	const given = viewArguments(shown, look, filters, now);
	if (given === null) return { said: "Open a note to see what is around it, or show the whole vault." };
	const answer = await call("graph_view", given);
	return answer.ok ? { view: gatherIslands(answer.result), ways: [] } : showRefusal(answer);
}

async function fetchPaths(call: Call, from: string, to: string): Promise<GraphAnswer> {
	const found = await call("graph_path", { source: from, target: to, alternatives: WAYS });
	if (!found.ok) return showRefusal(found);
	const ways = found.result.paths;
	if (ways.length === 0) return { said: `No links lead from ${titleOf(from)} to ${titleOf(to)}.` };
	const answer = await call("graph_view", { notes: notesOf(ways), tagged: true, fold: false });
	return answer.ok ? { view: layOutPaths(answer.result, ways), ways } : showRefusal(answer);
}

function showRefusal({ error }: { readonly error: Refusal<string> }): GraphAnswer {
	return { said: explainRefusal(error) };
}
