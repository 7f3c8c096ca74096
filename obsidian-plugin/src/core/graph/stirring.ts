import type { Pushed } from "../../bridge/sse";

/** How far the bridge was when it last told. */
export interface Progress {
	readonly notes: number;
	readonly words: number;
	readonly vectors: number;
}

/** What an event tells of progress; null when it tells of something else. */
export function progressOf({ kind, data }: Pushed): Progress | null {
	if (kind !== "index_progress") return null;
	const { notes, pending } = JSON.parse(data) as { readonly notes: number; readonly pending: { readonly keyword: number; readonly vectors: number } };
	return { notes, words: pending.keyword, vectors: pending.vectors };
}

/**
 * Whether links may be others after an event. Embedding, which tells of itself all the time, changes none; many notes
 * that change together tell of themselves by progress alone.
 *
 * @param before The progress that was told last.
 */
export function stirs(event: Pushed, before: Progress | null): boolean {
	if (event.kind === "note_changed" || event.kind === "reset" || event.kind === "settings_changed") return true;
	const now = progressOf(event);
	if (now === null) return false;
	return before === null || now.notes !== before.notes || now.words !== before.words || now.vectors > before.vectors;
}
