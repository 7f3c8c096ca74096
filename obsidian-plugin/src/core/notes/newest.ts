import type { FindNotesArguments, Hit, ListedNote } from "../../protocol/operations";
import { type Filters, filterArguments } from "../filters";

/** Notes that are listed at a time. */
export const PAGE = 50;

/** Write the filters as arguments of `find_notes` at this moment: a page of the notes that pass, the newest first. */
export function newestArguments(filters: Filters, now: number, offset: number): FindNotesArguments {
	return { ...filterArguments(filters, now), sort: "-modified", limit: PAGE, offset, excerpts: true };
}

/** A listed note as a hit that says how the note begins. */
export function asHit({ path, title, tags, modified, digest, excerpt }: ListedNote): Hit {
	return { path, title, heading: "", lines: [1, 1], snippet: excerpt ?? "", score: 0, why: [], tags, modified, digest };
}
