import { describe, expect, test } from "vitest";
import type { VaultStatus } from "../../../src/protocol/operations";
import { NONE } from "../../../src/core/filters";
import { viewArguments, LOOK } from "../../../src/core/graph/graph-request";
import { age, countType, typeIcon } from "../../../src/core/notes/note-labels";
import { describeStats, newestArguments } from "../../../src/core/notes/note-list";
import { listTemplates, newPath, templateFolder } from "../../../src/core/notes/templates";

const NOW = Date.UTC(2026, 0, 31, 12);
const before = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

describe("how long ago", () => {
	test.each([
		[-5, "just now"],
		[59, "just now"],
		[60, "1 min ago"],
		[3_599, "59 min ago"],
		[7_200, "2 h ago"],
		[86_400, "1 day ago"],
		[6 * 86_400, "6 days ago"],
		[30 * 86_400, "Jan 1, 2026"],
	])("%i seconds", (seconds, said) => {
		expect(age(before(seconds), NOW, "en-US")).toBe(said);
	});
});

describe("what a vault holds", () => {
	const status = { notes: 47, types: { journal: 12, authors: 8, patch: 1, "дневник": 2, bug: 9 }, pending: { keyword: 0, vectors: 5 }, indexed: before(125) };
	const said = (changed: Partial<VaultStatus> = {}): string => describeStats({ ...status, ...changed } as VaultStatus, NOW);

	test("is counted by type, the most frequent by name", () => {
		expect(said()).toBe("47 notes · journal 12 · authors 8 · patch 1 · дневник 2 · indexed 2 min ago");
	});

	test("says what is left to index, and nothing of an index that does not tell", () => {
		expect(said({ types: {}, pending: { keyword: 3, vectors: 0 } })).toBe("47 notes · 3 to index");
		const { indexed: _, ...older } = status;
		expect(describeStats({ ...older, notes: 1, types: { box: 2 } } as unknown as VaultStatus, NOW)).toBe("1 note · box 2");
	});

	test("has an icon for each type", () => {
		expect(["decision", "", "recipe"].map(typeIcon)).toEqual(["scale", "file-text", "file-type"]);
		expect(countType("day", 2)).toBe("2 days");
	});
});

describe("filters by type", () => {
	const filters = { ...NONE, noteTypes: ["bug"], folder: "Work" };

	test("narrow the newest notes", () => {
		expect(newestArguments(filters, NOW, 50, null)).toEqual({ folder: "Work", properties: { type: ["bug"] }, among: "all", sort: "-modified", limit: 50, offset: 50, excerpts: true });
	});

	test.each([
		[null, { where: '!file.inFolder("Templates")' }],
		["Templates/Daily", {}],
		["Templates of mine", { where: '!file.inFolder("Templates")' }],
	])("leave templates out unless they are looked for: in %s", (folder, given) => {
		const { where } = newestArguments({ ...NONE, folder }, NOW, 0, "Templates");
		expect(where === undefined ? {} : { where }).toEqual(given);
	});

	test("narrow the graph", () => {
		expect(viewArguments({ is: "whole" }, LOOK, filters, NOW)).toMatchObject({ folder: "Work", properties: { type: ["bug"] }, among: "all" });
	});
});

describe("templates", () => {
	test.each([
		['{"folder": "/Templates/", "dateFormat": "YYYY"}', "Templates"],
		['{"folder": "/"}', null],
		['{"folder": 7}', null],
		["{", null],
		["null", null],
	])("stand where %s says", (settings, folder) => {
		expect(templateFolder(settings)).toBe(folder);
	});

	test("are listed by name, from their folders only", () => {
		const paths = ["Templates/Plant.md", "Templates old/Cat.md", "Agents/Templates/Bug.md", "Note.md"];
		expect(listTemplates(paths, ["Templates", "Agents/Templates"]).map(({ name }) => name)).toEqual(["Bug", "Plant"]);
	});

	test("give a note the name that was typed, or the first free one", () => {
		const taken = (path: string): boolean => ["Untitled.md", "In/Untitled.md", "In/Untitled 1.md"].includes(path);
		expect(newPath("/", " Rye.md ", taken)).toBe("Rye.md");
		expect(newPath("In", "", taken)).toBe("In/Untitled 2.md");
		expect(newPath("", "", taken)).toBe("Untitled 1.md");
	});
});
