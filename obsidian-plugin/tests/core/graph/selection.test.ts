import { expect, test } from "vitest";
import { Selection } from "../../../src/core/graph/selection";
import { Picture } from "../../../src/core/graph/picture";
import { node, view } from "./drawn";

const NODES = [node(0, "Rye.md"), node(1, "Rye bread.md"), node(2, null, { title: "Rye beer" }), node(3, "Spelt.md")];
const DRAWN = { picture: new Picture(view(NODES), null), ways: [] };

test("what was found is gone through from one to the next, and from the last to the first", () => {
	const selection = new Selection();
	expect(selection.next(DRAWN)).toBeNull();
	selection.find("rye", new Set());
	const come = (): number | null => {
		const next = selection.next(DRAWN);
		if (next !== null) selection.select(NODES[next]!);
		return next;
	};
	expect([come(), come(), come(), come()]).toEqual([0, 1, 2, 0]);
});

test("where one is stays from one picture to the next, though its number is another", () => {
	const selection = new Selection();
	selection.select(NODES[1]!);
	selection.group = "a";
	selection.reset();
	const again = { picture: new Picture(view([node(7, "Rye bread.md")]), null), ways: [] };
	expect(selection.attention(again)).toEqual({ group: null, pointed: null, found: null, current: 7, way: [] });
});

test("of several ways the nodes of the one that was chosen are told in order", () => {
	const selection = new Selection();
	selection.wayIndex = 1;
	const way = (...notes: string[]): { notes: string[]; steps: [] } => ({ notes, steps: [] });
	const { way: ids } = selection.attention({ ...DRAWN, ways: [way("Rye.md", "Spelt.md"), way("Spelt.md", "Rye bread.md", "Rye.md")] });
	expect(ids).toEqual([3, 1, 0]);
});
