import { expect, test } from "vitest";
import { briefDifference } from "../../../src/core/memory/brief-difference";
import type { AgentBrief, InjectedItem } from "../../../src/protocol/operations";

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
