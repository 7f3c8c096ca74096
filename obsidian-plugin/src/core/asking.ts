import type { Answer } from "../client/client";
import type { SearchArguments } from "../protocol/operations";

export type Question = Omit<SearchArguments, "mode">;

export interface Found {
	readonly question: Question;
	readonly answer: Answer<"search"> | Answer<"pick_link">;
	/** Whether meaning was asked too, so that nothing better follows. */
	readonly final: boolean;
}

/**
 * Asks as somebody types: words at once, as they are quick, then meaning when nothing was typed for a while; always one
 * call at a time, the newest next, so that fast typing asks no more than the bridge can answer.
 */
export class Asking {
	#wanted: Question | null = null;
	#asked: Question | null = null;
	#busy = false;
	#goOn: (() => void) | null = null;

	/** @param pause Waits for as long as it may take until the next key. */
	constructor(
		private readonly search: (given: SearchArguments) => Promise<Answer<"search"> | Answer<"pick_link">>,
		private readonly found: (found: Found) => void,
		private readonly pause: () => Promise<void>,
	) {}

	/** Ask this, in place of whatever was asked before. */
	ask(question: Question): void {
		this.#wanted = question;
		this.#goOn?.();
		if (!this.#busy) void this.#work();
	}

	/** Want nothing any more. */
	stop(): void {
		this.#wanted = null;
		this.#asked = null;
	}

	async #work(): Promise<void> {
		this.#busy = true;
		while (this.#wanted !== null) {
			const question: Question = this.#wanted;
			this.#wanted = null;
			this.#asked = question;
			const quick = await this.search({ ...question, mode: "keyword" });
			if (this.#asked !== question) continue;
			this.found({ question, answer: quick, final: !quick.ok });
			if (!quick.ok || this.#isOver(question)) continue;
			await this.#quiet();
			if (this.#isOver(question)) continue;
			const better = await this.search({ ...question, mode: "hybrid" });
			if (!this.#isOver(question)) this.found({ question, answer: better, final: true });
		}
		this.#busy = false;
	}

	/** Wait for the pause, or for the next key. */
	async #quiet(): Promise<void> {
		const asked = new Promise<void>((resolve) => (this.#goOn = resolve));
		await Promise.race([this.pause(), asked]);
		this.#goOn = null;
	}

	#isOver(question: Question): boolean {
		return this.#wanted !== null || this.#asked !== question;
	}
}
