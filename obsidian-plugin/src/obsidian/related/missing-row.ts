import { openHit } from "../note-links";
import { toPlain, type Quote } from "../../core/quotes";
import type { App } from "obsidian";
import { addButton } from "../button";
import { addSmallLine } from "../lines";

/** Words that could be a link. */
export interface Row {
	/** What the words are about: the note they would lead to, or the one they stand in. */
	readonly name: string;
	readonly path: string;
	readonly line?: number;
	readonly quote?: Quote | null;
	/** What to show where the words cannot be quoted. */
	readonly text: string;
	readonly more?: readonly string[];
	/** Whether a link of them was proposed, so that there is nothing to do but to wait. */
	readonly waits?: boolean;
	readonly acts?: readonly { readonly text: string; readonly label: string; readonly act: () => Promise<unknown> }[];
}

/** Show words that could be a link, with what can be done about them. */
export function showRow(list: HTMLElement, app: App, { name, path, line = 1, quote = null, text, more = [], waits = false, acts = [] }: Row): void {
	const el = list.createDiv({ cls: "vaultside-missing", attr: { role: "listitem" } });
	addButton(el, { cls: "vaultside-missing-title", text: name, attr: { dir: "auto", "aria-label": `Open ${name}` } }, () => openHit(app, { path, lines: [line, line] }, false));
	const words = el.createDiv({ cls: "vaultside-hit-text", attr: { dir: "auto" } });
	if (quote === null) words.setText(text);
	else {
		const { before, text: said, after } = toPlain(quote);
		words.appendText(before);
		words.createEl("mark", { text: said });
		words.appendText(after);
	}
	if (more.length > 0) {
		const why = el.createDiv({ cls: "vaultside-hit-why" });
		for (const reason of more) why.createSpan({ text: reason, attr: { dir: "auto" } });
	}
	if (waits) {
		addSmallLine(el, "Proposed; awaiting approval.");
		return;
	}
	const buttons = el.createDiv({ cls: "vaultside-missing-acts" });
	for (const { text: says, label, act } of acts) {
		const button = addButton(buttons, { text: says, label }, () => {
			button.disabled = true;
			void act().then(() => (button.disabled = false));
		});
	}
}

/** Show the first of many, and the others when they are asked for. */
export function showSome<T>(list: HTMLElement, all: readonly T[], most: number, show: (one: T) => void): void {
	all.slice(0, most).forEach(show);
	const rest = all.slice(most);
	if (rest.length === 0) return;
	const button = addButton(list, { text: `Show ${rest.length} more` }, () => {
		button.remove();
		rest.forEach(show);
	});
}
