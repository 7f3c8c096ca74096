import type { Reported } from "../protocol/operations";

export const QUIET_MS = 300;
export const MAX_WAIT_MS = 2000;
export const BATCH = 500;

/** Changes of the vault that wait to be told, in order, several saves of one note as one. */
export class ChangeQueue {
	#pending: Reported[] = [];
	readonly #saved = new Set<string>();
	#oldest: number | null = null;

	get size(): number {
		return this.#pending.length;
	}

	/** Add one that happened now, a time in milliseconds. */
	add(change: Reported, now: number): void {
		this.#oldest ??= now;
		if (change.kind === "upsert") {
			if (this.#saved.has(change.path)) return;
			this.#saved.add(change.path);
		} else {
			// A save must not move across a rename or a removal.
			this.#saved.clear();
		}
		this.#pending.push(change);
	}

	/** Milliseconds after which to tell: when it was quiet for a while, or the first has waited long. */
	due(now: number): number {
		return this.#oldest === null ? 0 : Math.max(0, Math.min(QUIET_MS, this.#oldest + MAX_WAIT_MS - now));
	}

	/** Take everything, in batches. */
	take(): readonly (readonly Reported[])[] {
		const all = this.#pending;
		this.forget();
		return Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH));
	}

	/** Forget everything; the next snapshot says it. */
	forget(): void {
		this.#pending = [];
		this.#saved.clear();
		this.#oldest = null;
	}
}

const SUFFIXES = [".md", ".canvas", ".pdf", ".excalidraw"];

/** Whether the bridge reads a file for search. */
export function isDocument(path: string): boolean {
	const lower = path.toLowerCase();
	return SUFFIXES.some((suffix) => lower.endsWith(suffix));
}
