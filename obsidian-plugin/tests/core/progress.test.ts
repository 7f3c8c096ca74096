import { expect, test } from "vitest";
import type { VaultStatus } from "../../src/protocol/operations";
import { progress } from "../../src/core/progress";

const DONE: VaultStatus = {
	id: "0123456789abcdef",
	name: "Notes",
	path: "/Notes",
	notes: 100,
	passages: 400,
	pending: { keyword: 0, vectors: 0 },
	ready: { keyword: true, semantic: true, words: true },
	skipped: { count: 0, first: [], reasons: [] },
	failed: { count: 0, first: [], reasons: [] },
	model: { id: "small", dimensions: 384, digest: "", workers: 1, answering: null },
	embedded_total: 400,
	embedding: null,
	paused: false,
	trouble: null,
	disk: null,
};

const SETUP = { message: "There is no compiler.", hint: "Install one.", done: 0, total: 0, seconds: 0 };

test.each<[string, Partial<VaultStatus>, number, string | null]>([
	["is done", {}, 1, null],
	["has begun", { notes: 0, ready: { keyword: false, semantic: false, words: false } }, 0, null],
	["reads", { notes: 50, pending: { keyword: 50, vectors: 0 }, ready: { keyword: false, semantic: false, words: false } }, 0.25, null],
	["embeds", { pending: { keyword: 0, vectors: 200 } }, 0.75, null],
	["lacks a model", { model: null, pending: { keyword: 0, vectors: 400 } }, 1, "Search is by words only: no model is installed."],
	["looks for a model", { model: null, model_known: false, pending: { keyword: 0, vectors: 400 } }, 0.5, null],
	["waits for llama.cpp", { model: null, model_setup: { ...SETUP, state: "running" } }, 1, "Search is by words until the model is there."],
	["has no llama.cpp", { model: null, model_setup: { ...SETUP, state: "missing" } }, 1, "Search is by words only: There is no compiler."],
	["is paused", { paused: true, pending: { keyword: 0, vectors: 9 } }, 1, "Embedding is paused."],
	["is in trouble", { trouble: "The disk is full.", pending: { keyword: 5, vectors: 9 } }, 1, "The disk is full."],
])("a vault that %s", (_, status, done, note) => {
	expect(progress({ ...DONE, ...status })).toEqual({ done, note });
});

test("what is left keeps it from being done", () => {
	expect(progress({ ...DONE, passages: 1_000_000, pending: { keyword: 0, vectors: 1 } }).done).toBeLessThan(1);
});
