import { expect, test } from "vitest";
import { toPlain, quoteSpan } from "../../src/core/quotes";

test("words are quoted with the rest of their line", () => {
	const text = "# Bread\n  Feed the starter twice. \nMore.";
	expect(quoteSpan(text, [19, 26], "starter")).toEqual({ before: "Feed the ", text: "starter", after: " twice." });
	expect(quoteSpan("starter", [0, 7], "starter")).toEqual({ before: "", text: "starter", after: "" });
	expect(quoteSpan("\nstarter\n", [1, 8], "starter")).toEqual({ before: "", text: "starter", after: "" });
});

test("characters are counted as the bridge counts them", () => {
	expect(quoteSpan("🍞🍞 面包 rises", [3, 5], "面包")).toEqual({ before: "🍞🍞 ", text: "面包", after: " rises" });
});

test("where other words stand nothing is quoted", () => {
	expect(quoteSpan("Feed it.", [5, 7], "me")).toBeNull();
	expect(quoteSpan("Feed", [5, 90], "me")).toBeNull();
});

test("of a long line what is near is quoted, in whole words where there are any", () => {
	const long = quoteSpan(`${"before ".repeat(40)}starter${" after".repeat(40)}`, [280, 287], "starter");
	expect(long?.before).toMatch(/^… (before )+$/);
	expect(long?.after).toMatch(/^( after)+ …$/);
	expect([...(quoteSpan(`${"包".repeat(500)}x`, [500, 501], "x")?.before ?? "")].length).toBe(122);
});

test("a quote is read without marks, and keeps its spaces", () => {
	expect(toPlain({ before: "- [x] The [[Seed saving|seeds]] of ", text: "squash", after: " are *dry* |" })).toEqual({ before: "The seeds of ", text: "squash", after: " are dry" });
	expect(toPlain({ before: "| 2024 | ", text: "squash", after: " | [[Bed\\|bed]] |" })).toEqual({ before: "2024 | ", text: "squash", after: " | bed" });
});
