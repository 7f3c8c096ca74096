import { expect, test } from "vitest";
import { describeApplied, byCheck, checkTitle, describeForecast, isTop, summary, taskIds, tickLines, writeValue } from "../../src/core/garden";

const NOTE = "# Plan\n\n- [x] Link “oven” in [[Log]] · 0.86 ^g1\n- [ ] Rename #Bread · 0.50 ^g2\r\n  * [X] mine ^g12\n- [ ] mine\n\n> {\"id\": \"g1\", \"text\": \"- [x] not a line ^g1\"}\n";

test("only the boxes of the findings are ticked, and every other byte stays", () => {
	expect(tickLines(NOTE, new Set(["g2"]), true)).toBe(NOTE.replace("- [ ] Rename", "- [x] Rename"));
	expect(tickLines(NOTE, new Set(["g1", "g12"]), false)).toBe(NOTE.replace("- [x] Link", "- [ ] Link").replace("* [X] mine", "* [ ] mine"));
	expect(tickLines(NOTE, new Set(["g3"]), true)).toBe(NOTE);
});

test("another value stands between the words of a line and its id, and ticks it", () => {
	const written = writeValue(NOTE, "g2", "baking $& bread");
	expect(written).toBe(NOTE.replace("- [ ] Rename #Bread · 0.50 ^g2\r", () => "- [x] Rename #Bread · 0.50 · instead: baking $& bread ^g2\r"));
	expect(writeValue(written, "g2", "loaf")).toBe(NOTE.replace("- [ ] Rename #Bread · 0.50 ^g2", "- [x] Rename #Bread · 0.50 · instead: loaf ^g2"));
	expect(tickLines(written, new Set(["g2"]), false)).toBe(written.replace("- [x] Rename", "- [ ] Rename"));
	expect(tickLines(writeValue(written, "g2", ""), new Set(["g2"]), false)).toBe(NOTE);
	expect(writeValue(NOTE, "g3", "none")).toBe(NOTE);
});

test("each task of a section has its place, with its id if it is a finding", () => {
	expect(taskIds(NOTE.split(/\r?\n/))).toEqual(["g1", "g2", "g12", undefined]);
	expect(taskIds(["- [-] a ^g3 ", "1. [ ] b ^g4", "- [ ] c ^g5 · more", "- [x](d) ^g6", "- e ^g7", "\t+ [ ] f ^h8"])).toEqual(["g3", "g4", undefined, undefined]);
});

test("the first line below the properties is the top of a note", () => {
	const lines = ["---", "type: tidy-plan", "---", "", "First.", "---", "", "Second.", "---", "Third."];
	expect(lines.map((_, at) => isTop(lines, at)).flatMap((is, at) => (is ? [at] : []))).toEqual([3, 4]);
	expect(isTop(["First."], 0)).toBe(false);
});

test("a plan is summed up by what is ticked, the counts and what cannot be applied", () => {
	const plan = { path: "P.md", findings: [], ticked: 0, forecast: [], notices: [] };
	expect(summary(plan)).toBe("0 of 0 ticked.");
	expect(summary({ ...plan, forecast: [{ name: "tags", before: 3, after: 2 }], notices: ["`^g1` is lost."] })).toBe("0 of 0 ticked. tags 3 → 2 `^g1` is lost.");
});

test("counts read as one line", () => {
	expect(describeForecast([{ name: "dangling", before: 1200, after: 3 }, { name: "tag bread", before: 0, after: 2 }])).toBe(`unresolved links ${(1200).toLocaleString()} → 3 · tag bread 0 → 2`);
	expect(describeForecast([])).toBe("");
});

test("findings stay in the order of the plan, by check", () => {
	const one = { text: "", why: "", confidence: 1, ticked: true, notes: [], state: "open", value: null } as const;
	const found = byCheck([{ ...one, id: "g1", check: "tags" }, { ...one, id: "g2", check: "broken_links" }, { ...one, id: "g3", check: "tags" }]);
	expect([...found].map(([check, own]) => [check, own.map(({ id }) => id)])).toEqual([["tags", ["g1", "g3"]], ["broken_links", ["g2"]]]);
	expect(checkTitle("broken_links")).toBe("Broken links");
});

test("what was applied is said check by check, with what was left out and why", () => {
	const done = { check: "tags", findings: ["g1"], texts: ["Rename it"], dropped: [], state: "applied", change_id: "c", files: 1, forecast: [{ name: "tags", before: 3, after: 2 }], error: "" } as const;
	expect(describeApplied({ checks: [done] })).toBe("Tags: 1 in 1 file, tags 3 → 2.");
	expect(describeApplied({ checks: [{ ...done, files: 2, forecast: [], dropped: [{ id: "g2", why: "`A.md` has changed since." }] }] })).toBe("Tags: 1 in 2 files, 1 left out as `A.md` has changed since.");
	expect(describeApplied({ checks: [{ ...done, state: "failed", error: "The disk is full." }] })).toBe("Tags: The disk is full.");
	expect(describeApplied({ checks: [] })).toBe("Nothing is ticked.");
});
