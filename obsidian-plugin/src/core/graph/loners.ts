import type { GraphView } from "../../bridge/operations";

/** How far the first ring is from what hangs together, and each ring from the next, as a share of its radius. */
const RING = 0.12;
/** Nodes that have room on a ring whose radius is 1. */
const ROOM = 60;

/**
 * Lay what is joined to nothing in rings around the rest. The forces by which the bridge places nodes hold nothing of it,
 * so that it drifts away, and the rest would be drawn too small to be seen.
 */
export function ringed(view: GraphView): GraphView {
	const joined = new Set(view.edges.flatMap(({ source, target }) => [source, target]));
	const held = view.nodes.filter(({ id }) => joined.has(id));
	if (held.length === 0) return view;
	const middle = { x: mean(held.map(({ x }) => x)), y: mean(held.map(({ y }) => y)) };
	const reach = Math.max(...held.map(({ x, y }) => Math.hypot(x - middle.x, y - middle.y)));
	const alone = view.nodes.filter(({ id }) => !joined.has(id)).map(({ id }) => id);
	const places = new Map<number, { readonly x: number; readonly y: number }>();
	for (let ring = 1; places.size < alone.length; ring++) {
		const share = 1 + ring * RING;
		const here = alone.slice(places.size, places.size + Math.floor(ROOM * share));
		for (const [at, id] of here.entries()) {
			const angle = (2 * Math.PI * at) / here.length;
			places.set(id, { x: middle.x + reach * share * Math.cos(angle), y: middle.y + reach * share * Math.sin(angle) });
		}
	}
	return { ...view, nodes: view.nodes.map((node) => ({ ...node, ...places.get(node.id) })) };
}

function mean(numbers: readonly number[]): number {
	return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}
