import { expect, test } from "vitest";
import { choices, explainClosed, explainOutOfRange, fromLines, settingSections, StoredSettings, toLines } from "../../../src/core/settings/stored-settings";
import type { Setting } from "../../../src/protocol/operations";

const setting = (name: string, value: unknown): { name: string; title: string; value: unknown; default: unknown; type: string; meaning: string; restart: boolean } => ({ name, title: name, value, default: null, type: "", meaning: "", restart: false });

test("what the bridge keeps is found by its name, and what it keeps back is an empty list", () => {
	const kept = new StoredSettings({ path: "/settings.toml", settings: [setting("exclude", ["A/**"]), setting("deny", null), setting("git_commit", true)], problems: [] });
	expect(kept.list("exclude")).toEqual(["A/**"]);
	expect(kept.list("deny")).toEqual([]);
	expect(kept.get("git_commit")).toBe(true);
	expect(kept.get("nothing")).toBeUndefined();
});

test("what cannot be changed says why", () => {
	expect(explainClosed({ is: "ready", note: null }, true)).toBeNull();
	expect(explainClosed({ is: "indexing", done: 0.5 }, true)).toBeNull();
	expect(explainClosed({ is: "ready", note: null }, false)).toContain("by pairing");
	expect(explainClosed({ is: "off", why: { kind: "not_running" } }, false)).toContain("not connected. No bridge runs");
});

test("only whole numbers that are large enough are taken", () => {
	expect(explainOutOfRange(1, 1)).toBeUndefined();
	expect(explainOutOfRange(0, 1)).toBe("A whole number, at least 1.");
	expect(explainOutOfRange(1.5, 1)).toBeDefined();
});

const featureSetting = (name: string, type = "integer"): Setting => ({ name, title: name, type, value: 1, default: 1, meaning: "What it does.", restart: false });

test("settings of features are grouped by their section, in order", () => {
	const found = settingSections(["workers", "memory.keep_days", "watch", "garden.depth", "memory.colours"].map((name) => featureSetting(name)));
	expect(found.map(({ heading, settings }) => [heading, settings.map(({ name }) => name)])).toEqual([
		["Memory", ["memory.keep_days", "memory.colours"]],
		["Garden", ["garden.depth"]],
	]);
});

test("a list is written a line each", () => {
	expect(toLines(["A/**", "B, C"])).toBe("A/**\nB, C");
	expect(fromLines(" A/** \n\nB, C\n")).toEqual(["A/**", "B, C"]);
	expect(toLines(7)).toBe(7);
});

test("the values of a choice are those of its type", () => {
	expect(choices(featureSetting("memory.order", "'newest' | 'oldest first'"))).toEqual(["newest", "oldest first"]);
	expect(choices(featureSetting("memory.names", "list of strings"))).toEqual([]);
});
