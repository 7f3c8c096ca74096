import { expect, test } from "vitest";
import { asGiven, asTyped, describeForecast, foretold } from "../../src/core/workflows";

test("a list is edited one value a line, everything else as text", () => {
	expect(asTyped(["Rye", "Oats"])).toBe("Rye\nOats");
	expect(asTyped(null)).toBe("");
	expect(asTyped(3)).toBe("3");
	expect(asGiven({ type: "list" }, " Rye \n\nOats, crushed\n")).toEqual(["Rye", "Oats, crushed"]);
	expect(asGiven({ type: "text" }, "a\nb")).toBe("a\nb");
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
	expect(foretold(outcome)).toBe("2 files change. Left out: skip. is_new is false. notes 1 → 2. A warning.");
	expect(foretold({ ...outcome, files: 1, warnings: [], conditions: [], steps: [], forecast: [] })).toBe("1 file changes.");
});

test("counts read as one line", () => {
	expect(describeForecast([{ name: "dangling", before: 1200, after: 3 }, { name: "tag bread", before: 0, after: 2 }])).toBe(`unresolved links ${(1200).toLocaleString()} → 3 · tag bread 0 → 2`);
	expect(describeForecast([])).toBe("");
});
