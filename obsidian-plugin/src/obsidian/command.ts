import { setIcon } from "obsidian";
import { copy } from "./opening";

/** Show what to type in a terminal, with a button that copies it. */
export function showCommand(el: HTMLElement, command: string): void {
	const row = el.createDiv({ cls: "vault-bridge-command" });
	row.createEl("code", { text: command });
	const button = row.createEl("button", { cls: "clickable-icon", attr: { "aria-label": `Copy ${command}` } });
	setIcon(button, "copy");
	button.addEventListener("click", () => void copy(command));
}
