import { expect, test } from "vitest";
import { byCheck, checkTitle, describeApplied, summary, tickLines, writeValue } from "../../../src/core/tidy/plan";

const NOTE = "# Plan\n\n- [x] Link “oven” in [[Log]] · 0.86 ^g1\n- [ ] Rename #Bread · 0.50 ^g2\r\n  * [X] mine ^g12\n- [ ] mine\n";

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

test("a plan is summed up as a sentence, with what cannot be applied", () => {
	const one = { id: "g1", check: "tags", text: "", why: "", confidence: 1, ticked: false, notes: [], state: "open", value: null } as const;
	const plan = { path: "P.md", findings: [one, { ...one, id: "g2" }, { ...one, id: "g3", state: "applied" } as const], ticked: 0, forecast: [], notices: [] };
	expect(summary(plan)).toBe("2 findings. Tick what is right; nothing changes until you apply it.");
	expect(summary({ ...plan, ticked: 1, notices: ["`^g1` is lost."] })).toBe("1 of 2 findings is ticked. `^g1` is lost.");
	expect(summary({ ...plan, findings: [] })).toBe("All of the plan is done.");
});

test("findings stay in the order of the plan, by check", () => {
	const one = { text: "", why: "", confidence: 1, ticked: true, notes: [], state: "open", value: null } as const;
	const found = byCheck([{ ...one, id: "g1", check: "tags" }, { ...one, id: "g2", check: "broken_links" }, { ...one, id: "g3", check: "tags" }]);
	expect([...found].map(([check, own]) => [check, own.map(({ id }) => id)])).toEqual([["tags", ["g1", "g3"]], ["broken_links", ["g2"]]]);
	expect(checkTitle("broken_links")).toBe("Broken links");
});

test("what was applied is said check by check, with what was left out and why", () => {
	const done = { check: "tags", findings: ["g1"], texts: ["Rename it"], dropped: [], state: "applied", change_id: "c" } as const;
	expect(describeApplied({ checks: [done], files: 1 })).toBe("Tags: 1. 1 file in all.");
	expect(describeApplied({ checks: [done, { ...done, check: "headings", dropped: [{ id: "g2", why: "`A.md` has changed since." }] }], files: 3 })).toBe("Tags: 1. Headings: 1, 1 left out as `A.md` has changed since. 3 files in all.");
	expect(describeApplied({ checks: [], files: 0 })).toBe("Nothing is ticked.");
});
