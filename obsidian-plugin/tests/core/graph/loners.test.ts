import { expect, test } from "vitest";
import { ringed } from "../../../src/core/graph/loners";
import { node, view } from "./drawn";

const near = (drawn: ReturnType<typeof view>): number[] => drawn.nodes.map(({ x, y }) => Math.hypot(x, y));

test("what is joined to nothing lies in rings around the rest, which stays where it was", () => {
	const held = [node(0, "a.md", { x: -1, y: 0 }), node(1, "b.md", { x: 1, y: 0 })];
	const alone = Array.from({ length: 100 }, (_, at) => node(at + 2, `${at}.md`, { x: 50, y: 50 }));
	const drawn = ringed(view([...held, ...alone], [[0, 1]]));
	expect(drawn.nodes.slice(0, 2)).toEqual(held);
	const distances = near(drawn).slice(2);
	expect(new Set(distances.map((distance) => distance.toFixed(2)))).toEqual(new Set(["1.12", "1.24"]));
	expect(new Set(drawn.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(102);
});

test("where nothing is joined all stays as it is", () => {
	const drawn = view([node(0, "a.md"), node(1, "b.md")]);
	expect(ringed(drawn)).toBe(drawn);
	expect(ringed(view([]))).toEqual(view([]));
});
