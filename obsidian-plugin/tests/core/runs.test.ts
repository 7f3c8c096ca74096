import { expect, test } from "vitest";
import type { Words } from "../../src/protocol/operations";
import { countFitting, LINE_END, lines, unchangedBefore } from "../../src/core/runs";

const same = (text: string): Words => ({ kind: "same", text });
const removed = (text: string): Words => ({ kind: "removed", text });
const added = (text: string): Words => ({ kind: "added", text });

test("words that changed stay in the line that did not", () => {
	expect(lines([same("before\nBake at "), removed("230"), added("250"), same(" degrees.\nafter\n")])).toEqual([
		{ kind: "same", runs: [same("before")] },
		{ kind: "both", runs: [same("Bake at "), removed("230"), added("250"), same(" degrees.")] },
		{ kind: "same", runs: [same("after")] },
	]);
});

test("whole lines went and came", () => {
	expect(lines([removed("one\ntwo\n"), added("三\n")])).toEqual([
		{ kind: "removed", runs: [removed("one")] },
		{ kind: "removed", runs: [removed("two")] },
		{ kind: "added", runs: [added("三")] },
	]);
});

test("an empty line that came or went can be seen, and one that stayed is an empty line", () => {
	expect(lines([same("a\n\n"), added("\n"), same("b"), removed("\n"), same("c\n")])).toEqual([
		{ kind: "same", runs: [same("a")] },
		{ kind: "same", runs: [] },
		{ kind: "added", runs: [added(LINE_END)] },
		{ kind: "both", runs: [same("b"), removed(LINE_END)] },
		{ kind: "same", runs: [same("c")] },
	]);
});

test("of a long line only what is beside a change is kept, and no letter is cut in two", () => {
	const long = "🍞".repeat(1000);
	const [line] = lines([same(long), added("new"), same(long), removed("old"), same(long)]);
	const bread = (count: number): string => "🍞".repeat(count);
	expect(line?.runs.map(({ text }) => text)).toEqual([` … ${bread(160)}`, "new", `${bread(160)} … ${bread(160)}`, "old", `${bread(160)} … `]);
});

test("a long hunk is cut at a line, by how much room it takes", () => {
	const many = lines([added("short\n".repeat(10))]);
	expect(countFitting(many, 4)).toBe(4);
	expect(countFitting(many, 40)).toBe(10);
	expect(countFitting(lines([added(`${"x".repeat(1000)}\nshort\n`)]), 4)).toBe(1);
});

test("the first line that changed is told from those around it", () => {
	expect(unchangedBefore([same("a\nb\nBake at "), removed("1")])).toBe(2);
	expect(unchangedBefore([added("a\n")])).toBe(0);
});
