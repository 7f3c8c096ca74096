import type { FindNotesArguments, Hit, ListedNote, VaultStatus } from "../../protocol/operations";
import { type Filters, filterArguments } from "../filters";
import { age, countType } from "./note-labels";

/** Notes that are listed at a time. */
export const PAGE = 50;

/**
 * Write the filters as arguments of `find_notes` at this moment: a page of the notes that pass, the newest first.
 *
 * @param templates The folder of templates, which are listed only where somebody looks for them; null without one.
 */
export function newestArguments(filters: Filters, now: number, offset: number, templates: string | null): FindNotesArguments {
	const isAsked = templates === null || `${filters.folder ?? ""}/`.startsWith(`${templates}/`);
	const where = isAsked ? {} : { where: `!file.inFolder(${JSON.stringify(templates)})` };
	return { ...filterArguments(filters, now), ...where, sort: "-modified", limit: PAGE, offset, excerpts: true };
}

/** A listed note as a hit that says how the note begins. */
export function toHit({ path, title, tags, modified, digest, excerpt }: ListedNote): Hit {
	return { path, title, heading: "", lines: [1, 1], snippet: excerpt ?? "", score: 0, why: [], tags, modified, digest };
}

/** Types that are counted by name. */
const NAMED = 4;

/** Say what a vault holds and how current its index is: "47 notes · journal 12 · indexed 2 min ago". */
export function describeStats({ notes, types = {}, pending, indexed }: VaultStatus, now: number): string {
	const named = Object.entries(types).slice(0, NAMED).map(([type, count]) => `${type} ${count.toLocaleString()}`);
	const left = pending.keyword > 0 ? [`${pending.keyword.toLocaleString()} to index`] : indexed == null ? [] : [`indexed ${age(indexed, now)}`];
	return [countType("note", notes), ...named, ...left].join(" · ");
}
