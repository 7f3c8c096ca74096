import { Notice } from "obsidian";
import type { Summary } from "../../protocol/operations";
import { calloutEdit } from "../../core/markdown-text";
import { titleOf } from "../../core/place";
import type { Host } from "../host";
import { cite, TurnPart } from "./turn-part";
import { addButton, addButtonRow } from "../button";
import { showRefusal } from "../notices";

/** The summary of a note, sentence by sentence with the lines that each rests on. */
export class SummaryPart extends TurnPart<Summary> {
	readonly #buttonsEl: HTMLElement;

	/** @param longer - Summarises the note again, in more sentences; null where this is the longer summary. */
	constructor(
		el: HTMLElement,
		host: Host,
		private readonly path: string,
		private readonly longer: (() => void) | null,
	) {
		super(el, host, `Summary of ${titleOf(path)}`, "Reading it…");
		this.#buttonsEl = addButtonRow(el);
	}

	show({ sentences, text, notices }: Summary): void {
		this.say(notices.join(" "));
		sentences.forEach((one, index) => {
			this.textEl.createSpan({ text: one.text });
			cite(this.textEl, this.host, String(index + 1), one);
			this.textEl.appendText(" ");
		});
		if (sentences.length === 0) return;
		this.#button("Keep as property", () => void this.#keep(text, "property"));
		this.#button("Keep as callout", () => void this.#keep(text, "callout"));
		if (this.longer !== null) this.#button("Longer", this.longer);
	}

	#button(text: string, act: () => void): void {
		addButton(this.#buttonsEl, { text }, act);
	}

	async #keep(summary: string, form: "property" | "callout"): Promise<void> {
		const { path, host: { link } } = this;
		const read = await link.call("read_note", { path });
		if (!read.ok) return showRefusal(read.error);
		const { digest, text } = read.result;
		const kept = await (form === "property"
			? link.call("set_properties", { path, digest, properties: { summary: summary.trim().replace(/\s+/g, " ") } })
			: link.call("edit_note", { path, digest, edits: [calloutEdit(text, summary)] }));
		if (!kept.ok) showRefusal(kept.error);
		else new Notice(kept.result.state === "proposed" ? "Proposed; awaiting approval." : `Kept in ${titleOf(path)}.`);
	}
}
