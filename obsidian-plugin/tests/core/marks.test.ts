import { describe, expect, test } from "vitest";
import type { ShownHunk, Words } from "../../src/protocol/operations";
import { firstPlace, marks } from "../../src/core/marks";

type Run = readonly [Words["kind"], string];

const hunk = (line: number, ...runs: readonly Run[]): ShownHunk => ({
	number: 1, path: "a.md", before: [line, line], after: [line, line], undone: false,
	words: runs.map(([kind, text]) => ({ kind, text })),
});

/** The text with ⟨ ⟩ around what came, and ▾ where something went. */
function marked(text: string, ...hunks: readonly ShownHunk[]): string {
	const { added, removed, missing } = marks(text, hunks);
	const signs = [...added.flatMap(([from, to]) => [[from, "⟨"], [to, "⟩"]] as const), ...removed.map((at) => [at, "▾"] as const)];
	const out = signs.sort(([one], [other]) => other - one).reduce((all, [at, sign]) => all.slice(0, at) + sign + all.slice(at), text);
	return missing === 0 ? out : `${out} −${missing}`;
}

describe("what a change left in a note", () => {
	test("is marked word by word, at its line", () => {
		const changed = hunk(2, ["same", "Bake at "], ["removed", "230"], ["added", "250"], ["same", " degrees.\n"]);
		expect(marked("Log\nBake at 250 degrees.\nBake at 250 degrees.\n", changed)).toBe("Log\nBake at ⟨250⟩ degrees.\nBake at 250 degrees.\n");
	});

	test("is a place where something only went", () => {
		expect(marked("One.\nThree.\n", hunk(1, ["same", "One.\n"], ["removed", "Two.\n"], ["same", "Three.\n"]))).toBe("One.\n▾Three.\n");
	});

	test("leaves out the empty lines around", () => {
		expect(marked("One.\n\nTwo.\n", hunk(1, ["same", "One."], ["added", "\n\nTwo."], ["same", "\n"]))).toBe("One.\n\n⟨Two.⟩\n");
		expect(marked("One.\n\n", hunk(1, ["same", "One.\n"], ["added", "\n"]))).toBe("One.\n\n");
	});

	test("is found after it was moved, unless it could be elsewhere", () => {
		const added = hunk(1, ["added", "New.\n"]);
		expect(marked("Above.\nNew.\n", added)).toBe("Above.\n⟨New.⟩\n");
		expect(marked("Above.\nNew.\nNew.\n", added)).toBe("Above.\nNew.\nNew.\n −1");
	});

	test("is missing when somebody changed it", () => {
		expect(marked("Newer.\n", hunk(1, ["added", "New.\n"]), hunk(9, ["added", "Gone.\n"]))).toBe("Newer.\n −2");
	});

	test("is found in a note whose lines end otherwise in the file", () => {
		expect(marked("One.\nTwo.\n", hunk(1, ["same", "One.\r\n"], ["added", "Two.\r\n"]))).toBe("One.\n⟨Two.⟩\n");
	});

	test("counts as editors do, also beyond the basic characters", () => {
		expect(marked("🍞🍞 水温\n", hunk(1, ["same", "🍞"], ["added", "🍞 水"], ["same", "温\n"]))).toBe("🍞⟨🍞 水⟩温\n");
	});

	test("is nothing in a note that was emptied, but a place", () => {
		expect(marked("", hunk(0, ["removed", "All.\n"]))).toBe("▾");
	});
});

test("the first place is the one to jump to", () => {
	expect(firstPlace({ added: [[7, 9]], removed: [3], missing: 0 })).toBe(3);
	expect(firstPlace({ added: [], removed: [], missing: 1 })).toBeNull();
});
