import type { Part } from "../core/markdown-text";

/** Write a text of which some parts are marked. */
export function writeParts(el: HTMLElement, tag: "mark" | "em", all: readonly Part[]): void {
	for (const { text, marked } of all) {
		if (marked) el.createEl(tag, { text });
		else el.appendText(text);
	}
}
