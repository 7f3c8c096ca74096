export interface Part {
	readonly text: string;
	readonly marked: boolean;
}

/** Around words that match, in snippets. */
export const MARK = "==";
/** Around titles, in reasons. */
export const TITLE = "*";

/** Cut a text into plain and marked parts; a mark without its other half is plain text. */
export function parts(snippet: string, mark = MARK): readonly Part[] {
	const pieces = snippet.split(mark);
	// An even number of pieces has an odd mark, which is the last.
	if (pieces.length % 2 === 0) pieces.push(pieces.splice(-2).join(mark));
	return pieces.map((text, at) => ({ text, marked: at % 2 === 1 })).filter((part) => part.text !== "");
}

/** The snippet without marks. */
export function unmarked(snippet: string): string {
	return parts(snippet)
		.map((part) => part.text)
		.join("");
}
