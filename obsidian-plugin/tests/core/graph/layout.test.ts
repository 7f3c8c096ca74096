import { expect, test } from "vitest";
import { gatherIslands, overlap, placeTitle } from "../../../src/core/graph/layout";
import { node, view } from "./drawn";

const near = (drawn: ReturnType<typeof view>): number[] => drawn.nodes.map(({ x, y }) => Math.hypot(x, y));

test("what is joined to nothing lies in rings around the rest, which stays where it was", () => {
	const held = [node(0, "a.md", { x: -1, y: 0 }), node(1, "b.md", { x: 1, y: 0 })];
	const alone = Array.from({ length: 100 }, (_, at) => node(at + 2, `${at}.md`, { x: 50, y: 50 }));
	const drawn = gatherIslands(view([...held, ...alone], [[0, 1]]));
	expect(drawn.nodes.slice(0, 2)).toEqual(held);
	const distances = near(drawn).slice(2);
	expect(new Set(distances.map((distance) => distance.toFixed(2)))).toEqual(new Set(["1.12", "1.24"]));
	expect(new Set(drawn.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(102);
});

test("where nothing is joined all stays as it is", () => {
	const drawn = view([node(0, "a.md"), node(1, "b.md")]);
	expect(gatherIslands(drawn)).toBe(drawn);
	expect(gatherIslands(view([]))).toEqual(view([]));
});

test("what hangs together by itself is laid around the largest as it is, and made smaller where it reaches far", () => {
	const mainland = [node(0, "a.md", { x: -1, y: 0 }), node(1, "b.md", { x: 1, y: 0 }), node(2, "c.md", { x: 0, y: 0 })];
	const island = [node(3, "d.md", { x: 40, y: 0 }), node(4, "e.md", { x: 42, y: 0 })];
	const drawn = gatherIslands(view([...mainland, ...island, node(5, "f.md", { x: 90, y: 9 })], [[0, 2], [1, 2], [3, 4]]));
	expect(drawn.nodes.slice(0, 3)).toEqual(mainland);
	const [d, e, f] = drawn.nodes.slice(3);
	if (d === undefined || e === undefined || f === undefined) throw new Error("Some are missing.");
	expect(Math.hypot(d.x - e.x, d.y - e.y)).toBeCloseTo(0.5);
	expect(Math.hypot((d.x + e.x) / 2, (d.y + e.y) / 2)).toBeCloseTo(1.37);
	expect(Math.hypot(f.x, f.y)).toBeCloseTo(1.37);
	expect(Math.hypot(f.x - d.x, f.y - d.y)).toBeGreaterThan(0.5);
});

const box = { left: 0, right: 10, top: 0, bottom: 5 };

test.each([
	["itself", {}, true],
	["inside", { left: 2, right: 3, top: 1, bottom: 2 }, true],
	["across", { left: -5, right: 15, top: 2, bottom: 3 }, true],
	["beside", { left: 10, right: 20 }, false],
	["below", { top: 5, bottom: 9 }, false],
	["far", { left: 20, right: 30, top: 20, bottom: 30 }, false],
])("a box and one %s", (_, other, met) => {
	expect(overlap(box, { ...box, ...other })).toBe(met);
	expect(overlap({ ...box, ...other }, box)).toBe(met);
});

const dot = { left: 40, right: 50, top: 40, bottom: 50 };
const wall = (left: number, right: number, top = 0, bottom = 100) => ({ left, right, top, bottom });

test.each([
	["right of its node", [], { left: 50, top: 40 }],
	["left where another stands to the right", [wall(55, 60)], { left: 10, top: 40 }],
	["left where the picture ends", [], { left: 10, top: 40 }, [75, 100]],
	["a little lower beside what is above", [wall(50, 90, 30, 44), wall(0, 40)], { left: 50, top: 45 }],
	["below between two", [wall(65, 70), wall(20, 25)], { left: 30, top: 50 }],
	["nowhere among many", [wall(65, 70), wall(20, 25), wall(40, 50, 50, 60), wall(40, 50, 30, 40)], null],
] as const)("a title stands %s", (_, taken, place, room: readonly [number, number] = [100, 100]) => {
	const found = placeTitle(dot, 30, 10, room, taken);
	expect(found === null ? null : { left: found.left, top: found.top }).toEqual(place);
});
