/** Two notes are picked one after the other; between, the first waits for the second. */
export type Picking = { readonly from: string } | null;

/** What follows when a note is picked: it waits, or the way from the first to it is shown. */
export function pickNote(before: Picking, path: string): { readonly now: Picking; readonly way: readonly [string, string] | null } {
	if (before === null) return { now: { from: path }, way: null };
	// The same note again takes it back.
	return { now: null, way: before.from === path ? null : [before.from, path] };
}
