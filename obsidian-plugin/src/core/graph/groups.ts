import type { GraphView, ViewNode } from "../../protocol/operations";
import type { Colouring } from "./graph-request";

/** Groups that have a colour of their own: as many as can be told apart. */
export const COLOURED = 8;

export type Shape = "circle" | "square" | "diamond" | "triangle" | "star";

interface Group {
	readonly key: string;
	readonly name: string;
	/** Nodes of the picture that are in it. */
	readonly size: number;
	/** Its place in the palette. */
	readonly colour: number;
	readonly shape: Shape;
}

/** Which group each node is in, and the groups in the order of their colours; what is in none has no colour. */
export interface Groups {
	readonly of: ReadonlyMap<number, string>;
	readonly all: readonly Group[];
	/** Nodes in none of them. */
	readonly others: number;
}

const TYPES: Readonly<Record<ViewNode["type"], string>> = {
	note: "Notes",
	canvas: "Canvases",
	excalidraw: "Drawings",
	pdf: "PDFs",
	stub: "Not written yet",
	community: "Communities",
};

/** The types of notes that always look the same; their places are those of blue, orange, green, purple and red. */
const NOTE_TYPES: Readonly<Record<string, readonly [colour: number, shape: Shape]>> = {
	journal: [0, "circle"],
	decision: [1, "diamond"],
	module: [2, "square"],
	pattern: [3, "star"],
	bug: [7, "triangle"],
};

/** Put the nodes of a picture into groups: the largest ones, by name. */
export function groupNodes(view: GraphView, colours: Colouring): Groups {
	const keys = keysBy(view, colours);
	const counts = new Map<string, number>();
	for (const key of [...keys.values()].flat()) counts.set(key, (counts.get(key) ?? 0) + 1);
	const largest = [...counts].sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1)).slice(0, COLOURED);
	const rank = new Map(largest.map(([key], at) => [key, at]));
	const of = new Map<number, string>();
	for (const [id, own] of keys) {
		// Of several tags the rarest says most about a note.
		const key = own.filter((one) => rank.has(one)).sort((one, other) => (rank.get(other) ?? 0) - (rank.get(one) ?? 0))[0];
		if (key !== undefined) of.set(id, key);
	}
	const sizes = new Map<string, number>();
	for (const key of of.values()) sizes.set(key, (sizes.get(key) ?? 0) + 1);
	const looks = colours === "note_type" ? typeLooks(largest.map(([key]) => key)) : [];
	const all = largest
		.map(([key], at) => ({ key, name: nameOf(key, view, colours), size: sizes.get(key) ?? 0, colour: at, shape: "circle" as const, ...looks[at] }))
		.filter(({ size }) => size > 0);
	return { of, all, others: view.nodes.length - of.size };
}

/** Give each type its own look, and those that have none the colours that are left. */
function typeLooks(types: readonly string[]): readonly Pick<Group, "colour" | "shape">[] {
	const taken = new Set(types.map((type) => NOTE_TYPES[type]?.[0]));
	const free = Array.from({ length: COLOURED }, (_, at) => at).filter((at) => !taken.has(at));
	return types.map((type) => {
		const [colour = free.shift() ?? 0, shape = "circle"] = NOTE_TYPES[type] ?? [];
		return { colour, shape };
	});
}

/** The shape of a node: that of its group. */
export function shapeOf(id: number, groups: Groups): Shape {
	const key = groups.of.get(id);
	return groups.all.find((group) => group.key === key)?.shape ?? "circle";
}

function keysBy(view: GraphView, colours: Colouring): ReadonlyMap<number, readonly string[]> {
	const named = new Set(view.communities.map(({ number }) => number));
	const above = colours === "folder" ? sharedFolders(view.nodes) : [];
	const keys = (node: ViewNode): readonly string[] => {
		switch (colours) {
			case "community":
				return node.community !== null && named.has(node.community) ? [String(node.community)] : [];
			case "type":
				return [node.type];
			case "note_type":
				return node.note_type ? [node.note_type] : [];
			case "tag":
				return [...new Set(node.tags ?? [])];
			case "folder":
				return node.path === null ? [] : [foldersOf(node.path).slice(0, above.length + 1).join("/")];
		}
	};
	return new Map(view.nodes.map((node) => [node.id, keys(node)]));
}

function nameOf(key: string, view: GraphView, colours: Colouring): string {
	switch (colours) {
		case "community":
			return view.communities.find(({ number }) => String(number) === key)?.name ?? key;
		case "type":
			return TYPES[key as ViewNode["type"]];
		case "tag":
			return `#${key}`;
		case "note_type":
		case "folder":
			return key === "" ? "In no folder" : key;
	}
}

function foldersOf(path: string): readonly string[] {
	return path.split("/").slice(0, -1);
}

/** The folders that all notes are in, from the top. */
function sharedFolders(nodes: readonly ViewNode[]): readonly string[] {
	const all = nodes.flatMap((node) => (node.path === null ? [] : [foldersOf(node.path)]));
	const [first = []] = all;
	const differs = first.findIndex((folder, at) => all.some((folders) => folders[at] !== folder));
	return differs < 0 ? first.slice(0, -1) : first.slice(0, differs);
}
