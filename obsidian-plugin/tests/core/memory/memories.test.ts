import { describe, expect, test } from "vitest";
import type { AgentBrief, InjectedItem, ListedMemory } from "../../../src/protocol/operations";
import { ALL, briefDifference, filterChips, findConcerns, firstLine, memoryFacts, passes } from "../../../src/core/memory/memories";

const NOW = Date.UTC(2027, 0, 31, 12);

function memory(title: string, given: Partial<ListedMemory> = {}): ListedMemory {
	return {
		path: `Agents/Memory/${title}.md`,
		title,
		kind: "fact",
		text: `About ${title}.`,
		scope: [],
		tags: [],
		about: [],
		agent: "claude-code",
		created: "2027-01-29T12:00:00Z",
		tier: "hot",
		used: { times: 0, last: null },
		confidence: 1,
		pinned: false,
		expires: null,
		digest: "",
		problems: [],
		conflicts: [],
		...given,
	};
}

describe("the memories", () => {
	const rye = memory("Rye", { kind: "decision", tier: "cold", about: ["sourdough Starter", "Bread/Rye bread"] });

	test.each([
		[{}, true],
		[{ kind: "decision" as const, tier: "cold" as const, agent: "claude-code" }, true],
		[{ kind: "fact" as const }, false],
		[{ tier: "hot" as const }, false],
		[{ agent: "cursor" }, false],
		[{ about: "Bread/Starters/Sourdough starter.md" }, true],
		[{ about: "Bread/Rye bread.md" }, true],
		[{ about: "Other/Rye.md" }, false],
	])("is narrowed by %j", (filters, whether) => {
		expect(passes(rye, { ...ALL, ...filters })).toBe(whether);
	});

	test("has a chip for each thing that narrows it, which takes just that away", () => {
		const all = { kind: "open_question" as const, tier: "warm" as const, agent: "cursor", about: "Bread/Rye.md" };
		const chips = filterChips(all);
		expect(chips.map(({ text }) => text)).toEqual(["open question", "warm", "by cursor", "about Rye"]);
		for (const [at, { without }] of chips.entries()) {
			expect(filterChips(without).map(({ text }) => text)).toEqual(chips.map(({ text }) => text).toSpliced(at, 1));
		}
	});

	test("says who wrote a memory, when, and how it is used", () => {
		expect(memoryFacts(rye, NOW)).toBe("claude-code · 2 days ago · not used yet");
		const used = memory("Used", { agent: null, used: { times: 3, last: "2027-01-30T12:00:00Z" }, expires: "2027-02-01T12:00:00Z" });
		expect(memoryFacts(used, NOW)).toMatch(/^2 days ago · used 3 times · expires .*2027/);
		expect(firstLine(memory("Long", { text: "\n  First.\nSecond." }))).toBe("First.");
	});
});

describe("what needs a look", () => {
	const said = (memories: readonly ListedMemory[]): unknown => findConcerns(memories).map((one) => [one.memory.title, one.why]);

	test("are wrong properties and contradictions", () => {
		const wrong = memory("Wrong", { problems: ["`expires` must be a date."], conflicts: ["Rye"] });
		expect(said([memory("Rye"), wrong])).toEqual([
			["Wrong", "`expires` must be a date."],
			["Wrong", "Contradicts “Rye”."],
		]);
	});

	test("is the younger of two that say the same, and not what says nothing", () => {
		const older = memory("Older", { text: "Rye  stays\nflat.", created: "2026-01-01T00:00:00Z" });
		expect(said([memory("Newer", { text: "rye stays flat." }), older, memory("A", { text: "" }), memory("B", { text: " " })])).toEqual([["Newer", "Says the same as “Older”."]]);
		const long = [memory("Long", { text: "So it goes…" }), memory("Longer", { text: "So it goes…" })];
		expect(said(long)).toEqual([["Longer", "Begins like “Long”."]]);
	});
});

const told = (...paths: string[]): AgentBrief => ({
	text: "",
	tokens: 0,
	left_out: 0,
	items: paths.map((path) => ({ path, lines: [1, 1], part: "memories", why: [], tokens: 1 })),
});

const given = (path: string, tool: string): InjectedItem => ({ path, tool, why: [], tokens: 1, times: 1, time: "", withheld: false });

test("what would be told now is compared with what was given", () => {
	const before = { session: "s", tokens: 3, items: [given("A.md", "brief"), given("B.md", "brief"), given("C.md", "recall"), given("D.md", "")] };
	expect(briefDifference(told("A.md", "D.md", "E.md", "E.md"), before)).toEqual({ fresh: ["D.md", "E.md"], again: ["A.md"], gone: ["B.md"] });
	expect(briefDifference(told("A.md"), undefined)).toEqual({ fresh: ["A.md"], again: [], gone: [] });
});
