import { expect, test } from "vitest";
import { findNodes, pickNote } from "../../../src/core/graph/selection";
import { listSections, Picture } from "../../../src/core/graph/picture";
import { nearest } from "../../../src/core/graph/layout";
import { node, view } from "./drawn";

test("an arrow leads to what lies in its direction, rather straight than near", () => {
	const from = { id: 0, x: 0, y: 0 };
	const others = [
		{ id: 1, x: 5, y: 0 },
		{ id: 2, x: 1, y: 3 },
		{ id: 3, x: 0, y: -2 },
	];
	expect((["right", "up", "down", "left"] as const).map((direction) => nearest(from, others, direction))).toEqual([1, 2, 3, null]);
});

test("two notes are picked one after the other, and the same one twice takes it back", () => {
	const first = pickNote(null, "a.md");
	expect(first).toEqual({ now: { from: "a.md" }, way: null });
	expect(pickNote(first.now, "b.md")).toEqual({ now: null, way: ["a.md", "b.md"] });
	expect(pickNote(first.now, "a.md")).toEqual({ now: null, way: null });
});

const DRAWN = view([node(0, "Crème.md", { joined: 2 }), node(1, "b.md", { joined: 1 }), node(2, "c.md", { joined: 5 }), node(3, "d.md", { joined: 7 })], [
	[0, 1],
	[0, 2],
]);

test("titles are found without case and accents, and what a search found besides", () => {
	expect(findNodes(DRAWN.nodes, "  ", new Set(["b.md"]))).toBeNull();
	expect(findNodes(DRAWN.nodes, "CREME", new Set())).toEqual(new Set([0]));
	expect(findNodes(DRAWN.nodes, "crème", new Set(["c.md", "elsewhere.md"]))).toEqual(new Set([0, 2]));
});

const rows = (sections: ReturnType<typeof listSections>): unknown => sections.map(({ name, nodes }) => [name, nodes.map(({ id }) => id)]);

test("the list goes by steps from the middle, then by how much each is joined to", () => {
	expect(rows(listSections(new Picture(DRAWN, "Crème.md"), null, []))).toEqual([
		["In the middle", [0]],
		["One step away", [2, 1]],
		["Not joined here", [3]],
	]);
	expect(rows(listSections(new Picture(DRAWN, null), null, []))).toEqual([["The most joined first", [3, 2, 0, 1]]]);
});

test("the list shows what was found, and of a way its notes in their order", () => {
	expect(rows(listSections(new Picture(DRAWN, "Crème.md"), new Set([1]), []))).toEqual([["One step away", [1]]]);
	expect(rows(listSections(new Picture(DRAWN, null), null, [2, 0, 1]))).toEqual([["On the way", [2, 0, 1]]]);
	expect(listSections(new Picture(DRAWN, null), new Set(), [])).toEqual([]);
});
