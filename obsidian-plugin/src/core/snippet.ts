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
export function stripMarks(snippet: string): string {
	return parts(snippet)
		.map((part) => part.text)
		.join("");
}

/** As many letters stand before the first mark of a line that is cut to one. */
const BEFORE = 24;

/** The line of a snippet in which something is marked, from shortly before the mark; else its first line. */
export function markedLine(snippet: string): string {
	const lines = snippet.split("\n").filter((line) => line.trim() !== "");
	const line = lines.find((one) => parts(one).some(({ marked }) => marked)) ?? lines[0] ?? "";
	const [before, marked] = parts(line);
	const letters = [...(before?.text ?? "")];
	if (before === undefined || before.marked || marked === undefined || letters.length <= BEFORE) return line;
	const kept = letters.slice(-BEFORE).join("").replace(/^\S{0,12} /, "");
	return `…${kept}${line.slice(before.text.length)}`;
}
