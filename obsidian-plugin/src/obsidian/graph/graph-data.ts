import { DirectedGraph } from "graphology";
import type { ViewEdge, ViewNode } from "../../bridge/operations";
import type { Picture } from "../../core/graph/picture";

/** What sigma is given of a node; how it looks is decided when it is drawn. */
export interface NodeData {
	readonly x: number;
	readonly y: number;
	readonly type: "circle" | "ring";
	readonly node: ViewNode;
}

export interface EdgeData {
	readonly type: "arrow" | "line";
	readonly edge: ViewEdge;
}

/** Put a picture into the form in which sigma draws it. */
export function graphOf({ nodes, edges }: Picture, arrows: boolean): DirectedGraph<NodeData, EdgeData> {
	const graph = new DirectedGraph<NodeData, EdgeData>();
	for (const node of nodes) graph.addNode(String(node.id), { x: node.x, y: node.y, type: node.type === "stub" ? "ring" : "circle", node });
	for (const edge of edges) graph.addEdge(String(edge.source), String(edge.target), { type: arrows ? "arrow" : "line", edge });
	return graph;
}
