import { expect, test } from "vitest";
import { parseValue, formatValue, describeForecast, describeOutcome } from "../../src/core/workflows";

test("a list is edited one value a line, everything else as text", () => {
	expect(formatValue(["Rye", "Oats"])).toBe("Rye\nOats");
	expect(formatValue(null)).toBe("");
	expect(formatValue(3)).toBe("3");
	expect(parseValue({ type: "list" }, " Rye \n\nOats, crushed\n")).toEqual(["Rye", "Oats, crushed"]);
	expect(parseValue({ type: "text" }, "a\nb")).toBe("a\nb");
});

test("what a workflow would do is said before it does", () => {
	const step = { do: "create_note", turns: 0, found: null, path: null } as const;
	const outcome = {
		files: 2,
		warnings: ["A warning."],
		conditions: [{ id: "is_new", holds: false }, { id: "unasked", holds: null }],
		steps: [{ ...step, id: "note", state: "done" }, { ...step, id: "skip", state: "skipped" }],
		forecast: [{ name: "notes", before: 1, after: 2 }],
	} as const;
	expect(describeOutcome(outcome)).toBe("2 files change. Left out: skip. is_new is false. notes 1 → 2. A warning.");
	expect(describeOutcome({ ...outcome, files: 1, warnings: [], conditions: [], steps: [], forecast: [] })).toBe("1 file changes.");
});

test("counts read as one line", () => {
	expect(describeForecast([{ name: "dangling", before: 1200, after: 3 }, { name: "tag bread", before: 0, after: 2 }])).toBe(`unresolved links ${(1200).toLocaleString()} → 3 · tag bread 0 → 2`);
	expect(describeForecast([])).toBe("");
});
