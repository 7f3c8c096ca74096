import type { Hit, MadeLink, NoteLinks, NoteMention, Words } from "../protocol/operations";
import type { Quote } from "./quotes";

/** Related notes by whether a link joins them with the note already. */
export interface Told {
	readonly unlinked: readonly Hit[];
	readonly linked: readonly Hit[];
}

/** Tell linked notes from those that are not, without what is hidden. */
export function sortHits(hits: readonly Hit[], links: Pick<NoteLinks, "links" | "backlinks"> | null, hidden: readonly string[]): Told {
	const joined = new Set([...(links?.links ?? []), ...(links?.backlinks ?? [])].map(({ path }) => path));
	const shown = hits.filter(({ path }) => !hidden.includes(path));
	return { unlinked: shown.filter(({ path }) => !joined.has(path)), linked: shown.filter(({ path }) => joined.has(path)) };
}

/** The first place of each note that says a note's name and does not link to it. */
export function unlinkedMentions({ backlinks, mentions }: Pick<NoteLinks, "backlinks" | "mentions">): readonly NoteMention[] {
	const seen = new Set(backlinks.map(({ path }) => path));
	const found: NoteMention[] = [];
	for (const mention of mentions ?? []) {
		if (seen.has(mention.path)) continue;
		seen.add(mention.path);
		found.push(mention);
	}
	return found;
}

/** A link that may be made: words that shall lead to a note. */
export interface Missing {
	readonly target: string;
	readonly text: string;
	readonly span: readonly [number, number];
	readonly quote: Quote | null;
}

/** A link that an edit would make, to be read like a part of a change. */
export interface Proposed {
	readonly missing: Missing;
	readonly line: number;
	readonly words: readonly Words[];
}

/** Write the links that an edit would make so that they can be read, in its order. */
export function describeProposals(made: readonly MadeLink[], chosen: readonly Missing[]): readonly Proposed[] {
	return made.flatMap(({ target, line, link }) => {
		const missing = chosen.find((one) => one.target === target);
		if (missing === undefined) return [];
		const { before, text: said, after } = missing.quote ?? { before: "", text: missing.text, after: "" };
		const words: readonly Words[] = [
			{ kind: "same", text: before },
			{ kind: "removed", text: said },
			{ kind: "added", text: link },
			{ kind: "same", text: after },
		];
		return [{ missing, line, words: words.filter(({ text }) => text !== "") }];
	});
}
