export type Direction = "up" | "down" | "left" | "right";

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
