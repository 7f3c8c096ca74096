import { expect, test } from "vitest";
import { countNodes, Picture } from "../../../src/core/graph/picture";
import { node, view } from "./drawn";

const CHAIN = view(
	[node(0, "a.md"), node(1, "b.md"), node(2, "c.md"), node(3, "far.md"), node(4, null)],
	[
		[0, 1],
		[2, 1],
		[0, 4],
	],
);

test("steps are counted from the middle, whichever way links point", () => {
	const picture = new Picture(CHAIN, "a.md");
	expect([...picture.distance]).toEqual([
		[0, 0],
		[1, 1],
		[4, 1],
		[2, 2],
	]);
	expect([...new Picture(CHAIN, null).distance]).toEqual([]);
	expect([...new Picture(CHAIN, "gone.md").distance]).toEqual([]);
});

test("a node hangs together with the middle through its nearest neighbour", () => {
	const picture = new Picture(CHAIN, "a.md");
	expect([1, 2, 4].map((id) => picture.towards(id)?.title)).toEqual(["a", "b", "a"]);
	expect(picture.towards(3)).toBeNull();
});

test("without a middle it is the neighbour that most is joined to, and never a name without a note", () => {
	const drawn = view([node(0, "a.md", { joined: 1 }), node(1, "b.md", { joined: 9 }), node(2, "c.md"), node(3, null, { joined: 99 })], [
		[2, 0],
		[2, 1],
		[2, 3],
	]);
	expect(new Picture(drawn, null).towards(2)?.title).toBe("b");
});

test("it is told how much is drawn of how much there is", () => {
	expect(countNodes(view([node(0, "a.md")]))).toBe("1 note");
	expect(countNodes(view([node(0, "a.md"), node(1, "b.md"), node(2, null)]))).toBe("2 notes · 1 not written yet");
	const many = view(Array.from({ length: 2000 }, (_, at) => node(at, `${at}.md`)), [], { total: 7123 });
	expect(countNodes(many)).toBe("Showing 2,000 of 7,123 notes, the most central ones.");
});
