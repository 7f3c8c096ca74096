import { expect, test } from "vitest";
import { overlap } from "../../../src/core/graph/boxes";

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
