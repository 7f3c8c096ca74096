import type { Answer, Refusal } from "../../client/client";
import type { GraphPath, GraphView, OperationName, Operations } from "../../protocol/operations";
import type { Filters } from "../filters";
import { titleOf } from "../place";
import { withHint } from "../refusal";
import { gatherIslands } from "./islands";
import { viewArguments, type Look, type Shown } from "./shown";
import { downwards, notesOf } from "./ways";

export type Call = <Name extends OperationName>(name: Name, given: Operations[Name]["arguments"]) => Promise<Answer<Name>>;

/** What is to be drawn, with the ways from one end to the other where a way is shown; or why nothing is. */
export type Fetched = { readonly view: GraphView; readonly ways: readonly GraphPath[] } | { readonly said: string };

const WAYS = 3;

/** Ask the bridge for what is shown. */
export async function fetchGraph(call: Call, shown: Shown, look: Look, filters: Filters, now: number): Promise<Fetched> {
	if (shown.is === "way") return fetchedWays(call, shown.from, shown.to);
	const given = viewArguments(shown, look, filters, now);
	if (given === null) return { said: "Open a note to see what is around it, or show the whole vault." };
	const answer = await call("graph_view", given);
	return answer.ok ? { view: gatherIslands(answer.result), ways: [] } : showRefusal(answer);
}

async function fetchedWays(call: Call, from: string, to: string): Promise<Fetched> {
	const found = await call("graph_path", { source: from, target: to, alternatives: WAYS });
	if (!found.ok) return showRefusal(found);
	const ways = found.result.paths;
	if (ways.length === 0) return { said: `No links lead from ${titleOf(from)} to ${titleOf(to)}.` };
	const answer = await call("graph_view", { notes: notesOf(ways), tagged: true, fold: false });
	return answer.ok ? { view: downwards(answer.result, ways), ways } : showRefusal(answer);
}

function showRefusal({ error }: { readonly error: Refusal<string> }): Fetched {
	return { said: withHint(error) };
}
