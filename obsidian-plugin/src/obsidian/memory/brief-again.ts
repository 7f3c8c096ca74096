import type { AgentBrief, SessionInjections } from "../../protocol/operations";
import { briefDifference } from "../../core/memory/memories";
import { countType } from "../../core/notes/note-labels";
import { titleOf } from "../../core/place";
import type { Host } from "../host";
import { open } from "../opening";
import { addButton } from "../button";
import { addSmallLine, addSmallText } from "../small-line";

const SIGNS = { fresh: "New", again: "Again", gone: "No longer" } as const;

/** Show what a session would be told now, and how that differs from what it was given. */
export function showBriefAgain(el: HTMLElement, host: Host, now: AgentBrief, given: SessionInjections | undefined): void {
	const box = el.createDiv({ cls: "vaultside-brief-again", attr: { role: "group", "aria-label": "What it would be told now" } });
	const found = briefDifference(now, given);
	const count = countType("note", found.fresh.length + found.again.length);
	addSmallLine(box, now.items.length === 0 ? "It would be told nothing now." : `It would be told ${count} now · ${now.tokens} tokens`);
	for (const [name, sign] of Object.entries(SIGNS) as [keyof typeof SIGNS, string][]) {
		for (const path of found[name]) {
			const row = box.createDiv({ cls: "vaultside-given-note", attr: { "data-difference": name } });
			addSmallText(row, sign);
			addButton(row, { cls: "vaultside-given-title", text: titleOf(path), attr: { dir: "auto" } }, () => open(host.app, { path, lines: [1, 1] }, false));
		}
	}
}
