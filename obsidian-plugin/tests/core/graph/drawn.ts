import type { GraphView, ViewNode } from "../../../src/protocol/operations";

/** A node of a note as the bridge tells of one, with what matters given. */
export function node(id: number, path: string | null, given: Partial<ViewNode> = {}): ViewNode {
	const title = path === null ? `Name ${id}` : (path.split("/").at(-1) ?? "").replace(".md", "");
	return { id, path, title, type: path === null ? "stub" : "note", x: id, y: 0, size: 1, joined: 1, community: null, tags: [], ...given };
}

/** A view of nodes, joined in pairs. */
export function view(nodes: readonly ViewNode[], pairs: readonly (readonly [number, number])[] = [], given: Partial<GraphView> = {}): GraphView {
	const edges = pairs.map(([source, target]) => ({ source, target, kinds: ["wiki"] as const, weight: 1 }));
	return { nodes, edges, communities: [], folded: false, total: nodes.length, ...given };
}
