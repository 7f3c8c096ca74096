import { expect, test } from "vitest";
import { COLOURED, groupNodes, shapeOf } from "../../../src/core/graph/groups";
import { node, view } from "./drawn";

const names = (groups: ReturnType<typeof groupNodes>): unknown => groups.all.map(({ name, size }) => [name, size]);

test("communities are called by the words that set them apart, and what is in none is among the others", () => {
	const drawn = view([node(0, "a.md", { community: 4 }), node(1, "b.md", { community: 4 }), node(2, "c.md", { community: 9 }), node(3, null)], [], {
		communities: [{ number: 4, name: "bread · rye", size: 12 }],
	});
	const groups = groupNodes(drawn, "community");
	expect(names(groups)).toEqual([["bread · rye", 2]]);
	expect([groups.of.get(0), groups.of.get(2), groups.others]).toEqual(["4", undefined, 2]);
});

test("folders are told apart below the one that all notes are in", () => {
	const nodes = ["Home/Bread/Rye/a.md", "Home/Bread/b.md", "Home/Garden/c.md", "Home/d.md"].map((path, at) => node(at, path));
	expect(names(groupNodes(view(nodes), "folder"))).toEqual([
		["Home/Bread", 2],
		["Home", 1],
		["Home/Garden", 1],
	]);
	expect(names(groupNodes(view([node(0, "x.md"), node(1, "A/y.md")]), "folder"))).toEqual([
		["In no folder", 1],
		["A", 1],
	]);
});

test("notes of one folder alone have its name", () => {
	expect(names(groupNodes(view([node(0, "Home/Bread/a.md"), node(1, "Home/Bread/b.md")]), "folder"))).toEqual([["Home/Bread", 2]]);
});

test("a note with several tags is in the group of the rarest, which says most", () => {
	const nodes = [node(0, "a.md", { tags: ["food"] }), node(1, "b.md", { tags: ["food"] }), node(2, "c.md", { tags: ["food", "bread"] })];
	const groups = groupNodes(view(nodes), "tag");
	expect(names(groups)).toEqual([
		["#food", 2],
		["#bread", 1],
	]);
});

test("types are named, and names that no note has are a type of their own", () => {
	expect(names(groupNodes(view([node(0, "a.md"), node(1, "b.pdf", { type: "pdf" }), node(2, null)]), "type"))).toEqual([
		["Notes", 1],
		["PDFs", 1],
		["Not written yet", 1],
	]);
});

test("as many groups have a colour as can be told apart", () => {
	const nodes = Array.from({ length: 20 }, (_, at) => node(at, `F${at}/a.md`));
	const groups = groupNodes(view(nodes), "folder");
	expect([groups.all.length, groups.others]).toEqual([COLOURED, 20 - COLOURED]);
});

test("types of notes have their own colours and shapes, and others what is left", () => {
	const types = ["bug", "decision", "decision", "recipe", "day", "day", "day", ""];
	const { all, others } = groupNodes(view(types.map((type, at) => node(at, `${at}.md`, { note_type: type }))), "note_type");
	expect(all.map(({ name, colour, shape }) => [name, colour, shape])).toEqual([
		["day", 0, "circle"],
		["decision", 1, "diamond"],
		["bug", 7, "triangle"],
		["recipe", 2, "circle"],
	]);
	expect(others).toBe(1);
});

test("only types of notes have shapes", () => {
	const drawn = view([node(0, "a.md", { note_type: "decision" }), node(1, "b.md")]);
	expect([0, 1].map((id) => shapeOf(id, groupNodes(drawn, "note_type")))).toEqual(["diamond", "circle"]);
	expect(shapeOf(0, groupNodes(drawn, "folder"))).toBe("circle");
});
