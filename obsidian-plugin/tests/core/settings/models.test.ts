import { expect, test } from "vitest";
import { facts, installCommand, progressOf } from "../../../src/core/settings/models";

const MODEL = { id: "m", title: "M", purpose: "embed" as const, dimensions: 384, window: 256, size_mb: 25.3, languages: "English", license: "MIT", installed: true, chosen: true };
const SETUP = { state: "running", message: "Building llama.cpp: 43 of 200 files.", hint: "Meaning follows.", done: 43, total: 200, seconds: 9 } as const;
const USED = { id: "m", dimensions: 384, digest: "", workers: 1, answering: "old-1" };

test("a model is told by what matters before choosing it", () => {
	expect(facts(MODEL)).toBe("English · 25 MB · MIT");
	expect(facts({ ...MODEL, size_mb: null, installed: false })).toBe("English · MIT · not installed");
	expect(facts({ ...MODEL, purpose: "chat", dimensions: 0 })).toBe("English · 25 MB · MIT");
	expect(installCommand(MODEL)).toBe("vaultside models install m");
});

test("how far the chosen model is, is told, and never as done before it is", () => {
	const pending = { keyword: 0, vectors: 1 };
	expect(progressOf({ model: USED, passages: 1000, pending, paused: false })).toBe("99 % of the passages are embedded; the model before answers until then.");
	expect(progressOf({ model: { ...USED, answering: null }, passages: 4, pending: { keyword: 0, vectors: 3 }, paused: true })).toBe("25 % of the passages are embedded; search is by words until then. Embedding is paused.");
	expect(progressOf({ model: USED, passages: 1000, pending: { keyword: 0, vectors: 0 }, paused: false })).toBe("Every passage can be found by meaning.");
	expect(progressOf({ model: null, passages: 0, pending, paused: false })).toContain("by words only");
	expect(progressOf({ model: null, model_known: false, passages: 0, pending, paused: false })).toBe("The bridge is looking for a model.");
	expect(progressOf({ model: null, model_setup: SETUP, passages: 0, pending, paused: false })).toBe("Building llama.cpp: 43 of 200 files. Meaning follows.");
});
