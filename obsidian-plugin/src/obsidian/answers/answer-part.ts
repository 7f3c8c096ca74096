import type { AnswerExcerpt, Citation, VaultAnswer } from "../../protocol/operations";
import { stripLine } from "../../core/markdown-text";
import { titleOf } from "../../core/place";
import type { Host } from "../host";
import { cite, TurnPart } from "./turn-part";
import { addButton, addButtonRow } from "../button";
import { addSmallLine, addSmallText } from "../lines";

/** How often the words of a model are shown while they come. */
const SWAP_MS = 100;

/** The title of a note, or the tool of another program that said something. */
function shownName({ path, tool = "" }: Citation | AnswerExcerpt): string {
	return path === "" ? `${tool} (another program)` : titleOf(path);
}

/** What can be done with an answer. */
export interface AnswerActions {
	readonly insert: (answer: VaultAnswer) => void;
	readonly keep: (answer: VaultAnswer) => void;
	/** Ask the same again without a note. */
	readonly askWithout: (path: string) => void;
}

/** One question with its answer: the quotes at once, the words of a model as they come, then what was checked. */
export class AnswerPart extends TurnPart<VaultAnswer> {
	readonly #belowEl: HTMLElement;
	#written = "";
	#timer: number | undefined;

	constructor(
		el: HTMLElement,
		host: Host,
		question: string,
		private readonly actions: AnswerActions,
	) {
		super(el, host, question, "Looking for it…");
		this.#belowEl = el.createDiv();
	}

	/** Show what is found in the notes before a model has said anything. */
	quotes(answer: VaultAnswer): void {
		this.#written = "";
		this.say("The model reads…");
		this.#showQuotes("Found in your notes", answer);
	}

	/** Take the next words of a model. */
	write(piece: string): void {
		this.#written += piece;
		// Each piece by itself would make the text flicker.
		this.#timer ??= window.setTimeout(() => this.#swap(), SWAP_MS);
	}

	override refuse(why: string): void {
		this.#swap();
		super.refuse(why);
	}

	override stop(): void {
		this.#swap();
		super.stop();
	}

	/** Show the whole answer. */
	show(answer: VaultAnswer): void {
		if (answer.mode_used === "extract") this.#written = "";
		this.#swap();
		this.say(answer.notices.join(" "));
		this.#belowEl.empty();
		if (answer.mode_used === "chat") this.#showSentences(answer);
		this.#showQuotes(answer.answer === "" ? "Closest in your notes" : "From your notes", answer);
		if (answer.withheld) this.#addFold("What the model wrote").appendText(answer.withheld);
		this.#showContext(answer);
		if (answer.answer !== "") this.#showButtons(answer);
	}

	#swap(): void {
		window.clearTimeout(this.#timer);
		this.#timer = undefined;
		this.textEl.setText(this.#written);
	}

	#showSentences({ answer, sentences, citations, context }: VaultAnswer): void {
		this.textEl.empty();
		if (sentences.length === 0) this.textEl.setText(answer);
		for (const { text, cites, supported } of sentences) {
			this.textEl.createSpan({ cls: supported ? "" : "is-unsupported", text });
			for (const number of cites) {
				const place = [...citations, ...context].find((one) => one.number === number);
				if (place !== undefined) cite(this.textEl, this.host, String(number), place);
			}
			if (!supported) addSmallText(this.textEl, " (not in these notes)");
			this.textEl.appendText(" ");
		}
	}

	#showQuotes(heading: string, { citations, mode_used: mode }: VaultAnswer): void {
		this.#belowEl.querySelector(".vaultside-quotes")?.remove();
		if (citations.length === 0) return;
		const list = this.#belowEl.createDiv({ cls: "vaultside-quotes", attr: { role: "list", "aria-label": heading } });
		addSmallLine(list, heading);
		for (const [at, one] of citations.entries()) {
			const row = list.createDiv({ cls: "vaultside-quote", attr: { role: "listitem", dir: "auto" } });
			// Only a model's sentences name excerpts by their numbers, of which several quotes may be.
			cite(row, this.host, String(mode === "chat" ? one.number : at + 1), one);
			row.appendText(` ${one.quote.split("\n").map(stripLine).join("\n")} `);
			addSmallText(row, shownName(one));
		}
	}

	#showContext({ context, mode_used: mode }: VaultAnswer): void {
		if (context.length === 0) return;
		const fold = this.#addFold(`What was read (${context.length.toLocaleString()})`);
		const list = fold.createDiv({ attr: { role: "list", "aria-label": "What was read" } });
		for (const one of context) {
			const row = list.createDiv({ cls: "vaultside-given-note", attr: { role: "listitem" } });
			cite(row, this.host, `${mode === "chat" ? `${one.number} · ` : ""}${shownName(one)}`, one, "vaultside-given-title");
			if (one.path !== "") addButton(row, { text: "Ask without it", label: `Ask again without ${titleOf(one.path)}` }, () => this.actions.askWithout(one.path));
		}
	}

	#addFold(text: string): HTMLElement {
		const fold = this.#belowEl.createEl("details", { cls: "vaultside-given" });
		fold.createEl("summary", { cls: "vaultside-small", text });
		return fold;
	}

	#showButtons(answer: VaultAnswer): void {
		const buttons = addButtonRow(this.#belowEl);
		addButton(buttons, { text: "Insert into note" }, () => this.actions.insert(answer));
		addButton(buttons, { text: "Save as note" }, () => this.actions.keep(answer));
	}
}
