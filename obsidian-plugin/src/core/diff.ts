import type { Words } from "../protocol/operations";

/** What a diff changes in one file, without what stays around it. */
export interface FileDiff {
	readonly path: string;
	readonly words: readonly Words[];
}

const WORDS = /[\p{L}\p{M}\p{N}]+|./gsu;

/** Read a unified diff: the lines that differ, file by file; where one came for each that went, word by word. */
export function parseDiff(diff: string): readonly FileDiff[] {
	const files: { path: string; words: Words[] }[] = [];
	let [went, came]: [string[], string[]] = [[], []];
	const settle = (): void => {
		const even = went.length === came.length;
		const all = even ? went.flatMap((line, at) => compareLines(line, came[at] ?? "")) : [...went.map(wholeLine("removed")), ...came.map(wholeLine("added"))];
		files.at(-1)?.words.push(...all);
		[went, came] = [[], []];
	};
	let before = "";
	for (const line of diff.split("\n")) {
		if (line.startsWith("+++ b/")) files.push({ path: line.slice("+++ b/".length), words: [] });
		else if (line === "+++ /dev/null") files.push({ path: before, words: [] });
		else if (line.startsWith("--- a/") || line === "--- /dev/null") {
			settle();
			before = line.slice("--- a/".length);
		} else if (line.startsWith("@@")) settle();
		else if (line.startsWith("-")) went.push(line.slice(1));
		else if (line.startsWith("+")) came.push(line.slice(1));
		else settle();
	}
	settle();
	return files;
}

function wholeLine(kind: Words["kind"]): (line: string) => Words {
	return (line) => ({ kind, text: `${line}\n` });
}

/** Two lines as one: the words that they begin and end with alike, and between those what went and what came. */
function compareLines(old: string, fresh: string): readonly Words[] {
	const [one, other] = [old.match(WORDS) ?? [], fresh.match(WORDS) ?? []];
	const most = Math.min(one.length, other.length);
	const start = countWhile(most, (at) => one[at] === other[at]);
	const end = countWhile(most - start, (at) => one.at(-1 - at) === other.at(-1 - at));
	const parts: readonly Words[] = [
		{ kind: "same", text: one.slice(0, start).join("") },
		{ kind: "removed", text: one.slice(start, one.length - end).join("") },
		{ kind: "added", text: other.slice(start, other.length - end).join("") },
		{ kind: "same", text: `${one.slice(one.length - end).join("")}\n` },
	];
	return parts.filter(({ text }) => text !== "");
}

function countWhile(most: number, holds: (at: number) => boolean): number {
	let count = 0;
	while (count < most && holds(count)) count += 1;
	return count;
}

/** A line of a hunk as it is read: what stayed, what went and what came. */
export interface Line {
	readonly kind: "same" | "removed" | "added" | "both";
	readonly runs: readonly Words[];
}

/** Stands for a line's end that went or came where nothing else would show it. */
export const LINE_END = "↵";

const KEPT = 160;

/** Cut what differs into lines; each keeps its own direction, and long stretches that stayed are shortened. */
export function toLines(words: readonly Words[]): readonly Line[] {
	const all: Words[][] = [[]];
	for (const { kind, text } of words) {
		for (const [at, piece] of text.split("\n").entries()) {
			if (at > 0) end(all, kind);
			if (piece !== "") all.at(-1)?.push({ kind, text: piece });
		}
	}
	if (all.at(-1)?.length === 0) all.pop();
	return all.map((runs) => ({ kind: kindOf(runs), runs: runs.map((run, at) => shortenRun(run, at === 0, at === runs.length - 1)) }));
}

/** How many of the lines fit into so many rows of so many characters; always one at least. */
export function countFitting(all: readonly Line[], rows: number, width = 50): number {
	let left = rows;
	const fit = all.findIndex(({ runs }) => {
		left -= Math.max(1, Math.ceil(runs.reduce((sum, { text }) => sum + text.length, 0) / width));
		return left < 0;
	});
	return fit === -1 ? all.length : Math.max(fit, 1);
}

/** How many lines stand unchanged before the first that is not. */
export function unchangedBefore(words: readonly Words[]): number {
	const [first] = words;
	return first?.kind === "same" ? first.text.split("\n").length - 1 : 0;
}

function end(all: Words[][], kind: Words["kind"]): void {
	const line = all.at(-1);
	if (kind !== "same" && (line?.length === 0 || line?.every((run) => run.kind !== kind))) line?.push({ kind, text: LINE_END });
	all.push([]);
}

function kindOf(runs: readonly Words[]): Line["kind"] {
	const kinds = new Set(runs.map((run) => run.kind));
	const [only] = kinds;
	return kinds.size === 1 && only !== undefined ? only : kinds.size === 0 ? "same" : "both";
}

/** Keep of a stretch that stayed only what is beside a change. */
function shortenRun(run: Words, first: boolean, last: boolean): Words {
	const letters = run.kind === "same" ? [...run.text] : [];
	if (letters.length <= 2 * KEPT) return run;
	const before = first && !last ? "" : letters.slice(0, KEPT).join("");
	const after = last ? "" : letters.slice(-KEPT).join("");
	return { kind: "same", text: `${before} … ${after}` };
}
