import { expect, test } from "vitest";
import { Looking } from "../../../src/core/graph/looking";
import { Picture } from "../../../src/core/graph/picture";
import { node, view } from "./drawn";

const NODES = [node(0, "Rye.md"), node(1, "Rye bread.md"), node(2, null, { title: "Rye beer" }), node(3, "Spelt.md")];
const DRAWN = { picture: new Picture(view(NODES), null), ways: [] };

test("what was found is gone through from one to the next, and from the last to the first", () => {
	const looking = new Looking();
	expect(looking.next(DRAWN)).toBeNull();
	looking.find("rye", new Set());
	const come = (): number | null => {
		const next = looking.next(DRAWN);
		if (next !== null) looking.come(NODES[next]!);
		return next;
	};
	expect([come(), come(), come(), come()]).toEqual([0, 1, 2, 0]);
});

test("where one is stays from one picture to the next, though its number is another", () => {
	const looking = new Looking();
	looking.come(NODES[1]!);
	looking.group = "a";
	looking.turn();
	const again = { picture: new Picture(view([node(7, "Rye bread.md")]), null), ways: [] };
	expect(looking.at(again)).toEqual({ group: null, pointed: null, found: null, current: 7, way: [] });
});

test("of several ways the nodes of the one that was chosen are told in order", () => {
	const looking = new Looking();
	looking.way = 1;
	const way = (...notes: string[]): { notes: string[]; steps: [] } => ({ notes, steps: [] });
	const { way: ids } = looking.at({ ...DRAWN, ways: [way("Rye.md", "Spelt.md"), way("Spelt.md", "Rye bread.md", "Rye.md")] });
	expect(ids).toEqual([3, 1, 0]);
});
