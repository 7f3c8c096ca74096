import { expect, test } from "vitest";
import { headings, placeOf, readable } from "../../src/core/place";

test("a place is told by folder and headings, without a heading that is the title", () => {
	const hit = { path: "Bread/Science/Staling.md", title: "Staling", heading: "Staling > Cold > Fridge" };
	expect(headings(hit)).toEqual(["Cold", "Fridge"]);
	expect(placeOf(hit)).toBe("Bread/Science · Cold › Fridge");
	expect(placeOf({ path: "Staling.md", title: "Staling", heading: "" })).toBe("");
});

test.each([
	["[[Songs/Amber|Amber]] and [[Rain]]", "Amber and Rain"],
	["See [the shop](https://example.org)", "See the shop"],
	["**Bold**, *so so*, ==marked==, ~~gone~~ and `code`", "Bold, so so, marked, gone and code"],
	["2 * 3 * 4, C* and [x]", "2 * 3 * 4, C* and [x]"],
])("%s is read as %s", (heading, read) => expect(readable([heading])).toBe(read));
