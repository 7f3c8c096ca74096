import { ChangeSet, Text } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import type { LinkSuggestion } from "../../src/protocol/operations";
import { moveOffers, type Offers, offersIn, paragraphAt, without } from "../../src/core/offers";

function suggestion(saved: string, text: string, nth = 0): LinkSuggestion {
	const at = saved.split(text).slice(0, nth + 1).join(text).length;
	const start = [...saved.slice(0, at)].length;
	return { target: `${text}.md`, text, lines: [1, 1], span: [start, start + [...text].length], score: 1, why: ["why"] };
}

const texts = (offers: Offers | null): string[] | undefined => offers?.all.map((one) => one.text);

describe("a paragraph", () => {
	const lines = ["One", "two", "", "  ", "Three"];

	test.each([
		[0, [0, 1]],
		[1, [0, 1]],
		[4, [4, 4]],
	])("around line %i", (line, found) => {
		expect(paragraphAt(lines, line)).toEqual(found);
	});

	test("is not where nothing is", () => {
		expect(paragraphAt(lines, 2)).toBeNull();
		expect(paragraphAt(lines, 3)).toBeNull();
	});
});

describe("suggestions", () => {
	test("are found where the editor has them, beyond emoji and other ends of lines", () => {
		const saved = "# 🥖🥖\r\n\r\nrye 🍞 and oats\r\n";
		const text = saved.replaceAll("\r\n", "\n");
		const offers = offersIn(saved, text, [suggestion(saved, "oats"), suggestion(saved, "rye")], 0, text.length);
		expect(offers.map((one) => text.slice(one.from, one.to))).toEqual(["rye", "oats"]);
	});

	test("are left out where they stand elsewhere, or something else stands there", () => {
		const saved = "rye\n\noats and spelt\n";
		const all = ["rye", "oats", "spelt"].map((text) => suggestion(saved, text));
		expect(offersIn(saved, saved, all, 5, 19).map((one) => one.text)).toEqual(["oats", "spelt"]);
		expect(offersIn(saved, saved.replace("oats", "rice"), all, 5, 19).map((one) => one.text)).toEqual(["spelt"]);
	});

	test("do not share words", () => {
		const saved = "old rye starter";
		const all = [suggestion(saved, "rye starter"), suggestion(saved, "old rye")];
		expect(offersIn(saved, saved, all, 0, saved.length).map((one) => one.text)).toEqual(["old rye"]);
	});
});

describe("offers", () => {
	const text = "Before.\n\nrye and oats\n\nAfter.\n";
	const all = offersIn(text, text, [suggestion(text, "rye"), suggestion(text, "oats")], 9, 21);
	const offers: Offers = { from: 9, to: 21, all };
	const change = (from: number, to: number, insert: string): ChangeSet => ChangeSet.of({ from, to, insert }, text.length);
	const said = (offers: Offers | null, changes: ChangeSet): string[] | undefined => {
		const now = changes.apply(Text.of(text.split("\n"))).toString();
		return offers?.all.map((one) => now.slice(one.from, one.to));
	};

	test("move with what is written above, and stay with what is written below", () => {
		const above = change(0, 6, "Long before");
		expect(said(moveOffers(offers, above), above)).toEqual(["rye", "oats"]);
		const below = change(23, 23, "Much ");
		expect(moveOffers(offers, below)).toEqual(offers);
	});

	test.each([
		[12, 12],
		[9, 9],
		[21, 21],
		[0, 30],
	])("vanish when the paragraph is edited, from %i to %i", (from, to) => {
		expect(moveOffers(offers, change(from, to, to - from > 20 ? "" : "x"))).toBeNull();
	});

	test("that were made leave the others where they are now", () => {
		const made = change(9, 12, "[[Rye|rye]]");
		const left = without(offers, all.slice(0, 1), made);
		expect(texts(left)).toEqual(["oats"]);
		expect(said(left, made)).toEqual(["oats"]);
		expect(left?.from).toBe(9);
		expect(without(offers, all, made)).toBeNull();
	});
});
