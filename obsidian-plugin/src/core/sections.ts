/** A heading of a note as it is saved; its line counts from 0. */
export interface Heading {
	readonly heading: string;
	readonly level: number;
	readonly line: number;
}

/** The part of a note below one of its headings, up to the next. */
export interface Section {
	readonly heading: string;
	/** How many of the same heading stand above it. */
	readonly nth: number;
	/** A line of it in the saved note, from 1: as far below the heading as the cursor is. */
	readonly line: number;
}

const ATX = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;

/**
 * Find the section of the saved note that a line of its editor is in; null above the first heading.
 *
 * What is not saved yet may have moved the lines, so that a heading is found by its words; one that is not saved counts
 * for nothing, and neither does what only looks like one, in code.
 *
 * @param editor The lines in the editor.
 * @param at The line of the cursor, from 0.
 * @param saved The headings of the saved note, in order.
 */
export function sectionAt(editor: readonly string[], at: number, saved: readonly Heading[]): Section | null {
	for (let line = at; line >= 0; line--) {
		const [found, nth] = savedAt(editor, line, saved);
		if (found === undefined) continue;
		const next = saved.find((heading) => heading.line > found.line);
		const last = next === undefined ? Infinity : next.line - 1;
		return { heading: found.heading, nth, line: Math.min(found.line + at - line, last) + 1 };
	}
	return null;
}

/**
 * Find the heading of the saved note that a line of its editor is.
 *
 * @returns The headings above it and its own, outermost first; none when the line is no heading that is saved.
 */
export function headingAt(editor: readonly string[], at: number, saved: readonly Heading[]): readonly string[] {
	const [found] = savedAt(editor, at, saved);
	if (found === undefined) return [];
	const chain = [found];
	for (const heading of saved.slice(0, saved.indexOf(found)).reverse()) if (heading.level < (chain[0]?.level ?? 0)) chain.unshift(heading);
	return chain.map(({ heading }) => heading);
}

/** The saved heading that a line of the editor is, and how many of the same stand above it. */
function savedAt(editor: readonly string[], line: number, saved: readonly Heading[]): readonly [Heading | undefined, number] {
	const alike = findHeadings(editor, line, saved);
	const exact = alike.findIndex((heading) => heading.line === line);
	const nth = exact === -1 && alike.length > 0 ? Math.min(above(editor, line, saved), alike.length - 1) : exact;
	return [alike[nth], nth];
}

/** The saved headings that a line may be. */
function findHeadings(editor: readonly string[], line: number, saved: readonly Heading[]): readonly Heading[] {
	const text = editor[line] ?? "";
	const found = ATX.exec(text);
	if (found !== null) return saved.filter(({ heading, level }) => level === found[1]?.length && heading === found[2]);
	if (!UNDERLINE.test(editor[line + 1] ?? "")) return [];
	return saved.filter(({ heading }) => heading === text.trim());
}

/** How many of the same heading stand above a line of the editor. */
function above(editor: readonly string[], line: number, saved: readonly Heading[]): number {
	const [same] = findHeadings(editor, line, saved);
	return editor.slice(0, line).filter((_, other) => findHeadings(editor, other, saved)[0] === same).length;
}
