import { expect, test } from "vitest";
import { asRead, quote } from "../../src/core/quoting";

test("words are quoted with the rest of their line", () => {
	const text = "# Bread\n  Feed the starter twice. \nMore.";
	expect(quote(text, [19, 26], "starter")).toEqual({ before: "Feed the ", said: "starter", after: " twice." });
	expect(quote("starter", [0, 7], "starter")).toEqual({ before: "", said: "starter", after: "" });
	expect(quote("\nstarter\n", [1, 8], "starter")).toEqual({ before: "", said: "starter", after: "" });
});

test("characters are counted as the bridge counts them", () => {
	expect(quote("🍞🍞 面包 rises", [3, 5], "面包")).toEqual({ before: "🍞🍞 ", said: "面包", after: " rises" });
});

test("where other words stand nothing is quoted", () => {
	expect(quote("Feed it.", [5, 7], "me")).toBeNull();
	expect(quote("Feed", [5, 90], "me")).toBeNull();
});

test("of a long line what is near is quoted, in whole words where there are any", () => {
	const long = quote(`${"before ".repeat(40)}starter${" after".repeat(40)}`, [280, 287], "starter");
	expect(long?.before).toMatch(/^… (before )+$/);
	expect(long?.after).toMatch(/^( after)+ …$/);
	expect([...(quote(`${"包".repeat(500)}x`, [500, 501], "x")?.before ?? "")].length).toBe(122);
});

test("a quote is read without marks, and keeps its spaces", () => {
	expect(asRead({ before: "- [x] The [[Seed saving|seeds]] of ", said: "squash", after: " are *dry* |" })).toEqual({ before: "The seeds of ", said: "squash", after: " are dry" });
	expect(asRead({ before: "| 2024 | ", said: "squash", after: " | [[Bed\\|bed]] |" })).toEqual({ before: "2024 | ", said: "squash", after: " | bed" });
});
