import type { GraphPath, GraphView } from "../../protocol/operations";

/** How far a further way stands beside the first, in steps of one. */
const BESIDE = 0.8;

/** The notes of some ways, each once. */
export function notesOf(ways: readonly GraphPath[]): readonly string[] {
	return [...new Set(ways.flatMap((way) => way.notes))];
}

/**
 * Lay ways out to be read from the top to the bottom: the first straight down, the others beside it, left and right by
 * turns. The bridge would place them anyhow, as it knows of no beginning and no end.
 */
export function downwards(view: GraphView, ways: readonly GraphPath[]): GraphView {
	const places = new Map<string, readonly [number, number]>();
	const longest = Math.max(...ways.map((way) => way.notes.length - 1));
	for (const [turn, { notes }] of ways.entries()) {
		const side = (turn % 2 === 0 ? -1 : 1) * Math.ceil(turn / 2) * BESIDE;
		for (const [step, note] of notes.entries()) {
			if (!places.has(note)) places.set(note, [turn === 0 ? 0 : side, -(step * longest) / Math.max(notes.length - 1, 1)]);
		}
	}
	const nodes = view.nodes.map((node) => {
		const [x, y] = places.get(node.path ?? "") ?? [node.x, node.y];
		return { ...node, x, y };
	});
	return { ...view, nodes };
}
