import type { ViewNode } from "../../protocol/operations";
import type { Picture } from "./picture";

/** Rows under one heading. */
export interface Section {
	readonly name: string;
	readonly nodes: readonly ViewNode[];
}

/** The picture as a list: by steps from the middle, else by how much each is joined to. */
export function listSections(picture: Picture, found: ReadonlySet<number> | null, way: readonly number[]): readonly Section[] {
	if (way.length > 0) return [{ name: "On the way", nodes: way.flatMap((id) => picture.byId.get(id) ?? []) }];
	const nodes = picture.nodes.filter((node) => found === null || found.has(node.id)).sort(byJoined);
	if (picture.distance.size === 0) return nodes.length === 0 ? [] : [{ name: "The most joined first", nodes }];
	const steps = new Map<number, ViewNode[]>();
	for (const node of nodes) {
		const away = picture.distance.get(node.id) ?? Number.POSITIVE_INFINITY;
		steps.set(away, [...(steps.get(away) ?? []), node]);
	}
	return [...steps].sort(([one], [other]) => one - other).map(([away, some]) => ({ name: distanceName(away), nodes: some }));
}

function byJoined(one: ViewNode, other: ViewNode): number {
	return other.joined - one.joined || one.title.localeCompare(other.title);
}

function distanceName(away: number): string {
	if (away === 0) return "In the middle";
	if (away === 1) return "One step away";
	return Number.isFinite(away) ? `${away} steps away` : "Not joined here";
}
