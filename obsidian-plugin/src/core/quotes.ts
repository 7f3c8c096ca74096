import { stripLineStart, stripRowEnd, stripStyle } from "./markdown-text";

/** Words of a text, with what stands around them on their line. */
export interface Quote {
	readonly before: string;
	readonly text: string;
	readonly after: string;
}

const AROUND = 120;

/**
 * Quote words of a text; null when other words stand there.
 *
 * @param span First character and the one after the last, as the bridge counts: one for each code point.
 * @param said The words.
 */
export function quoteSpan(text: string, [start, end]: readonly [number, number], said: string): Quote | null {
	const from = offset(text, start);
	const to = offset(text, end, from, start);
	if (text.slice(from, to) !== said) return null;
	const begin = text.lastIndexOf("\n", from - 1) + 1;
	const stop = text.indexOf("\n", to);
	return { before: last(text.slice(begin, from)), text: said, after: first(text.slice(to, stop === -1 ? undefined : stop)) };
}

/** A quote as it is read: links by what they show, without marks of style and of lists. */
export function toPlain({ before, text: said, after }: Quote): Quote {
	return { before: stripStyle(stripLineStart(before)), text: said, after: stripRowEnd(stripStyle(after)) };
}

/** Where a character is, in a text that JavaScript counts otherwise: two for each beyond the basic ones. */
export function offset(text: string, characters: number, at = 0, counted = 0): number {
	for (; counted < characters && at < text.length; counted++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
	return at;
}

function last(text: string): string {
	const letters = [...text.trimStart()];
	if (letters.length <= AROUND) return letters.join("");
	const cut = letters.slice(-AROUND).join("");
	return `… ${cut.slice(cut.indexOf(" ") + 1)}`;
}

function first(text: string): string {
	const letters = [...text.trimEnd()];
	if (letters.length <= AROUND) return letters.join("");
	const cut = letters.slice(0, AROUND).join("");
	const space = cut.lastIndexOf(" ");
	return `${space === -1 ? cut : cut.slice(0, space)} …`;
}
