import { expect, test } from "vitest";
import { Emphasis, NOTHING, radius, shortenTitle, type Theme, toHex } from "../../../src/core/graph/emphasis";
import { groupNodes } from "../../../src/core/graph/groups";
import { Picture } from "../../../src/core/graph/picture";
import { node, view } from "./drawn";

const THEME: Theme = { background: [255, 255, 255], text: [0, 0, 0], line: [200, 200, 200], accent: [255, 0, 255], plain: [100, 100, 100], palette: [[0, 0, 255], [255, 128, 0]] };
const DRAWN = view([node(0, "A/a.md"), node(1, "A/b.md"), node(2, "B/c.md"), node(3, null)], [
	[0, 1],
	[1, 2],
	[0, 3],
]);
const PICTURE = new Picture(DRAWN, "A/a.md");
const GROUPS = groupNodes(DRAWN, "folder");

function looks(attention: Partial<typeof NOTHING>): Emphasis {
	return new Emphasis(PICTURE, GROUPS, THEME, { ...NOTHING, ...attention });
}

/** The nodes that are not dimmed. */
function bright(attention: Partial<typeof NOTHING>): number[] {
	const plain = looks({});
	const emphasis = looks(attention);
	return DRAWN.nodes.filter((one) => emphasis.node(one).color === plain.node(one).color).map(({ id }) => id);
}

test("a group has its colour of the theme, and what is in none the plain one", () => {
	expect(DRAWN.nodes.map((one) => looks({}).node(one).color)).toEqual(["#0000ff", "#0000ff", "#ff8000", "#646464"]);
});

test("what is chosen, found, pointed at or on the way stays bright, all else is dimmed", () => {
	expect(bright({})).toEqual([0, 1, 2, 3]);
	expect(bright({ group: "A" })).toEqual([0, 1]);
	expect(bright({ found: new Set([1, 2]) })).toEqual([1, 2]);
	expect(bright({ group: "A", found: new Set([1, 2]) })).toEqual([1]);
	expect(bright({ pointed: 2, group: "A" })).toEqual([1, 2]);
	expect(bright({ way: [0, 1, 2] })).toEqual([0, 1, 2]);
});

test("what is dimmed has no title, what is looked at has one in any crowd", () => {
	const [first, , third] = DRAWN.nodes;
	expect(looks({ group: "B" }).node(first!)).toMatchObject({ label: "", forceLabel: false });
	expect(looks({ found: new Set([2]) }).node(third!)).toMatchObject({ label: "c", forceLabel: true });
	expect(looks({ current: 0 }).node(first!)).toMatchObject({ highlighted: true, forceLabel: true });
});

test("the steps of a way are in the accent, and the edges of what is pointed at stand out", () => {
	const [first, second, third] = DRAWN.edges;
	const way = looks({ way: [2, 1, 0] });
	expect([first, second, third].map((edge) => way.edge(edge!).color)).toEqual([toHex(THEME.accent), toHex(THEME.accent), expect.stringMatching(/^#f/)]);
	const pointed = looks({ pointed: 2 });
	expect(pointed.edge(second!).size).toBeGreaterThan(pointed.edge(first!).size);
});

test("nodes are smaller in a crowd, and larger the more they are joined to", () => {
	expect(radius(10, 10)).toBeGreaterThan(radius(1, 10));
	expect(radius(10, 2000)).toBeLessThan(radius(10, 10));
});

test("a long title is cut by letters, not by halves of them", () => {
	expect(shortenTitle("🍞".repeat(40))).toBe(`${"🍞".repeat(35)}…`);
	expect(shortenTitle("Short")).toBe("Short");
});
