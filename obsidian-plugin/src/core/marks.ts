import type { ShownHunk } from "../protocol/operations";

/** What a change left in a text, counted in UTF-16 units. */
export interface Marks {
	/** Where something came, from and to. */
	readonly added: readonly (readonly [number, number])[];
	/** Where something went and nothing came. */
	readonly removed: readonly number[];
	/** Parts of the change that are not there, or not any more. */
	readonly missing: number;
}

/** Find in a text what a change left there; a part that was moved since is found if it is the only one of its kind. */
export function marks(text: string, hunks: readonly ShownHunk[]): Marks {
	const added: [number, number][] = [];
	const removed: number[] = [];
	let missing = 0;
	for (const { after, words } of hunks) {
		let at = placeOf(text, after[0], words.flatMap(({ kind, text: run }) => (kind === "removed" ? [] : [normalizeBreaks(run)])).join(""));
		if (at === null) {
			missing += 1;
			continue;
		}
		for (const [index, { kind, text: run }] of words.entries()) {
			const length = kind === "removed" ? 0 : normalizeBreaks(run).length;
			if (kind === "added" && run.trim() !== "") added.push(trimRun(normalizeBreaks(run), at));
			if (kind === "removed" && run.trim() !== "" && words[index + 1]?.kind !== "added") removed.push(at);
			at += length;
		}
	}
	return { added, removed, missing };
}

/** The first place that a change left something at; null when it left nothing that can be seen. */
export function firstPlace({ added, removed }: Marks): number | null {
	const places = [...added.map(([from]) => from), ...removed];
	return places.length === 0 ? null : Math.min(...places);
}

function placeOf(text: string, line: number, wanted: string): number | null {
	const begins = startOf(text, line);
	if (text.startsWith(wanted, begins)) return begins;
	const found = wanted.trim() === "" ? -1 : text.indexOf(wanted);
	return found !== -1 && text.indexOf(wanted, found + 1) === -1 ? found : null;
}

/** Where a line begins, counted from 1; the end of the text when there are not so many. */
function startOf(text: string, line: number): number {
	let at = 0;
	for (let left = line - 1; left > 0; left--) {
		const end = text.indexOf("\n", at);
		if (end === -1) return text.length;
		at = end + 1;
	}
	return at;
}

/** An editor has one character for each line break. */
function normalizeBreaks(text: string): string {
	return text.replaceAll("\r\n", "\n");
}

function trimRun(run: string, at: number): [number, number] {
	return [at + run.length - run.trimStart().length, at + run.trimEnd().length];
}
