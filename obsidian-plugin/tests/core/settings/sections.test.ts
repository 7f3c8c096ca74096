import { expect, test } from "vitest";
import type { Setting } from "../../../src/protocol/operations";
import { choices, settingSections, settingTitle } from "../../../src/core/settings/sections";

const setting = (name: string, type = "integer"): Setting => ({ name, type, value: 1, default: 1, meaning: "What it does.", restart: false });

test("settings of features are grouped by their section, in order", () => {
	const found = settingSections(["workers", "memory.keep_days", "watch", "garden.depth", "memory.colours"].map((name) => setting(name)));
	expect(found.map(({ heading, settings }) => [heading, settings.map(({ name }) => name)])).toEqual([
		["Memory", ["memory.keep_days", "memory.colours"]],
		["Garden", ["garden.depth"]],
	]);
});

test("a setting is called by its own name", () => {
	expect(settingTitle(setting("memory.keep_days"))).toBe("Keep days");
});

test("the values of a choice are those of its type", () => {
	expect(choices(setting("memory.order", "'newest' | 'oldest first'"))).toEqual(["newest", "oldest first"]);
	expect(choices(setting("memory.names", "list of strings"))).toEqual([]);
});
