import { setIcon } from "obsidian";
import { splitMarked } from "../core/markdown-text";
import { copy } from "./opening";

/** Show what the bridge says, with what stands in backticks as code. */
export function showSaid(el: HTMLElement, text: string): void {
	el.empty();
	for (const part of splitMarked(text, "`")) {
		if (part.marked) el.createEl("code", { text: part.text });
		else el.appendText(part.text);
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
