import type { GraphView, ViewEdge, ViewNode } from "../../protocol/operations";

/** A graph as it came from the bridge, with what is asked of it while it is drawn. */
export class Picture {
	readonly byId: ReadonlyMap<number, ViewNode>;
	/** Steps from the middle, where there is one. */
	readonly distance: ReadonlyMap<number, number>;
	readonly #beside = new Map<number, number[]>();

	/**
	 * @param view What is drawn.
	 * @param middle The path of the note in the middle.
	 */
	constructor(
		readonly view: GraphView,
		middle: string | null,
	) {
		this.byId = new Map(view.nodes.map((node) => [node.id, node]));
		for (const { source, target } of view.edges) {
			this.#connect(source, target);
			this.#connect(target, source);
		}
		this.distance = this.#measure(this.at(middle)?.id ?? null);
	}

	get nodes(): readonly ViewNode[] {
		return this.view.nodes;
	}

	get edges(): readonly ViewEdge[] {
		return this.view.edges;
	}

	/** The node of a note. */
	at(path: string | null): ViewNode | null {
		return (path !== null && this.view.nodes.find((node) => node.path === path)) || null;
	}

	/** The nodes that are joined to one. */
	around(id: number): readonly number[] {
		return this.#beside.get(id) ?? [];
	}

	/** The neighbour through which a node hangs together with the middle; without a middle the one joined to most. */
	towards(id: number): ViewNode | null {
		const near = this.around(id).flatMap((other) => this.byId.get(other) ?? []);
		const far = (node: ViewNode): number => this.distance.get(node.id) ?? Number.MAX_SAFE_INTEGER;
		// A name that no note has says nothing of others.
		return near.filter((node) => node.path !== null).sort((one, other) => far(one) - far(other) || other.joined - one.joined)[0] ?? null;
	}

	#connect(one: number, other: number): void {
		const near = this.#beside.get(one);
		if (near === undefined) this.#beside.set(one, [other]);
		else near.push(other);
	}

	#measure(middle: number | null): ReadonlyMap<number, number> {
		const found = new Map<number, number>(middle === null ? [] : [[middle, 0]]);
		const waiting = [...found.keys()];
		for (const id of waiting) {
			for (const other of this.around(id)) {
				if (found.has(other)) continue;
				found.set(other, (found.get(id) ?? 0) + 1);
				waiting.push(other);
			}
		}
		return found;
	}
}

/** Say what is drawn of what there is. */
export function countNodes({ nodes, total }: GraphView): string {
	const notes = (count: number): string => `${count.toLocaleString("en")} ${count === 1 ? "note" : "notes"}`;
	const drawn = nodes.filter((node) => node.type !== "stub").length;
	const missing = nodes.length - drawn;
	if (nodes.length < total) return `Showing ${nodes.length.toLocaleString("en")} of ${notes(total)}, the most central ones.`;
	return missing === 0 ? notes(drawn) : `${notes(drawn)} · ${missing.toLocaleString("en")} not written yet`;
}

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
