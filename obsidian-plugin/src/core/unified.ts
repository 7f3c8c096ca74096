import type { Words } from "../protocol/operations";

/** What a diff changes in one file, without what stays around it. */
export interface Changed {
	readonly path: string;
	readonly words: readonly Words[];
}

const WORDS = /[\p{L}\p{M}\p{N}]+|./gsu;

/** Read a unified diff: the lines that differ, file by file; where one came for each that went, word by word. */
export function parseDiff(diff: string): readonly Changed[] {
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
