import { type Theme, toHex } from "../../core/graph/emphasis";
import type { Groups } from "../../core/graph/groups";

/** Tells what the colours mean; a group that is chosen is the one that stays bright. */
export function showLegend(el: HTMLElement, groups: Groups, theme: Theme, chosen: string | null, choose: (key: string | null) => void): void {
	const focused = el.doc.activeElement?.getAttribute("data-key") ?? null;
	el.empty();
	for (const { key, name, size, colour, shape } of groups.all) {
		const is = key === chosen;
		const entry = el.createEl("button", { cls: "vaultside-graph-group", attr: { "aria-pressed": String(is), "data-key": key } });
		const dot = entry.createSpan({ cls: "vaultside-graph-dot", attr: { "data-shape": shape } });
		dot.setCssProps({ "--dot": toHex(theme.palette[colour] ?? theme.plain) });
		entry.createSpan({ cls: "vaultside-graph-group-name", text: name, attr: { dir: "auto" } });
		entry.createSpan({ cls: "vaultside-graph-count", text: String(size) });
		entry.toggleClass("is-dim", chosen !== null && !is);
		entry.addEventListener("click", () => choose(is ? null : key));
		if (key === focused) entry.focus();
	}
	if (groups.others > 0 && groups.all.length > 0) {
		const entry = el.createDiv({ cls: "vaultside-graph-group" });
		entry.createSpan({ cls: "vaultside-graph-dot", attr: { "data-shape": "circle" } }).setCssProps({ "--dot": toHex(theme.plain) });
		entry.createSpan({ cls: "vaultside-graph-group-name", text: "Others" });
		entry.createSpan({ cls: "vaultside-graph-count", text: String(groups.others) });
	}
}
