import { describe, expect, test } from "vitest";
import type { Hit } from "../../src/protocol/operations";
import { chips, type Filters, filterArguments, NONE } from "../../src/core/filters";
import { forgetQuery, togglePin, REMEMBERED, addQuery } from "../../src/core/queries";
import { refine } from "../../src/core/live-search";
import { markedLine, splitMarked, stripMarks } from "../../src/core/markdown-text";

const hit = (path: string, score = 0): Hit => ({
	path,
	title: path,
	heading: "",
	lines: [1, 1],
	snippet: "",
	score,
	why: [],
	tags: [],
	modified: "",
	digest: "",
});
const paths = (hits: readonly Hit[]): string => hits.map((one) => one.path).join("");

describe("a snippet", () => {
	test.each([
		["a ==b== c", "a [b] c"],
		["==a====b==", "[a][b]"],
		["a == b", "a == b"],
		["==a== and == alone", "[a] and == alone"],
		["面包==发酵==了", "面包[发酵]了"],
		["", ""],
	])("%s", (snippet, shown) => {
		expect(splitMarked(snippet).map(({ text, marked }) => (marked ? `[${text}]` : text)).join("")).toBe(shown);
	});

	test("tells titles from words in a reason", () => {
		expect(splitMarked("links to *泡菜*, says *", "*").map(({ text, marked }) => (marked ? `[${text}]` : text)).join("")).toBe(
			"links to [泡菜], says *",
		);
	});

	test("can be read without its marks", () => {
		expect(stripMarks("a ==b== c")).toBe("a b c");
	});
});

describe("one line of a snippet", () => {
	test.each([
		["short ==hit== here", "short ==hit== here"],
		["first\n\nwith a ==hit== here", "with a ==hit== here"],
		["", ""],
		["\nnothing marked, however long this line of text may be", "nothing marked, however long this line of text may be"],
		["a long way before that which is said comes the ==hit== itself", "…is said comes the ==hit== itself"],
		["面包在冰箱里很快就会变硬因为淀粉又重新结晶这就是所谓的面包老化也叫==回生==。", "…会变硬因为淀粉又重新结晶这就是所谓的面包老化也叫==回生==。"],
	])("%s", (snippet, line) => {
		expect(markedLine(snippet)).toBe(line);
	});
});

describe("a better answer", () => {
	const shown = ["a", "b", "c"].map((path) => hit(path));
	const better = ["c", "d", "a"].map((path) => hit(path, 1));

	test("replaces what nobody has looked at", () => {
		expect(paths(refine(shown, better, 0))).toBe("cda");
	});

	test("leaves in place what a person has come to, with what is known better of it", () => {
		const refined = refine(shown, better, 2);
		expect(paths(refined)).toBe("abcd");
		expect(refined.map((one) => one.score)).toEqual([1, 0, 1, 1]);
	});

	test("shows nothing twice", () => {
		expect(paths(refine(shown, better, 9))).toBe("abcd");
	});
});

describe("filters", () => {
	const all: Filters = { folder: "Bread", tags: ["rye", "oven"], types: ["pdf"], since: "week", noteTypes: ["decision"] };

	test("become arguments; none are none", () => {
		expect(filterArguments(NONE, 0)).toEqual({});
		expect(filterArguments(all, Date.UTC(2026, 0, 8))).toEqual({
			folder: "Bread",
			tags: ["rye", "oven"],
			types: ["pdf"],
			properties: { type: ["decision"] },
			among: "all",
			modified_after: "2026-01-01T00:00:00.000Z",
		});
	});

	test("each have a chip that takes just it away", () => {
		expect(chips(NONE)).toEqual([]);
		expect(chips(all).map((chip) => chip.text)).toEqual(["Bread/", "#rye", "#oven", "pdf", "decision", "Last week"]);
		for (const [at, chip] of chips(all).entries()) {
			expect(chips(chip.without).map(({ text }) => text)).toEqual(chips(all).map(({ text }) => text).toSpliced(at, 1));
		}
	});
});

describe("queries", () => {
	const none = { recent: [], pinned: [] };

	test("are remembered newest first, once each, and not for ever", () => {
		const many = Array.from({ length: REMEMBERED + 3 }, (_, at) => `q${at}`).reduce(addQuery, none);
		expect(many.recent).toHaveLength(REMEMBERED);
		expect(addQuery(many, " q9 ").recent.slice(0, 2)).toEqual(["q9", "q14"]);
		expect(addQuery(none, "  ")).toBe(none);
	});

	test("stay on top when pinned, and come back when not", () => {
		const kept = togglePin(addQuery(addQuery(none, "a"), "b"), "a");
		expect(kept).toEqual({ recent: ["b"], pinned: ["a"] });
		expect(addQuery(kept, "a")).toBe(kept);
		expect(togglePin(kept, "a")).toEqual({ recent: ["a", "b"], pinned: [] });
		expect(forgetQuery(kept, "a")).toEqual({ recent: ["b"], pinned: [] });
	});
});
