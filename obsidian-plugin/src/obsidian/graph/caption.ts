import type { ViewNode } from "../../protocol/operations";
import type { LinkSentence } from "../../core/graph/link-sentences";
import { folderOf } from "../../core/place";
import { addSmallLine, addStatusLine } from "../lines";

const SETTLE_MS = 120;

/** Below the picture: what the pointer or the keyboard is on, and the sentence that joins it. */
export class Caption {
	readonly #el: HTMLElement;
	#timer: number | undefined;
	#round = 0;

	constructor(parent: HTMLElement) {
		this.#el = addStatusLine(parent, "vaultside-graph-tell");
	}

	/** Tell of a node; the sentence follows when the pointer stays. */
	node(node: ViewNode, sentence: () => Promise<LinkSentence | null>): void {
		const facts = [node.path === null ? "Not written yet" : folderOf(node.path), `${node.joined} ${node.joined === 1 ? "link" : "links"}`];
		this.#show(node.title, facts.filter((fact) => fact !== "").join(" · "), sentence);
	}

	edge(source: ViewNode, target: ViewNode, sentence: () => Promise<LinkSentence | null>): void {
		this.#show(`${source.title} → ${target.title}`, "", sentence);
	}

	/** Say something that is neither. */
	say(text: string): void {
		this.clear();
		this.#el.createDiv({ cls: "vaultside-graph-tell-title", text, attr: { dir: "auto" } });
	}

	clear(): void {
		window.clearTimeout(this.#timer);
		this.#round += 1;
		this.#el.empty();
	}

	#show(title: string, facts: string, sentence: () => Promise<LinkSentence | null>): void {
		this.say(title);
		if (facts !== "") addSmallLine(this.#el, facts, { dir: "auto" });
		const round = this.#round;
		this.#timer = window.setTimeout(() => {
			void sentence().then((told) => {
				if (round !== this.#round || told === null) return;
				const quote = this.#el.createDiv({ cls: "vaultside-graph-sentence", text: told.text, attr: { dir: "auto" } });
				quote.createSpan({ cls: "vaultside-graph-source", text: ` – ${told.source}` });
			});
		}, SETTLE_MS);
	}
}
