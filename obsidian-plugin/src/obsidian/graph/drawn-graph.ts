import type { AbstractGraph } from "graphology-types";
import type { Shape } from "../../core/graph/groups";
import type { ViewEdge, ViewNode } from "../../protocol/operations";

/** What sigma is given of a node; how it looks is decided when it is drawn. */
export interface NodeData {
	readonly x: number;
	readonly y: number;
	readonly type: Shape | "ring";
	readonly node: ViewNode;
}

export interface EdgeData {
	readonly type: "arrow" | "line";
	readonly edge: ViewEdge;
}

/**
 * What sigma asks of a graph of graphology, over a picture that never changes: another is drawn in its place. Graphology
 * itself would be a fifth of the plugin.
 */
export class DrawnGraph {
	/** With the two that change nothing, by what sigma knows a graph. */
	readonly multi = false;
	readonly order: number;
	readonly #nodeData: ReadonlyMap<string, NodeData>;
	readonly #edgeData: ReadonlyMap<string, EdgeData>;

	constructor(nodes: readonly ViewNode[], edges: readonly ViewEdge[], arrows: boolean, shape: (id: number) => Shape = () => "circle") {
		this.#nodeData = new Map(nodes.map((node) => [String(node.id), { x: node.x, y: node.y, type: node.type === "stub" ? "ring" : shape(node.id), node }]));
		this.#edgeData = new Map(edges.map((edge) => [`${edge.source} ${edge.target}`, { type: arrows ? "arrow" : "line", edge }]));
		this.order = this.#nodeData.size;
	}

	/** As sigma takes it. */
	get asGraph(): AbstractGraph<NodeData, EdgeData> {
		return this as unknown as AbstractGraph<NodeData, EdgeData>;
	}

	nodes(): string[] {
		return [...this.#nodeData.keys()];
	}

	edges(): string[] {
		return [...this.#edgeData.keys()];
	}

	hasNode(key: string): boolean {
		return this.#nodeData.has(key);
	}

	hasEdge(key: string): boolean {
		return this.#edgeData.has(key);
	}

	getNodeAttributes(key: string): NodeData {
		return require(this.#nodeData, key);
	}

	getEdgeAttributes(key: string): EdgeData {
		return require(this.#edgeData, key);
	}

	extremities(key: string): [string, string] {
		const { source, target } = this.getEdgeAttributes(key).edge;
		return [String(source), String(target)];
	}

	forEachNode(act: (key: string, data: NodeData) => void): void {
		for (const [key, data] of this.#nodeData) act(key, data);
	}

	forEachEdge(act: (key: string, data: EdgeData, source: string, target: string) => void): void {
		for (const [key, data] of this.#edgeData) act(key, data, ...this.extremities(key));
	}

	on(): void {}

	removeListener(): void {}

	addUndirectedEdgeWithKey(): void {}

	dropNode(): void {}
}

function require<T>(all: ReadonlyMap<string, T>, key: string): T {
	const found = all.get(key);
	if (found === undefined) throw new Error(`${key} is not drawn.`);
	return found;
}
