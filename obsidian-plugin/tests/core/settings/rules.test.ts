import { expect, test } from "vitest";
import { folderGlob, judgeGlob, describeRule, withRule } from "../../../src/core/settings/rules";

test("a folder's glob means the folder and all in it, whatever its name holds", () => {
	expect(folderGlob("Private/Letters")).toBe("Private/Letters/**");
	expect(folderGlob("/Old/")).toBe("Old/**");
	expect(folderGlob("[Old] notes*")).toBe("[[]Old] notes[*]/**");
	expect(folderGlob("/")).toBe("");
});

test("a rule is added once", () => {
	expect(withRule(["A/**"], " B/** ")).toEqual(["A/**", "B/**"]);
	expect(withRule(["A/**"], "A/**")).toEqual(["A/**"]);
	expect(withRule(["A/**"], " ")).toEqual(["A/**"]);
});

test("what a rule means is counted, and the first notes are named", () => {
	expect(describeRule({ problem: null, notes: 0, first: [] })).toBe("No note now.");
	expect(describeRule({ problem: null, notes: 1, first: ["a.md"] })).toBe("1 note: a.md.");
	expect(describeRule({ problem: null, notes: 1200, first: ["a.md", "b.md"] })).toBe(`${(1200).toLocaleString()} notes: a.md, b.md and ${(1198).toLocaleString()} more.`);
	expect(describeRule({ problem: null, notes: null, first: [] })).toBe("");
});

test("a broken rule is refused with the reason, and one that is there already too", () => {
	expect(judgeGlob([], { glob: "[a", problem: "has a `[` without its `]`", notes: 0, first: [] })).toEqual({ fits: false, says: "It has a `[` without its `]`." });
	expect(judgeGlob(["A/**"], { glob: "A/**", problem: null, notes: 3, first: [] })).toEqual({ fits: false, says: "It is among the rules already." });
	expect(judgeGlob([], { glob: "A/**", problem: null, notes: 1, first: ["A/a.md"] })).toEqual({ fits: true, says: "1 note: A/a.md." });
	expect(judgeGlob([], null).fits).toBe(false);
});
