import type { AnswerExcerpt, Citation, VaultAnswer } from "../../protocol/operations";
import { countType } from "../../core/notes/note-types";
import { titleOf } from "../../core/place";
import { showSaid } from "../command";
import type { Host } from "../host";
import { cite } from "./cite";
import { addButton, addButtonRow } from "../button";
import { addSayLine } from "../say-line";
import { addSmallLine, addSmallText } from "../small-line";

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
export class AnswerPart {
	readonly #textEl: HTMLElement;
	readonly #sayEl: HTMLElement;
	readonly #belowEl: HTMLElement;
	#written = "";
	#timer: number | undefined;

	constructor(
		el: HTMLElement,
		private readonly host: Host,
		question: string,
		private readonly actions: AnswerActions,
	) {
		el.createDiv({ cls: "vaultside-question", text: question, attr: { dir: "auto" } });
		this.#textEl = el.createDiv({ cls: "vaultside-answer", attr: { dir: "auto" } });
		this.#sayEl = addSayLine(el);
		this.#belowEl = el.createDiv();
		this.say("Looking for it…");
	}

	/** Show what is found in the notes before a model has said anything. */
	quotes(answer: VaultAnswer): void {
		this.say("The model reads…");
		this.#showQuotes("Found in your notes", answer.citations);
	}

	/** Take the next words of a model. */
	write(piece: string): void {
		this.#written += piece;
		// Each piece by itself would make the text flicker.
		this.#timer ??= window.setTimeout(() => this.#swap(), SWAP_MS);
	}

	say(text: string): void {
		showSaid(this.#sayEl, text);
	}

	/** Show why there is no answer. */
	refuse(why: string): void {
		this.#swap();
		this.say(why);
		this.#sayEl.addClass("mod-warning");
	}

	/** The user wants no more of it; what is there stays. */
	stop(): void {
		this.#swap();
		this.say("Stopped.");
	}

	/** Show the whole answer. */
	show(answer: VaultAnswer): void {
		this.#swap();
		this.say(answer.notices.join(" "));
		this.#belowEl.empty();
		if (answer.mode_used === "chat") this.#showSentences(answer);
		this.#showQuotes(answer.answer === "" ? "Closest in your notes" : "From your notes", answer.citations);
		this.#showContext(answer.context);
		if (answer.answer !== "") this.#showButtons(answer);
	}

	#swap(): void {
		window.clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#textEl.setText(this.#written);
	}

	#showSentences({ answer, sentences, citations, context }: VaultAnswer): void {
		this.#textEl.empty();
		if (sentences.length === 0) this.#textEl.setText(answer);
		for (const { text, cites, supported } of sentences) {
			const cls = supported ? "vaultside-sentence" : "vaultside-sentence is-unsupported";
			const sentence = this.#textEl.createSpan({ cls, text });
			if (!supported) sentence.setAttrs({ title: "The notes do not say this.", "aria-description": "The notes do not say this." });
			for (const number of cites) this.#chip(this.#textEl, citations.find((one) => one.number === number) ?? context.find((one) => one.number === number));
			this.#textEl.appendText(" ");
		}
	}

	#showQuotes(heading: string, citations: readonly Citation[]): void {
		this.#belowEl.querySelector(".vaultside-quotes")?.remove();
		if (citations.length === 0) return;
		const list = this.#belowEl.createDiv({ cls: "vaultside-quotes", attr: { role: "list", "aria-label": heading } });
		addSmallLine(list, heading);
		for (const one of citations) {
			const row = list.createDiv({ cls: "vaultside-quote", attr: { role: "listitem", dir: "auto" } });
			this.#chip(row, one);
			row.appendText(` ${one.quote} `);
			addSmallText(row, shownName(one));
		}
	}

	#showContext(context: readonly AnswerExcerpt[]): void {
		if (context.length === 0) return;
		const tokens = context.reduce((sum, one) => sum + one.tokens, 0);
		const fold = this.#belowEl.createEl("details", { cls: "vaultside-given" });
		fold.createEl("summary", { cls: "vaultside-small", text: `Read ${countType("excerpt", context.length)} · ${tokens} tokens` });
		const list = fold.createDiv({ attr: { role: "list", "aria-label": "What was read" } });
		for (const one of context) {
			const row = list.createDiv({ cls: "vaultside-given-note", attr: { role: "listitem" } });
			this.#chip(row, one);
			row.createSpan({ cls: "vaultside-given-title", text: shownName(one), attr: { dir: "auto" } });
			addSmallText(row, `${one.tokens} tokens`);
			if (one.path !== "") addButton(row, { text: "Ask without it", label: `Ask again without ${titleOf(one.path)}` }, () => this.actions.askWithout(one.path));
		}
	}

	#showButtons(answer: VaultAnswer): void {
		const buttons = addButtonRow(this.#belowEl);
		addButton(buttons, { text: "Insert into note" }, () => this.actions.insert(answer));
		addButton(buttons, { text: "Save as note" }, () => this.actions.keep(answer));
	}

	/** A number that opens what it stands for. */
	#chip(el: HTMLElement, place: Citation | AnswerExcerpt | undefined): void {
		if (place !== undefined) cite(el, this.host, String(place.number), place);
	}
}
