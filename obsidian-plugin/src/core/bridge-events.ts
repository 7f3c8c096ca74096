import type { BridgeEvent, IndexProgress } from "../protocol/events";

/**
 * Whether links may be others after an event. Embedding, which tells of itself all the time, changes none; many notes
 * that change together tell of themselves by progress alone.
 *
 * @param before The progress that was told last.
 */
export function changesLinks(event: BridgeEvent, before: IndexProgress | null): boolean {
	if (event.kind === "note_changed" || event.kind === "reset" || event.kind === "settings_changed") return true;
	if (event.kind !== "index_progress") return false;
	const { notes, pending } = event;
	return before === null || notes !== before.notes || pending.keyword !== before.pending.keyword || pending.vectors > before.pending.vectors;
}

/** Whether an event may change what waits, or what was decided. */
export function changesDecisions(kind: string): boolean {
	return /^(change_|dec)/.test(kind);
}
