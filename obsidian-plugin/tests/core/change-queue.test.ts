import { describe, expect, test } from "vitest";
import type { Reported } from "../../src/protocol/operations";
import { BATCH, ChangeQueue, MAX_WAIT_MS, QUIET_MS } from "../../src/core/change-queue";

const save = (path: string): Reported => ({ kind: "upsert", path });
const told = (changes: readonly Reported[]): readonly (readonly Reported[])[] => {
	const waiting = new ChangeQueue();
	for (const change of changes) waiting.add(change, 0);
	return waiting.take();
};

describe("changes", () => {
	test("of one note are told once, in order", () => {
		expect(told([save("a.md"), save("b.md"), save("a.md")])).toEqual([[save("a.md"), save("b.md")]]);
	});

	test("do not cross a rename or a removal", () => {
		const renamed: Reported = { kind: "rename", path: "b.md", from: "a.md" };
		const removed: Reported = { kind: "delete", path: "c.md" };
		const all = [save("a.md"), renamed, save("a.md"), removed, save("a.md")];
		expect(told(all)).toEqual([all]);
	});

	test("come in batches", () => {
		const many = Array.from({ length: BATCH + 1 }, (_, at) => save(`${at}.md`));
		expect(told(many).map((batch) => batch.length)).toEqual([BATCH, 1]);
	});

	test("are told after a quiet moment, and not later than the first may wait", () => {
		const waiting = new ChangeQueue();
		expect(waiting.due(0)).toBe(0);
		waiting.add(save("a.md"), 1000);
		expect(waiting.due(1000)).toBe(QUIET_MS);
		expect(waiting.due(1000 + MAX_WAIT_MS - 100)).toBe(100);
		expect(waiting.due(1000 + MAX_WAIT_MS + 100)).toBe(0);
	});

	test("are taken once", () => {
		const waiting = new ChangeQueue();
		waiting.add(save("a.md"), 0);
		waiting.take();
		expect([waiting.size, waiting.take(), waiting.due(9)]).toEqual([0, [], 0]);
	});
});
