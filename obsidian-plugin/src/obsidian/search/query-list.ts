import { setIcon } from "obsidian";
import { forgetQuery, togglePin, type Queries } from "../../core/queries";
import type { Host } from "../host";
import { addButton } from "../button";

/**
 * Offer the queries that were used, those on top that are pinned.
 *
 * @param most How many are shown; the others are folded.
 */
export function showQueries(el: HTMLElement, host: Host, most: number, choose: (query: string) => void): void {
	el.empty();
	const { queries } = host.settings;
	if (queries.pinned.length + queries.recent.length === 0) {
		el.createDiv({ cls: "vaultside-empty", text: 'Try a question, "exact words", tag:#a, path:Folder or -without.' });
		return;
	}
	const change = (changed: Queries): void => {
		host.settings.queries = changed;
		void host.saveSettings();
		showQueries(el, host, most, choose);
	};
	const all = [...queries.pinned, ...queries.recent];
	const shown = el.createDiv();
	const folded = all.length > most ? el.createEl("details") : shown;
	if (folded !== shown) folded.createEl("summary", { cls: "vaultside-small", text: `${all.length - most} more searches` });
	for (const [at, query] of all.entries()) {
		const row = (at < most ? shown : folded).createDiv({ cls: "vaultside-query" });
		addButton(row, { cls: "vaultside-query-text", text: query, attr: { dir: "auto" } }, () => choose(query));
		const isPinned = queries.pinned.includes(query);
		button(row, isPinned ? "pin-off" : "pin", isPinned ? `Unpin ${query}` : `Pin ${query}`, () => change(togglePin(queries, query)));
		button(row, "x", `Forget ${query}`, () => change(forgetQuery(queries, query)));
	}
}

function button(row: HTMLElement, icon: string, label: string, act: () => void): void {
	const el = row.createEl("button", { cls: "clickable-icon", attr: { "aria-label": label } });
	setIcon(el, icon);
	el.addEventListener("click", act);
}
