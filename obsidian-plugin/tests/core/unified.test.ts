import { expect, test } from "vitest";
import { follows } from "../../src/core/renaming";
import { parseDiff } from "../../src/core/unified";

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
	expect(follows({ links_rewritten: 0, links_broken: [], files: 1, warnings: [] })).toBe("No link follows.");
	expect(follows({ links_rewritten: 1, links_broken: [], files: 2, warnings: [] })).toBe("1 link follows, in 1 other file.");
	const lost = { path: "A.md", line: 3, text: "B#C" };
	expect(follows({ links_rewritten: 5, links_broken: [lost], files: 4, warnings: ["Look."] })).toBe("5 links follow, in 3 other files. This leaves a link unresolved: B#C in A.md, line 3. Look.");
});

test("a file that comes or goes is told by its path", () => {
	const diff = "--- /dev/null\n+++ b/New.md\n@@ -0,0 +1,1 @@\n+fresh\n--- a/Old note.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n";
	expect(parseDiff(diff)).toEqual([
		{ path: "New.md", words: [{ kind: "added", text: "fresh\n" }] },
		{ path: "Old note.md", words: [{ kind: "removed", text: "gone\n" }] },
	]);
});
