import { setIcon } from "obsidian";
import { type Part, splitMarked } from "../core/markdown-text";
import { copy } from "./note-links";

/** A title in a sentence of the bridge. */
const TITLED = /(?<![\w*])\*([^\s*](?:[^*]*[^\s*])?)\*(?![\w*])/;

/** Show what the bridge says, with what stands in backticks as code, and titles as such. */
export function showText(el: HTMLElement, text: string): void {
	el.empty();
	for (const part of splitMarked(text, "`")) {
		if (part.marked) el.createEl("code", { text: part.text });
		else showParts(el, "em", part.text.split(TITLED).map((text, at) => ({ text, marked: at % 2 === 1 })));
	}
}

/** Show what to type in a terminal, with a button that copies it. */
export function showCommand(el: HTMLElement, command: string): void {
	const row = el.createDiv({ cls: "vaultside-command" });
	row.createEl("code", { text: command });
	const button = row.createEl("button", { cls: "clickable-icon", attr: { "aria-label": `Copy ${command}` } });
	setIcon(button, "copy");
	button.addEventListener("click", () => void copy(command));
}

/** Write a text of which some parts are marked. */
export function showParts(el: HTMLElement, tag: "mark" | "em", all: readonly Part[]): void {
	for (const { text, marked } of all) {
		if (marked) el.createEl(tag, { text });
		else el.appendText(text);
	}
}

/** Add a line whose text a screen reader says whenever it changes. */
export function addStatusLine(el: HTMLElement, cls = "vaultside-say"): HTMLElement {
	return el.createDiv({ cls, attr: { role: "status" } });
}

/** Add a line of small print. */
export function addSmallLine(el: HTMLElement, text: string, attr?: Record<string, string>): void {
	el.createDiv({ cls: "vaultside-small", text, ...(attr === undefined ? {} : { attr }) });
}

/** Add words of small print. */
export function addSmallText(el: HTMLElement, text: string): HTMLElement {
	return el.createSpan({ cls: "vaultside-small", text });
}
