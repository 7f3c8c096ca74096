import type { GraphPath, GraphView, ViewNode } from "../../protocol/operations";

/** Between the mainland and the first ring of islands, and from ring to ring, as a share of the mainland's radius. */
const STRAIT = 0.12;
/** Between two islands of a ring, as a share of that radius. */
const BETWEEN = (2 * Math.PI) / 60;
/** No island's radius is a larger share of it. */
const MAX_ISLAND_SHARE = 0.25;

interface Point {
	readonly x: number;
	readonly y: number;
}

/** Nodes that hang together, the point that they lie around, and how far they reach from it. */
interface Land {
	readonly nodes: readonly ViewNode[];
	readonly middle: Point;
	readonly radius: number;
}

/**
 * Lay what does not hang together with most of a graph in rings around that. The forces by which the bridge places nodes
 * hold nothing of it, so that it drifts away, and the rest would be drawn too small to be seen.
 */
export function gatherIslands(view: GraphView): GraphView {
	const [mainland, ...islands] = landsOf(view);
	if (mainland === undefined || mainland.nodes.length < 2) return view;
	const places = new Map<number, Point>();
	let shore = mainland.radius;
	while (islands.length > 0) {
		const shrunk = (island: Land): number => Math.min(island.radius, MAX_ISLAND_SHARE * mainland.radius);
		const tallest = Math.max(...islands.map(shrunk));
		const distance = shore + STRAIT * mainland.radius + tallest;
		const width = (island: Land): number => (2 * shrunk(island) + BETWEEN * mainland.radius) / distance;
		const ring = islands.splice(0, countFitting(islands.map(width)));
		const spare = (2 * Math.PI - sum(ring.map(width))) / ring.length;
		let angle = 0;
		for (const island of ring) {
			angle += width(island) / 2;
			const at = { x: mainland.middle.x + distance * Math.cos(angle), y: mainland.middle.y + distance * Math.sin(angle) };
			const scale = island.radius === 0 ? 1 : shrunk(island) / island.radius;
			for (const { id, x, y } of island.nodes) places.set(id, { x: at.x + (x - island.middle.x) * scale, y: at.y + (y - island.middle.y) * scale });
			angle += width(island) / 2 + spare;
		}
		shore = distance + tallest;
	}
	return { ...view, nodes: view.nodes.map((node) => ({ ...node, ...places.get(node.id) })) };
}

/** How many of these angles have room on a ring; one has in any case. */
function countFitting(widths: readonly number[]): number {
	let filled = 0;
	const end = widths.findIndex((width) => (filled += width) > 2 * Math.PI);
	return end < 0 ? widths.length : Math.max(end, 1);
}

/** What hangs together, the largest first. */
function landsOf({ nodes, edges }: GraphView): Land[] {
	const beside = new Map<number, number[]>(nodes.map(({ id }) => [id, []]));
	for (const { source, target } of edges) {
		beside.get(source)?.push(target);
		beside.get(target)?.push(source);
	}
	const land = new Map<number, number>();
	for (const { id } of nodes) {
		const waiting = land.has(id) ? [] : [id];
		for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
			if (land.has(next)) continue;
			land.set(next, id);
			waiting.push(...(beside.get(next) ?? []));
		}
	}
	const together = new Map<number, ViewNode[]>();
	for (const node of nodes) {
		const first = land.get(node.id) ?? node.id;
		const known = together.get(first);
		if (known === undefined) together.set(first, [node]);
		else known.push(node);
	}
	return [...together.values()].map(measureLand).sort((one, other) => other.nodes.length - one.nodes.length);
}

function measureLand(nodes: readonly ViewNode[]): Land {
	const middle = { x: sum(nodes.map(({ x }) => x)) / nodes.length, y: sum(nodes.map(({ y }) => y)) / nodes.length };
	return { nodes, middle, radius: Math.max(...nodes.map(({ x, y }) => Math.hypot(x - middle.x, y - middle.y))) };
}

function sum(numbers: readonly number[]): number {
	return numbers.reduce((total, one) => total + one, 0);
}

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
export function layOutPaths(view: GraphView, ways: readonly GraphPath[]): GraphView {
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

type Direction = "up" | "down" | "left" | "right";

export interface Place {
	readonly id: number;
	readonly x: number;
	readonly y: number;
}

/** Where each arrow key leads, with y growing upwards as in the picture. */
export const ARROWS: Readonly<Record<string, Direction>> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

const VECTORS: Readonly<Record<Direction, readonly [number, number]>> = { up: [0, 1], down: [0, -1], left: [-1, 0], right: [1, 0] };

/** The place that lies best in a direction: near it, and not far off to the side; null when none lies there. */
export function nearest(from: Place, others: readonly Place[], direction: Direction): number | null {
	const [right, up] = VECTORS[direction];
	const cost = ({ x, y }: Place): number => {
		const [east, north] = [x - from.x, y - from.y];
		const along = east * right + north * up;
		return along <= 0 ? Number.POSITIVE_INFINITY : along + 2 * Math.abs(east * up - north * right);
	};
	const best = others.map((place) => ({ id: place.id, cost: cost(place) })).sort((one, other) => one.cost - other.cost)[0];
	return best === undefined || best.cost === Number.POSITIVE_INFINITY ? null : best.id;
}

/** An upright rectangle, in pixels with y growing downwards. */
export interface Box {
	readonly left: number;
	readonly right: number;
	readonly top: number;
	readonly bottom: number;
}

/** Say whether two share more than an edge. */
export function overlap(one: Box, other: Box): boolean {
	return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/**
 * Find where a title fits at its node: right or left of it, below or above, inside the picture and over nothing.
 *
 * @param node What the node covers, with a gap around it.
 * @param room How wide and high the picture is.
 * @param taken What is not to be covered.
 */
export function placeTitle(node: Box, width: number, height: number, room: readonly [number, number], taken: readonly Box[]): Box | null {
	const [x, y] = [(node.left + node.right) / 2, (node.top + node.bottom) / 2];
	const beside = [y - height / 2, y, y - height].flatMap((top) => [[node.right, top], [node.left - width, top]] as const);
	const spots = [...beside, [x - width / 2, node.bottom] as const, [x - width / 2, node.top - height] as const].map(([left, top]) => ({ left, right: left + width, top, bottom: top + height }));
	const isFree = (spot: Box): boolean => spot.left >= 0 && spot.top >= 0 && spot.right <= room[0] && spot.bottom <= room[1] && !taken.some((other) => overlap(spot, other));
	return spots.find(isFree) ?? null;
}
