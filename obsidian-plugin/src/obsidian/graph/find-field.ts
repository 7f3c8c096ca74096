import { SearchComponent } from "obsidian";
import type { Host } from "../host";

/** Notes that a search by meaning may add to those whose titles fit: the best, as it finds something for everything. */
const MAX_SEARCHED_NOTES = 12;
const SETTLE_MS = 250;

/** What was typed, and what a search found for it. */
export interface FindEar {
	readonly typed: (text: string, paths: ReadonlySet<string>) => void;
	/** Go to the next of what was found. */
	readonly next: () => void;
}

/** The field above the graph: titles answer while one types, then a search by words and meaning. */
export class FindField {
	readonly #input: SearchComponent;
	#timer: number | undefined;
	#round = 0;

	constructor(
		parent: HTMLElement,
		private readonly host: Host,
		private readonly ear: FindEar,
	) {
		this.#input = new SearchComponent(parent).setPlaceholder("Find in the graph…").onChange((text) => this.#typed(text));
		this.#input.inputEl.setAttr("aria-label", "Find in the graph");
		this.#input.inputEl.addEventListener("keydown", (event) => {
			if (event.isComposing) return;
			if (event.key === "Enter") ear.next();
			else if (event.key === "Escape" && this.#input.getValue() !== "") this.#empty();
			else return;
			event.preventDefault();
		});
	}

	/** Ask for nothing any more. */
	stop(): void {
		window.clearTimeout(this.#timer);
		this.#round += 1;
	}

	#empty(): void {
		this.#input.setValue("");
		this.#typed("");
	}

	#typed(text: string): void {
		this.stop();
		this.ear.typed(text, new Set());
		if (text.trim() === "") return;
		this.#timer = window.setTimeout(() => void this.#search(text), SETTLE_MS);
	}

	async #search(query: string): Promise<void> {
		const round = this.#round;
		const answer = await this.host.link.call("search", { query, limit: MAX_SEARCHED_NOTES });
		if (round === this.#round && answer.ok) this.ear.typed(query, new Set(answer.result.hits.map((hit) => hit.path)));
	}
}
