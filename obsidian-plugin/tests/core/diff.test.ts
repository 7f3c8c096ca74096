import { expect, test } from "vitest";
import { describeRename } from "../../src/core/tidy/reports";
import { countFitting, LINE_END, parseDiff, toLines, unchangedBefore } from "../../src/core/diff";
import type { Words } from "../../src/protocol/operations";

test("a diff is read file by file: what stays around is left out, and lines in each other's place are compared", () => {
	const diff = "--- a/Oven log.md\n+++ b/Oven log.md\n@@ -1,3 +1,3 @@\n-# Log 🥖\n+# Notes 🥖\n \n Text.\n--- a/面/Index.md\n+++ b/面/Index.md\n@@ -4 +4 @@\n See.\n-[[Oven log#Log]]\n+[[Oven log#Notes]]\n";
	expect(parseDiff(diff)).toEqual([
		{ path: "Oven log.md", words: [{ kind: "same", text: "# " }, { kind: "removed", text: "Log" }, { kind: "added", text: "Notes" }, { kind: "same", text: " 🥖\n" }] },
		{ path: "面/Index.md", words: [{ kind: "same", text: "[[Oven log#" }, { kind: "removed", text: "Log" }, { kind: "added", text: "Notes" }, { kind: "same", text: "]]\n" }] },
	]);
});

test("lines that went and came in other numbers are shown whole, and nothing is nothing", () => {
	expect(parseDiff("--- a/A.md\n+++ b/A.md\n@@ -1,2 +1 @@\n-one\n-two\n+three\n")).toEqual([
		{ path: "A.md", words: [{ kind: "removed", text: "one\n" }, { kind: "removed", text: "two\n" }, { kind: "added", text: "three\n" }] },
	]);
	expect(parseDiff("")).toEqual([]);
});

test("neither words nor letters of two units are cut in half", () => {
	const words = (old: string, fresh: string): readonly string[] => parseDiff(`--- a/A.md\n+++ b/A.md\n@@ -1 +1 @@\n-${old}\n+${fresh}\n`)[0]?.words.map(({ text }) => text) ?? [];
	expect(words("🥖", "🥐")).toEqual(["🥖", "🥐", "\n"]);
	expect(words("## Plans", "## Pläne")).toEqual(["## ", "Plans", "Pläne", "\n"]);
});

test("what follows a heading is told in words", () => {
	expect(describeRename({ links_rewritten: 0, links_broken: [], files: 1, warnings: [] })).toBe("No link follows.");
	expect(describeRename({ links_rewritten: 1, links_broken: [], files: 2, warnings: [] })).toBe("1 link follows, in 1 other file.");
	const lost = { path: "A.md", line: 3, text: "B#C" };
	expect(describeRename({ links_rewritten: 5, links_broken: [lost], files: 4, warnings: ["Look."] })).toBe("5 links follow, in 3 other files. This leaves a link unresolved: B#C in A.md, line 3. Look.");
});

test("a file that comes or goes is told by its path", () => {
	const diff = "--- /dev/null\n+++ b/New.md\n@@ -0,0 +1,1 @@\n+fresh\n--- a/Old note.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n";
	expect(parseDiff(diff)).toEqual([
		{ path: "New.md", words: [{ kind: "added", text: "fresh\n" }] },
		{ path: "Old note.md", words: [{ kind: "removed", text: "gone\n" }] },
	]);
});

const same = (text: string): Words => ({ kind: "same", text });
const removed = (text: string): Words => ({ kind: "removed", text });
const added = (text: string): Words => ({ kind: "added", text });

test("words that changed stay in the line that did not", () => {
	expect(toLines([same("before\nBake at "), removed("230"), added("250"), same(" degrees.\nafter\n")])).toEqual([
		{ kind: "same", runs: [same("before")] },
		{ kind: "both", runs: [same("Bake at "), removed("230"), added("250"), same(" degrees.")] },
		{ kind: "same", runs: [same("after")] },
	]);
});

test("whole lines went and came", () => {
	expect(toLines([removed("one\ntwo\n"), added("三\n")])).toEqual([
		{ kind: "removed", runs: [removed("one")] },
		{ kind: "removed", runs: [removed("two")] },
		{ kind: "added", runs: [added("三")] },
	]);
});

test("an empty line that came or went can be seen, and one that stayed is an empty line", () => {
	expect(toLines([same("a\n\n"), added("\n"), same("b"), removed("\n"), same("c\n")])).toEqual([
		{ kind: "same", runs: [same("a")] },
		{ kind: "same", runs: [] },
		{ kind: "added", runs: [added(LINE_END)] },
		{ kind: "both", runs: [same("b"), removed(LINE_END)] },
		{ kind: "same", runs: [same("c")] },
	]);
});

test("of a long line only what is beside a change is kept, and no letter is cut in two", () => {
	const long = "🍞".repeat(1000);
	const [line] = toLines([same(long), added("new"), same(long), removed("old"), same(long)]);
	const bread = (count: number): string => "🍞".repeat(count);
	expect(line?.runs.map(({ text }) => text)).toEqual([` … ${bread(160)}`, "new", `${bread(160)} … ${bread(160)}`, "old", `${bread(160)} … `]);
});

test("a long hunk is cut at a line, by how much room it takes", () => {
	const many = toLines([added("short\n".repeat(10))]);
	expect(countFitting(many, 4)).toBe(4);
	expect(countFitting(many, 40)).toBe(10);
	expect(countFitting(toLines([added(`${"x".repeat(1000)}\nshort\n`)]), 4)).toBe(1);
});

test("the first line that changed is told from those around it", () => {
	expect(unchangedBefore([same("a\nb\nBake at "), removed("1")])).toBe(2);
	expect(unchangedBefore([added("a\n")])).toBe(0);
});
