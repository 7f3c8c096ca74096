import type { Answer } from "../client/client";
import type { Hit, SearchArguments } from "../protocol/operations";

export type Question = Omit<SearchArguments, "mode">;

export interface LiveAnswer {
	readonly question: Question;
	readonly answer: Answer<"search"> | Answer<"pick_link">;
	/** Whether meaning was asked too, so that nothing better follows. */
	readonly final: boolean;
}

/**
 * Asks as somebody types: words at once, as they are quick, then meaning when nothing was typed for a while; always one
 * call at a time, the newest next, so that fast typing asks no more than the bridge can answer.
 */
export class LiveSearch {
	#wanted: Question | null = null;
	#current: Question | null = null;
	#busy = false;
	#resume: (() => void) | null = null;

	/** @param pause Waits for as long as it may take until the next key. */
	constructor(
		private readonly search: (given: SearchArguments) => Promise<Answer<"search"> | Answer<"pick_link">>,
		private readonly onAnswer: (found: LiveAnswer) => void,
		private readonly pause: () => Promise<void>,
	) {}

	/** Ask this, in place of whatever was asked before. */
	ask(question: Question): void {
		this.#wanted = question;
		this.#resume?.();
		if (!this.#busy) void this.#work();
	}

	/** Want nothing any more. */
	stop(): void {
		this.#wanted = null;
		this.#current = null;
	}

	async #work(): Promise<void> {
		this.#busy = true;
		while (this.#wanted !== null) {
			const question: Question = this.#wanted;
			this.#wanted = null;
			this.#current = question;
			const quick = await this.search({ ...question, mode: "keyword" });
			if (this.#current !== question) continue;
			this.onAnswer({ question, answer: quick, final: !quick.ok });
			if (!quick.ok || this.#isOutdated(question)) continue;
			await this.#pause();
			if (this.#isOutdated(question)) continue;
			const better = await this.search({ ...question, mode: "hybrid" });
			if (!this.#isOutdated(question)) this.onAnswer({ question, answer: better, final: true });
		}
		this.#busy = false;
	}

	/** Wait for the pause, or for the next key. */
	async #pause(): Promise<void> {
		const asked = new Promise<void>((resolve) => (this.#resume = resolve));
		await Promise.race([this.pause(), asked]);
		this.#resume = null;
	}

	#isOutdated(question: Question): boolean {
		return this.#wanted !== null || this.#current !== question;
	}
}

/**
 * Put a better answer in place of what is shown, without moving what a person has come to.
 *
 * @param shown What is on the screen.
 * @param better What replaces it, best first.
 * @param held How many of the first hits stay where they are.
 */
export function refine(shown: readonly Hit[], better: readonly Hit[], held: number): readonly Hit[] {
	const fresh = new Map(better.map((hit) => [hit.path, hit]));
	const kept = shown.slice(0, held).map((hit) => fresh.get(hit.path) ?? hit);
	const paths = new Set(kept.map((hit) => hit.path));
	return [...kept, ...better.filter((hit) => !paths.has(hit.path))];
}
