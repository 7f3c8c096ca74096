import { SearchComponent } from "obsidian";
import type { Host } from "../host";

/** Notes that a search by meaning may add to those whose titles fit: the best, as it finds something for everything. */
const MAX_SEARCHED_NOTES = 12;
const SETTLE_MS = 250;

/** What was typed, and what a search found for it. */
export interface FindListener {
	readonly onText: (text: string, paths: ReadonlySet<string>) => void;
	/** Go to the next of what was found. */
	readonly onNext: () => void;
}

/** The field above the graph: titles answer while one types, then a search by words and meaning. */
export class FindField {
	readonly #input: SearchComponent;
	#timer: number | undefined;
	#round = 0;

	constructor(
		parent: HTMLElement,
		private readonly host: Host,
		private readonly listener: FindListener,
	) {
		this.#input = new SearchComponent(parent).setPlaceholder("Find in the graph…").onChange((text) => this.#onText(text));
		this.#input.inputEl.setAttr("aria-label", "Find in the graph");
		this.#input.inputEl.addEventListener("keydown", (event) => {
			if (event.isComposing) return;
			if (event.key === "Enter") listener.onNext();
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
		this.#onText("");
	}

	#onText(text: string): void {
		this.stop();
		this.listener.onText(text, new Set());
		if (text.trim() === "") return;
		this.#timer = window.setTimeout(() => void this.#search(text), SETTLE_MS);
	}

	async #search(query: string): Promise<void> {
		const round = this.#round;
		const answer = await this.host.link.call("search", { query, limit: MAX_SEARCHED_NOTES });
		if (round === this.#round && answer.ok) this.listener.onText(query, new Set(answer.result.hits.map((hit) => hit.path)));
	}
}
