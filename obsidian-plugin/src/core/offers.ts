import type { LinkSuggestion } from "../protocol/operations";
import { offset } from "./quotes";

/** A link that is offered for words; places count characters of the editor's text. */
export interface Offer {
	readonly from: number;
	readonly to: number;
	readonly text: string;
	readonly target: string;
	readonly why: readonly string[];
}

/** The links that are offered for one paragraph. */
export interface Offers {
	readonly from: number;
	readonly to: number;
	readonly all: readonly Offer[];
}

/** What a change of the text does to places in it, as the editor tells. */
export interface Moved {
	mapPos(at: number, side: -1 | 1): number;
	touchesRange(from: number, to: number): boolean | "cover";
}

/** Find the lines of the paragraph that a line is in, the last one included; null on an empty line. */
export function paragraphAt(lines: readonly string[], line: number): readonly [number, number] | null {
	const empty = (at: number): boolean => (lines[at] ?? "").trim() === "";
	if (empty(line)) return null;
	let [first, last] = [line, line];
	while (!empty(first - 1)) first -= 1;
	while (!empty(last + 1)) last += 1;
	return [first, last];
}

/**
 * Find where in the editor the suggestions for a saved text are, in the order of the text; those that stand elsewhere
 * than in the paragraph, or where the text is another, are left out.
 *
 * @param saved The text that was judged. Its suggestions count code points, and each end of a line as it is in the file.
 * @param text The text in the editor, of which each line ends with one character.
 */
export function offersIn(saved: string, text: string, suggestions: readonly LinkSuggestion[], from: number, to: number): readonly Offer[] {
	const place = (at: number): number => saved.slice(0, offset(saved, at)).replaceAll("\r\n", "\n").length;
	const found = suggestions.map(({ span: [start, end], ...one }) => ({ ...one, from: place(start), to: place(end) }));
	const inside = found.filter((one) => one.from >= from && one.to <= to && text.slice(one.from, one.to) === one.text);
	const ordered = inside.map(({ from, to, text, target, why }) => ({ from, to, text, target, why })).sort((one, other) => one.from - other.from);
	// Of two that share words one can be made.
	return ordered.filter((one, at) => one.from >= Math.max(0, ...ordered.slice(0, at).map((earlier) => earlier.to)));
}

/** The offers after the text around them changed; null when their paragraph did, as what was judged is no more. */
export function moveOffers(offers: Offers, moved: Moved): Offers | null {
	return moved.touchesRange(offers.from, offers.to) === false ? placeOffers(offers, moved) : null;
}

/** The offers after some were made or declined; null when none is left. */
export function without(offers: Offers, settled: readonly Offer[], moved: Moved): Offers | null {
	const all = offers.all.filter((one) => !settled.includes(one));
	return all.length === 0 ? null : placeOffers({ ...offers, all }, moved);
}

function placeOffers({ from, to, all }: Offers, moved: Moved): Offers {
	return {
		from: moved.mapPos(from, -1),
		to: moved.mapPos(to, 1),
		all: all.map((one) => ({ ...one, from: moved.mapPos(one.from, 1), to: moved.mapPos(one.to, -1) })),
	};
}
