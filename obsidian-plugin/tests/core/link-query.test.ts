import { describe, expect, test } from "vitest";
import { displayText, onLine, linkQueryAt } from "../../src/core/link-query";

/** A line with the cursor at `¦`. */
function at(line: string): ReturnType<typeof linkQueryAt> {
	return linkQueryAt(line.replace("¦", ""), line.indexOf("¦"));
}

describe("a link that is being picked", () => {
	test.each([
		["See [[?¦", "", null],
		["See [[?rye bread¦ now", "rye bread", null],
		["See [[?rye bread¦]] now", "rye bread", null],
		["[[A]] and [[?b¦", "b", null],
		["[[?¦rye]] now", "rye", null],
		["[[?stale|going hard¦", "stale", "going hard"],
		["[[?stale | going hard¦]]", "stale", "going hard"],
		["【【？发酵¦】】。", "发酵", null],
	])("%s", (line, query, shown) => {
		expect(at(line)).toMatchObject({ query, shown });
	});

	test("is replaced with the brackets that close it, and with nothing of another link", () => {
		expect(at("a [[?rye¦]] b")).toMatchObject({ from: 2, to: 10 });
		expect(at("a [[?rye¦ b")).toMatchObject({ from: 2, to: 8 });
		expect(at("[[?rye¦ b [[C]]")).toMatchObject({ from: 0, to: 6 });
	});

	test.each(["[[rye¦", "[?rye¦", "[[?rye]] and¦", "¦[[?rye", "[[? [b¦", `[[?${"long ".repeat(50)}¦`])("is none in %s", (line) => {
		expect(at(line)).toBeNull();
	});
});

describe("what a picked link shows", () => {
	const staling = { name: "Staling", title: "Staling", aliases: ["Going stale", "Crumb firming"] };
	const starter = { name: "Sourdough starter", title: "The mother", aliases: [] };
	const chinese = { name: "面包发酵", title: "面包发酵", aliases: [] };

	test.each([
		["Staling", staling, ""],
		["staling", staling, "staling"],
		["going stale", staling, "going stale"],
		["sourdough starters", starter, "sourdough starters"],
		["the mother", starter, "the mother"],
		["crumb", staling, "Crumb firming"],
		["sour", starter, ""],
		["start sour", starter, ""],
		["retrogradation", staling, ""],
		["bread that goes hard", staling, "bread that goes hard"],
		["why does bread go hard", staling, ""],
		["bread goes hard?", staling, ""],
		["bread -rye", staling, ""],
		["tag:#a bread", staling, ""],
		["", staling, ""],
		["面包", chinese, ""],
		["二次发酵的面包", chinese, "二次发酵的面包"],
		["面包为什么发酵", chinese, ""],
		["الخبز اليابس", staling, "الخبز اليابس"],
	])("for %s", (typed, called, shown) => {
		expect(displayText(typed, called)).toBe(shown);
	});

	test("does not end the cell of a table", () => {
		expect(onLine("[[A|b]]", "| x | [[?b |")).toBe("[[A\\|b]]");
		expect(onLine("[[A\\|b]]", " | x")).toBe("[[A\\|b]]");
		expect(onLine("[[A|b]]", "x | y")).toBe("[[A|b]]");
	});
});
