/** A text as it is read: links by what they show, inline fields with one colon, and without the marks of style. */
export function stripStyle(text: string): string {
	return text
		.replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, "$1")
		.replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replace(/[[(]([^[\]():\n]+)::[ \t]*([^[\]()\n]*)[\])]/g, "$1: $2")
		.replace(/(\*{1,2}|__|==|~~|`)(?=\S)(.*?\S)\1/g, "$2");
}

/** The same of a whole line, without what begins it and without what ends a row of a table. */
export function stripLine(line: string): string {
	return stripRowEnd(stripStyle(stripLineStart(line))).trim();
}

/** A line without what makes it a quote, an item of a list, a task, a heading or a row of a table. */
export function stripLineStart(line: string): string {
	return line.replace(/^[\s>]*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?|^[\s>#|]+/, "");
}

/** A line without the bar that ends a row of a table. */
export function stripRowEnd(line: string): string {
	return line.replace(/\s*\|\s*$/, "");
}

export interface Part {
	readonly text: string;
	readonly marked: boolean;
}

/** Around words that match, in snippets. */
export const MARK = "==";
/** Around titles, in reasons. */
export const TITLE = "*";

/** Cut a text into plain and marked parts; a mark without its other half is plain text. */
export function splitMarked(snippet: string, mark = MARK): readonly Part[] {
	const pieces = snippet.split(mark);
	// An even number of pieces has an odd mark, which is the last.
	if (pieces.length % 2 === 0) pieces.push(pieces.splice(-2).join(mark));
	return pieces.map((text, at) => ({ text, marked: at % 2 === 1 })).filter((part) => part.text !== "");
}

/** The snippet without marks. */
export function stripMarks(snippet: string): string {
	return splitMarked(snippet)
		.map((part) => part.text)
		.join("");
}

/** As many letters stand before the first mark of a line that is cut to one. */
const BEFORE = 24;

/** The line of a snippet in which something is marked, from shortly before the mark; else its first line. */
export function markedLine(snippet: string): string {
	const lines = snippet.split("\n").filter((line) => line.trim() !== "");
	const line = lines.find((one) => splitMarked(one).some(({ marked }) => marked)) ?? lines[0] ?? "";
	const [before, marked] = splitMarked(line);
	const letters = [...(before?.text ?? "")];
	if (before === undefined || before.marked || marked === undefined || letters.length <= BEFORE) return line;
	const kept = letters.slice(-BEFORE).join("").replace(/^\S{0,12} /, "");
	return `…${kept}${line.slice(before.text.length)}`;
}

type CalloutEdit = { readonly op: "prepend"; readonly text: string } | { readonly op: "replace_lines"; readonly lines: readonly [number, number]; readonly text: string };

/** The edit that puts a summary into a note's callout of this type, or into a new one at its top. */
export function calloutEdit(note: string, summary: string): CalloutEdit {
	const text = ["> [!summary]", ...summary.trim().split("\n").map((line) => `> ${line}`.trimEnd())].join("\n");
	const lines = note.split("\n");
	const first = lines.findIndex((line) => /^>\s*\[!summary\]/i.test(line));
	if (first < 0) return { op: "prepend", text };
	const rest = lines.slice(first).findIndex((line) => !line.startsWith(">"));
	return { op: "replace_lines", lines: [first + 1, rest < 0 ? lines.length : first + rest], text };
}
