import type { ModelSetup, VaultStatus } from "../protocol/operations";

export interface Progress {
	/** From 0 to 1. */
	readonly done: number;
	/** What a person should know though nothing is left to do. */
	readonly note: string | null;
}

/** Say how far the index of a vault is. */
export function progress(vault: VaultStatus): Progress {
	if (vault.trouble !== null) return { done: 1, note: vault.trouble };
	if (!vault.ready.keyword || vault.pending.keyword > 0) {
		return { done: share(vault.notes, vault.pending.keyword) / 2, note: null };
	}
	if (vault.model_setup) return { done: 1, note: describeSetup(vault.model_setup) };
	if (vault.model === null && vault.model_known === false) return { done: 0.5, note: null };
	if (vault.model === null) return { done: 1, note: "Search is by words only: no model is installed." };
	if (vault.paused) return { done: 1, note: "Embedding is paused." };
	const missing = vault.pending.vectors;
	return missing > 0 ? { done: 0.5 + share(vault.passages - missing, missing) / 2, note: null } : { done: 1, note: null };
}

/** How far a download is changes without an event: the status pane shows it. */
function describeSetup({ state, message }: ModelSetup): string {
	return state === "running" ? "Search is by words until the model is there." : `Search is by words only: ${message}`;
}

/** The share that is done; what has not begun is not done, and what has an end is not yet at it. */
function share(done: number, left: number): number {
	return done + left > 0 ? Math.min(Math.max(done, 0) / (done + left), 0.999) : 0;
}
