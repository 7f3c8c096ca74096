import { expect, test } from "vitest";
import { Kept, outside, unchangeable } from "../../../src/core/settings/kept";

const setting = (name: string, value: unknown): { name: string; value: unknown; default: unknown; type: string; meaning: string; restart: boolean } => ({ name, value, default: null, type: "", meaning: "", restart: false });

test("what the bridge keeps is found by its name, and what it keeps back is an empty list", () => {
	const kept = new Kept({ path: "/settings.toml", settings: [setting("exclude", ["A/**"]), setting("deny", null), setting("git_commit", true)], problems: [] });
	expect(kept.list("exclude")).toEqual(["A/**"]);
	expect(kept.list("deny")).toEqual([]);
	expect(kept.get("git_commit")).toBe(true);
	expect(kept.get("nothing")).toBeUndefined();
});

test("what cannot be changed says why", () => {
	expect(unchangeable({ is: "ready", note: null }, true)).toBeNull();
	expect(unchangeable({ is: "indexing", done: 0.5 }, true)).toBeNull();
	expect(unchangeable({ is: "ready", note: null }, false)).toContain("by pairing");
	expect(unchangeable({ is: "off", why: { kind: "not_running" } }, false)).toContain("not connected. No bridge runs");
});

test("only whole numbers that are large enough are taken", () => {
	expect(outside(1, 1)).toBeUndefined();
	expect(outside(0, 1)).toBe("A whole number, at least 1.");
	expect(outside(1.5, 1)).toBeDefined();
});
