import type { Answer } from "../bridge/client";
import type { SearchArguments } from "../bridge/operations";

export type Question = Omit<SearchArguments, "mode">;

export interface Found {
	readonly question: Question;
	readonly answer: Answer<"search">;
	/** Whether meaning was asked too, so that nothing better follows. */
	readonly final: boolean;
}

/** Asks as somebody types: words first, as they are quick, then meaning; always one call at a time, the newest next. */
export class Asking {
	private wanted: Question | null = null;
	private asked: Question | null = null;
	private busy = false;

	constructor(
		private readonly search: (given: SearchArguments) => Promise<Answer<"search">>,
		private readonly found: (found: Found) => void,
	) {}

	/** Ask this, in place of whatever was asked before. */
	ask(question: Question): void {
		this.wanted = question;
		if (!this.busy) void this.work();
	}

	/** Want nothing any more. */
	stop(): void {
		this.wanted = null;
		this.asked = null;
	}

	private async work(): Promise<void> {
		this.busy = true;
		while (this.wanted !== null) {
			const question: Question = this.wanted;
			this.wanted = null;
			this.asked = question;
			const quick = await this.search({ ...question, mode: "keyword" });
			if (this.asked !== question) continue;
			this.found({ question, answer: quick, final: !quick.ok });
			if (!quick.ok || this.isOver(question)) continue;
			const better = await this.search({ ...question, mode: "hybrid" });
			if (!this.isOver(question)) this.found({ question, answer: better, final: true });
		}
		this.busy = false;
	}

	private isOver(question: Question): boolean {
		return this.wanted !== null || this.asked !== question;
	}
}
