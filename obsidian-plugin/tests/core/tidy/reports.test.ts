import { expect, test } from "vitest";
import { describeChange, parseLike, describeUse, valueText, distinctTitles, describeViolation } from "../../../src/core/tidy/reports";

test("what a note breaks is said with what it has and should have", () => {
	expect(describeViolation({ kind: "required", name: "rating", found: "", expected: [] })).toBe("lacks the property rating");
	expect(describeViolation({ kind: "values", name: "status", found: "opne", expected: ["open", "done"] })).toBe("status is “opne”, not one of open, done");
	expect(describeViolation({ kind: "type", name: "due", found: "text", expected: ["date"] })).toBe("due is text, not date");
	expect(describeViolation({ kind: "condition", name: "rating", found: "7", expected: ["rating <= 5"] })).toBe("is not so: rating <= 5");
});

test("two notes of one title are told apart by their paths", () => {
	expect(distinctTitles("Inbox/Rye.md", "Bread/Oats.md")).toEqual(["Rye", "Oats"]);
	expect(distinctTitles("Index.md", "Bread/Index.md")).toEqual(["Index", "Bread/Index"]);
});

test("properties are counted", () => {
	expect(describeUse({ notes: 12, share: 0.345, types: { number: 11, text: 1 } })).toBe("number, text · 12 notes, 35 %");
});

test("a typed text keeps the type of the value that it replaces", () => {
	expect([parseLike(4, "5"), parseLike(4, "five"), parseLike(4, " "), parseLike("4", "5"), parseLike(true, "false"), parseLike(true, "no")]).toEqual([5, "five", " ", "5", false, "no"]);
	expect([valueText({ value: null }), valueText({ value: "" }), valueText({ value: 0 })]).toEqual(["(empty)", "(empty)", "0"]);
});

test("what a change of many files leaves is told", () => {
	expect(describeChange({ files: 1, warnings: [] })).toBe("1 file changes.");
	expect(describeChange({ files: 1200, warnings: ["Set its type."], skipped: [{}], named_in: ["a", "b"] })).toBe(
		"1,200 files change. 1 note has it too and cannot be changed on its own. 2 queries or bases name it and stay as they are. Set its type.",
	);
});
