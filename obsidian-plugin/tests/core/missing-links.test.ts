import { expect, test } from "vitest";
import type { Hit, NoteLink, NoteMention } from "../../src/protocol/operations";
import { describeProposals, sortHits, unlinkedMentions } from "../../src/core/missing-links";

const hit = (path: string): Hit => ({ path, title: path, heading: "", lines: [1, 1], snippet: "", score: 1, why: [], tags: [], modified: "", digest: "" });
const link = (path: string): NoteLink => ({ path, line: 1, text: "", kind: "wiki", target: "", embed: false, context: null });
const mention = (path: string, line: number): NoteMention => ({ path, line, text: "x", span: [0, 1], context: "x" });

test("related notes are told apart by links in either direction, without what is hidden", () => {
	const all = [hit("a.md"), hit("b.md"), hit("c.md"), hit("d.md")];
	const { unlinked, linked } = sortHits(all, { links: [link("b.md")], backlinks: [link("c.md")] }, ["d.md"]);
	expect([unlinked, linked].map((hits) => hits.map(({ path }) => path))).toEqual([["a.md"], ["b.md", "c.md"]]);
	expect(sortHits(all, null, []).unlinked).toEqual(all);
});

test("of each note that says the name and does not link, the first place counts", () => {
	const found = unlinkedMentions({ backlinks: [link("b.md")], mentions: [mention("a.md", 3), mention("a.md", 7), mention("b.md", 1), mention("c.md", 2)] });
	expect(found.map(({ path, line }) => [path, line])).toEqual([["a.md", 3], ["c.md", 2]]);
	expect(unlinkedMentions({ backlinks: [] })).toEqual([]);
});

test("each link that would be made is a part that reads like a change", () => {
	const chosen = [
		{ target: "Rye.md", text: "rye", span: [20, 23] as const, quote: null },
		{ target: "Wheat.md", text: "wheat", span: [4, 9] as const, quote: { before: "Use ", text: "wheat", after: "." } },
	];
	const links = [{ target: "Wheat.md", line: 3, link: "[[Wheat|wheat]]" }, { target: "Rye.md", line: 4, link: "[[Rye|rye]]" }];
	expect(describeProposals(links, chosen)).toEqual([
		{
			missing: chosen[1],
			line: 3,
			words: [
				{ kind: "same", text: "Use " },
				{ kind: "removed", text: "wheat" },
				{ kind: "added", text: "[[Wheat|wheat]]" },
				{ kind: "same", text: "." },
			],
		},
		{
			missing: chosen[0],
			line: 4,
			words: [
				{ kind: "removed", text: "rye" },
				{ kind: "added", text: "[[Rye|rye]]" },
			],
		},
	]);
});
