import { setIcon } from "obsidian";
import { chips, type Filters } from "../../core/filters";

/** Show what narrows a search, each to be taken away. */
export function showChips(el: HTMLElement, filters: Filters, choose: (filters: Filters) => void): void {
	el.empty();
	for (const { text, without } of chips(filters)) {
		const chip = el.createEl("button", { cls: "vaultside-chip", text, attr: { "aria-label": `Without ${text}` } });
		setIcon(chip.createSpan({ cls: "vaultside-chip-x" }), "x");
		chip.addEventListener("click", () => choose(without));
	}
}
