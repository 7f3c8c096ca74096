import { expect, test } from "vitest";
import type { GraphPath } from "../../../src/protocol/operations";
import { NONE } from "../../../src/core/filters";
import { type Call, fetchGraph, LOOK, MAX_NOTES, restoreLook, viewArguments } from "../../../src/core/graph/graph-request";
import { Picture } from "../../../src/core/graph/picture";
import { stripLine } from "../../../src/core/markdown-text";
import type { IndexProgress } from "../../../src/protocol/events";
import { changesLinks } from "../../../src/core/bridge-events";
import { LinkSentences } from "../../../src/core/graph/link-sentences";
import { layOutPaths, notesOf } from "../../../src/core/graph/layout";
import { node, view } from "./drawn";

const NOW = Date.UTC(2026, 0, 8);

test("around a note its steps are asked for, of the whole the most central notes, and without a note nothing", () => {
	expect(viewArguments({ is: "around", path: "a.md" }, { ...LOOK, depth: 2 }, NONE, NOW)).toMatchObject({ path: "a.md", depth: 2, stubs: true });
	expect(viewArguments({ is: "whole" }, LOOK, { ...NONE, folder: "Bread" }, NOW)).toMatchObject({ folder: "Bread", fold: false, limit: MAX_NOTES });
	expect(viewArguments({ is: "around", path: null }, LOOK, NONE, NOW)).toBeNull();
});

test("a look that was kept comes back, and what is not understood is as by default", () => {
	const look = { depth: 3, colours: "tag", stubs: false, list: true } as const;
	expect(restoreLook(look, look.colours)).toEqual(look);
	expect(restoreLook({ depth: 9, list: "yes" }, LOOK.colours)).toEqual(LOOK);
	expect(restoreLook(null, LOOK.colours)).toEqual(LOOK);
});

const step = (source: string, target: string, text = "", note: string | null = source): GraphPath["steps"][number] => ({ source, target, kind: "wiki", note, line: 1, text });
const WAYS: readonly GraphPath[] = [
	{ notes: ["a.md", "b.md", "z.md"], steps: [step("a.md", "b.md"), step("b.md", "z.md")] },
	{ notes: ["a.md", "c.md", "d.md", "z.md"], steps: [step("a.md", "c.md"), step("c.md", "d.md"), step("d.md", "z.md")] },
];

test("the first way leads straight down, another beside it, and both end in the same place", () => {
	const drawn = layOutPaths(view(["a.md", "b.md", "c.md", "d.md", "z.md"].map((path, at) => node(at, path))), WAYS);
	const places = Object.fromEntries(drawn.nodes.map(({ path, x, y }) => [path, [x, y]]));
	expect(places).toEqual({ "a.md": [0, -0], "b.md": [0, -1.5], "z.md": [0, -3], "c.md": [0.8, -1], "d.md": [0.8, -2] });
	expect(notesOf(WAYS)).toEqual(["a.md", "b.md", "z.md", "c.md", "d.md"]);
});

/** Answers as the bridge would, and remembers what was asked. */
function bridge(answers: Readonly<Record<string, unknown>>): { readonly call: Call; readonly calls: unknown[] } {
	const calls: unknown[] = [];
	const call = async (name: string, given: unknown): Promise<unknown> => {
		calls.push([name, given]);
		return answers[name];
	};
	return { call: call as Call, calls };
}

test("a way is drawn of its notes alone; where there is none that is said", async () => {
	const { call, calls } = bridge({ graph_path: { ok: true, result: { paths: WAYS } }, graph_view: { ok: true, result: view([node(0, "a.md")]) } });
	expect(await fetchGraph(call, { is: "way", from: "a.md", to: "z.md" }, LOOK, NONE, NOW)).toMatchObject({ ways: WAYS });
	expect(calls[1]).toEqual(["graph_view", { notes: notesOf(WAYS), tagged: true, fold: false }]);
	const none = bridge({ graph_path: { ok: true, result: { paths: [] } } });
	expect(await fetchGraph(none.call, { is: "way", from: "A/a.md", to: "z.md" }, LOOK, NONE, NOW)).toEqual({ said: "No links lead from a to z." });
});

test("what goes wrong is said with its way out", async () => {
	const { call } = bridge({ graph_view: { ok: false, error: { code: "note_not_found", message: "There is no such note.", hint: "Look again." } } });
	expect(await fetchGraph(call, { is: "around", path: "a.md" }, LOOK, NONE, NOW)).toEqual({ said: "There is no such note. Look again." });
});

test("a sentence is asked for once for each pair, and read as it is shown", async () => {
	const { call, calls } = bridge({ graph_path: { ok: true, result: { paths: [{ notes: [], steps: [step("a.md", "b.md", "- [ ] See [[b|the other]], **soon**.", "b.md")] }] } } });
	const drawn = view([node(0, "a.md"), node(1, "b.md")], [[1, 0]]);
	const telling = new LinkSentences(call, new Picture(drawn, "a.md"));
	expect(await telling.ofNode(drawn.nodes[1]!)).toEqual({ text: "See the other, soon.", source: "b" });
	expect(await telling.ofEdge(drawn.edges[0]!)).toEqual({ text: "See the other, soon.", source: "b" });
	expect(calls).toHaveLength(1);
});

test("of a name that no note has, the sentence that names it is told", async () => {
	const link = { path: null, line: 3, text: "Nowhere", kind: "wiki", target: "Nowhere#part", embed: false, context: "Go to [[Nowhere#part]]." };
	const { call } = bridge({ note_links: { ok: true, result: { links: [], backlinks: [], unresolved: [link] } } });
	const drawn = view([node(0, "a.md"), node(1, null, { title: "nowhere" })], [[0, 1]]);
	expect(await new LinkSentences(call, new Picture(drawn, "a.md")).ofNode(drawn.nodes[1]!)).toEqual({ text: "Go to Nowhere#part.", source: "a" });
});

test.each([
	["> - [[Starter]], if hungry.", "Starter, if hungry."],
	["| Pan bread | [[Stovetop flatbreads]] |", "Pan bread | Stovetop flatbreads"],
	["See ![[pic.png]] and [there](x/y.md).", "See pic.png and there."],
	["12. ==Marked== **bold**", "Marked bold"],
	["1923 was a year.", "1923 was a year."],
	["- [ ] Sign it [due:: 2025-10-15] (by:: [[Ada|her]])", "Sign it due: 2025-10-15 by: her"],
])("%s is read as %s", (text, read) => {
	expect(stripLine(text)).toBe(read);
});

const progress = (notes: number, keyword: number, vectors: number): IndexProgress => ({ kind: "index_progress", vault: "v", notes, pending: { keyword, vectors } });

test("a change stirs, many at once too, and embedding does not", () => {
	const before = progress(10, 0, 50);
	expect(changesLinks({ kind: "note_changed", vault: "v", path: "a.md", change: "indexed" }, before)).toBe(true);
	expect(changesLinks(progress(11, 0, 50), before)).toBe(true);
	expect(changesLinks(progress(10, 0, 90), before)).toBe(true);
	expect(changesLinks(progress(10, 0, 20), before)).toBe(false);
	expect(changesLinks({ kind: "change_recorded", vault: "v", change: "1", operation: "edit_note", client: null, state: "applied", paths: [] }, before)).toBe(false);
});
