import { expect, test } from "vitest";
import { type Heading, headingAt, sectionAt } from "../../src/core/sections";

const SAVED = ["# Oven", "", "Intro.", "## Log", "One.", "```", "# not a heading", "```", "## Plans", "Two.", "## Log", "Three.", "Four."];
const HEADINGS: readonly Heading[] = [
	{ heading: "Oven", level: 1, line: 0 },
	{ heading: "Log", level: 2, line: 3 },
	{ heading: "Plans", level: 2, line: 8 },
	{ heading: "Log", level: 2, line: 10 },
];

test("a line is in the section of the nearest heading above, wherever in it it is", () => {
	expect(sectionAt(SAVED, 2, HEADINGS)).toEqual({ heading: "Oven", nth: 0, line: 3 });
	expect(sectionAt(SAVED, 3, HEADINGS)).toEqual({ heading: "Log", nth: 0, line: 4 });
	expect(sectionAt(SAVED, 9, HEADINGS)).toEqual({ heading: "Plans", nth: 0, line: 10 });
	expect(sectionAt(SAVED, 12, HEADINGS)).toEqual({ heading: "Log", nth: 1, line: 13 });
});

test("what only looks like a heading, in code, is none", () => {
	expect(sectionAt(SAVED, 7, HEADINGS)).toEqual({ heading: "Log", nth: 0, line: 8 });
});

test("above the first heading, and without any, there is no section", () => {
	expect(sectionAt(["Text.", ...SAVED], 0, HEADINGS)).toBeNull();
	expect(sectionAt(["Text.", "", "More."], 2, [])).toBeNull();
	expect(sectionAt([""], 0, HEADINGS)).toBeNull();
});

test("with edits that are not saved a section is found by its heading, and no line beyond its end is asked about", () => {
	const typed = ["New first line.", "## Not saved yet", "Text.", ...SAVED];
	typed.splice(13, 0, "A", "B", "C", "D");
	expect(sectionAt(typed, 1, HEADINGS)).toBeNull();
	expect(sectionAt(typed, 12, HEADINGS)).toEqual({ heading: "Plans", nth: 0, line: 10 });
	expect(sectionAt(typed, 16, HEADINGS)).toEqual({ heading: "Plans", nth: 0, line: 10 });
	expect(sectionAt(typed, typed.length - 1, HEADINGS)).toEqual({ heading: "Log", nth: 1, line: 13 });
	expect(sectionAt(["## Fresh", "Text."], 1, HEADINGS)).toBeNull();
});

test("a heading may be underlined, or closed with hashes", () => {
	const headings = [{ heading: "Under", level: 1, line: 0 }, { heading: "Closed", level: 2, line: 3 }];
	const lines = ["Under", "=====", "Text.", "## Closed ##", "Text."];
	expect(sectionAt(lines, 2, headings)).toEqual({ heading: "Under", nth: 0, line: 3 });
	expect(sectionAt(lines, 4, headings)).toEqual({ heading: "Closed", nth: 0, line: 5 });
});

test("the heading that a line is comes with those above it, and only where it is one", () => {
	expect(headingAt(SAVED, 8, HEADINGS)).toEqual(["Oven", "Plans"]);
	expect(headingAt(SAVED, 0, HEADINGS)).toEqual(["Oven"]);
	expect([headingAt(SAVED, 9, HEADINGS), headingAt(SAVED, 6, HEADINGS), headingAt(["# Fresh"], 0, HEADINGS)]).toEqual([[], [], []]);
	const deep = [{ heading: "A", level: 3, line: 0 }, { heading: "B", level: 1, line: 1 }, { heading: "C", level: 4, line: 2 }, { heading: "D", level: 2, line: 3 }, { heading: "E", level: 3, line: 4 }];
	expect(headingAt(["### A", "# B", "#### C", "## D", "### E"], 4, deep)).toEqual(["B", "D", "E"]);
});
