import type { AgentBrief, InjectedItem, SessionInjections } from "../../protocol/operations";
import { countType } from "../../core/notes/note-labels";
import { titleOf } from "../../core/place";
import { explainRefusal } from "../../client/client";
import type { Host } from "../host";
import { openHit } from "../note-links";
import { denyAgent } from "./agent-denial";
import { addButton } from "../button";
import { addSmallLine, addSmallText } from "../lines";
import { briefDifference } from "../../core/memory/memories";

/**
 * Show the notes that a session was given, each with its reason, and let the user take one out.
 *
 * @param client The agent, from which a note can be kept for ever; null if it has no name.
 * @param unfolded The sessions whose notes are shown.
 * @param onResult Told what was done, or why it cannot be done.
 */
export function showSessionNotes(el: HTMLElement, host: Host, given: SessionInjections, client: string | null, unfolded: Set<string>, onResult: (what: string, wrong: boolean) => void): void {
	const { session, items, tokens } = given;
	const fold = el.createEl("details", { cls: "vaultside-given" });
	fold.createEl("summary", { cls: "vaultside-small", text: `Given ${countType("note", items.length)} · ${tokens} tokens` });
	fold.open = unfolded.has(session);
	fold.addEventListener("toggle", () => void (fold.open ? unfolded.add(session) : unfolded.delete(session)));
	const list = fold.createDiv({ attr: { role: "list", "aria-label": "Notes given to this session" } });
	for (const item of items) showItem(list, host, session, client, item, onResult);
}

function showItem(list: HTMLElement, host: Host, session: string, client: string | null, item: InjectedItem, onResult: (what: string, wrong: boolean) => void): void {
	const { path, why, tokens, withheld } = item;
	const row = list.createDiv({ cls: "vaultside-given-note", attr: { role: "listitem", "data-row": `${session} ${path}` } });
	addButton(row, { cls: "vaultside-given-title", text: titleOf(path), attr: { dir: "auto" } }, () => openHit(host.app, { path, lines: [1, 1] }, false));
	const facts = withheld ? ["taken out"] : [...why, `${tokens} tokens`];
	addSmallText(row, facts.join(" · "));
	const button = addButton(row, { text: withheld ? "Give again" : "Take out" }, () => {
		button.disabled = true;
		void host.link.call("give_note", { path, session, withhold: !withheld }).then((answer) => {
			if (answer.ok) return;
			button.disabled = false;
			onResult(explainRefusal(answer.error), true);
		});
	});
	if (client === null) return;
	const never = addButton(row, { text: "Never tell this agent" }, () => {
		never.disabled = true;
		void denyAgent(host, path, client).then(([what, wrong]) => {
			never.disabled = !wrong;
			onResult(what, wrong);
		});
	});
}

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
			addButton(row, { cls: "vaultside-given-title", text: titleOf(path), attr: { dir: "auto" } }, () => openHit(host.app, { path, lines: [1, 1] }, false));
		}
	}
}
