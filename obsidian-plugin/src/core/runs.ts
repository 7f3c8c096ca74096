import type { Words } from "../protocol/operations";

/** A line of a hunk as it is read: what stayed, what went and what came. */
export interface Line {
	readonly kind: "same" | "removed" | "added" | "both";
	readonly runs: readonly Words[];
}

/** Stands for a line's end that went or came where nothing else would show it. */
export const LINE_END = "↵";

const KEPT = 160;

/** Cut what differs into lines; each keeps its own direction, and long stretches that stayed are shortened. */
export function lines(words: readonly Words[]): readonly Line[] {
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
