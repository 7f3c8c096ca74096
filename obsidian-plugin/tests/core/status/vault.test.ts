import { expect, test } from "vitest";
import type { VaultStatus } from "../../../src/protocol/operations";
import { bytes, duration, errors, facts, groups } from "../../../src/core/status/vault";

const LEFT = { count: 0, first: [], reasons: [] };
const VAULT: VaultStatus = {
	id: "", name: "Notes", path: "/Notes", notes: 1200, passages: 4000, pending: { keyword: 0, vectors: 30 }, ready: { keyword: true, semantic: true, words: true },
	skipped: LEFT, failed: LEFT, model: { id: "m", dimensions: 384, digest: "", workers: 1, answering: null }, embedded_total: 0,
	embedding: { per_second: 12.4, seconds_left: 140 }, paused: false, trouble: null, disk: { index: 70_400_000, history: 0, state: 1200 },
};

test("what the index holds, takes and still has to do is told", () => {
	expect(Object.fromEntries(facts(VAULT, "1.0", { models: 83_000_000, free: 12e9 }))).toMatchObject({
		Notes: (1200).toLocaleString(), "Still to embed": "30 passages, 12 a second, about 2 minutes left", Model: "m",
		Index: "70 MB", "Kept for undo": "0 B", "Free disk": "12 GB", Bridge: "1.0",
	});
	const model_setup = { state: "running", message: "Building llama.cpp.", hint: "", done: 0, total: 0, seconds: 0 } as const;
	expect(Object.fromEntries(facts({ ...VAULT, model: null, model_setup }, "1.0", null))).toMatchObject({ Model: "Building llama.cpp." });
	const idle = facts({ ...VAULT, model: null, embedding: null, disk: null }, "1.0", null);
	expect(Object.fromEntries(idle)).toMatchObject({ Index: "…", "Free disk": "…" });
	expect(idle.map(([name]) => name)).not.toContain("Still to embed");
});

test("what is left out stands by its reasons, with how many are not named", () => {
	const left = { count: 160, first: [], reasons: [{ reason: "Too large.", count: 142, first: ["a.pdf", "b.pdf"] }, { reason: "Hidden.", count: 1, first: ["c"] }] };
	expect(groups(left)).toEqual({
		groups: [
			{ reason: "Too large.", count: 142, paths: ["a.pdf", "b.pdf"], more: "and 140 more" },
			{ reason: "Hidden.", count: 1, paths: ["c"], more: "" },
		],
		more: "and 17 more",
	});
	expect(groups(LEFT)).toEqual({ groups: [], more: "" });
});

test("bytes and durations are said no finer than anybody wants to know", () => {
	expect([0, 999, 1500, 25_282_272, 4.2e9].map(bytes)).toEqual(["0 B", "999 B", "1.5 KB", "25 MB", "4.2 GB"]);
	expect([3, 44, 600, 9000].map(duration)).toEqual(["a few seconds", "about 40 seconds", "about 10 minutes", "about 3 hours"]);
});

test("errors are counted by their kind", () => {
	const total = { name: "all", calls: 1, errors: 0, p50_ms: 0.2, p95_ms: 1, tokens_out: 0, tokens_whole: 0 };
	expect(errors({ days: 7, total, errors: [], tools: [], clients: [] })).toBe("1 call in 7 days, none failed.");
	expect(errors({ days: 7, total: { ...total, calls: 40, errors: 3 }, errors: [{ code: "note_not_found", calls: 3 }], tools: [], clients: [] })).toBe(
		"40 calls in 7 days, 3 failed: note not found 3. Half took at most 1 ms.",
	);
});
