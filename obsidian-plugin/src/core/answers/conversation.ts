import type { VaultAnswer } from "../../protocol/operations";

/** A question that was asked, and its answer as soon as there is one. */
export interface Asked {
	readonly question: string;
	readonly answer: VaultAnswer | null;
}

/** Questions that the bridge is told of. */
const REMEMBERED = 6;

/** The questions and answers that came before, as the bridge takes them. */
export function historyOf(asked: readonly Asked[]): { question: string; answer: string }[] {
	return asked.flatMap(({ question, answer }) => (answer === null || answer.answer === "" ? [] : [{ question, answer: answer.answer }])).slice(-REMEMBERED);
}

/**
 * Write an answer as a note would have it: with links in place of numbers, and quotes as quotes.
 *
 * @param linkTo Writes a link to a place in a note.
 */
export function asMarkdown({ answer, mode_used, sentences, citations, context }: VaultAnswer, linkTo: (path: string) => string): string {
	const linkOf = (number: number): string | undefined => {
		const source = [...citations, ...context].find((one) => one.number === number);
		return source?.path === "" ? source.tool : source && linkTo(source.path);
	};
	const links = (cites: readonly number[]): string => {
		const found = new Set(cites.map(linkOf).filter((link) => link !== undefined));
		return found.size === 0 ? "" : ` (${[...found].join(", ")})`;
	};
	if (sentences.length === 0) return answer;
	if (mode_used === "extract") return sentences.map(({ text, cites }) => `> ${text}${links(cites)}`).join("\n\n");
	return sentences.map(({ text, cites, supported }) => `${text}${links(cites)}${supported ? "" : " *(not in these notes)*"}`).join(" ");
}

/** The name of a note that keeps an answer: its question, without what a file name may not have. */
export function nameOf(question: string): string {
	return question.replaceAll(/[\\/:*?"<>|#^[\]]/g, " ").replaceAll(/\s+/g, " ").trim().slice(0, 80).trim();
}

/** What is typed of a note or folder after an `@` before the cursor; null when nothing is. */
export function mentionBefore(text: string): string | null {
	return /(?:^|\s)@([^@[\]\n]*)$/.exec(text)?.[1] ?? null;
}

/** Put a note or folder in place of what was typed of it. */
export function withMention(before: string, after: string, mention: string): { readonly text: string; readonly cursor: number } {
	const head = before.replace(/@[^@[\]\n]*$/, `${mention} `);
	return { text: head + after.trimStart(), cursor: head.length };
}

/** How a note or folder is mentioned. */
export function mentionOf(path: string, isFolder: boolean): string {
	if (!isFolder) return `@[[${path.replace(/\.md$/, "")}]]`;
	return path.includes(" ") ? `@"${path}/"` : `@${path}/`;
}
