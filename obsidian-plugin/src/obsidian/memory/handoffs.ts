import { setIcon, setTooltip } from "obsidian";
import type { CheckedClaim, TakenHandoff } from "../../protocol/operations";
import { age } from "../../core/notes/note-labels";
import type { Host } from "../host";
import { openHit } from "../note-links";
import { addButton } from "../button";
import { addSmallLine, addSmallText } from "../lines";

const VERDICTS: Readonly<Record<CheckedClaim["verdict"], readonly [icon: string, name: string]>> = {
	still_true: ["check", "Still true"],
	changed: ["alert-triangle", "No longer true"],
	gone: ["x", "Gone"],
	unchecked: ["help-circle", "Not checked"],
};

/** Claims that are shown of one handoff; its note has all. */
const MAX_CLAIMS = 8;

/** Handoffs that are shown. */
const SHOWN = 10;

/** Tokens of one handoff; its note has all. */
const BUDGET = 8_000;

/** The handoffs that nobody took over yet, the newest first. */
export interface OpenHandoffs {
	readonly handoffs: readonly TakenHandoff[];
	readonly total: number;
}

/** Find the handoffs that nobody took over yet, and check their claims. */
export async function readWaitingHandoffs({ link }: Host): Promise<OpenHandoffs> {
	const found = await link.call("find_notes", { among: "agents", properties: { type: "handoff" }, where: 'status != "taken"', sort: "-created", limit: SHOWN });
	if (!found.ok) return { handoffs: [], total: 0 };
	const read = await Promise.all(found.result.notes.map(({ path }) => link.call("take_over", { path, peek: true, budget: BUDGET })));
	return { handoffs: read.flatMap((one) => (one.ok ? [one.result] : [])), total: found.result.total };
}

/** Show the handoffs that nobody took over yet, each with what its claims are worth now. */
export function showWaitingHandoffs(el: HTMLElement, host: Host, { handoffs, total }: OpenHandoffs): void {
	if (handoffs.length === 0) return;
	const list = el.createDiv({ cls: "vaultside-handoffs", attr: { role: "list", "aria-label": "Handoffs that wait" } });
	addSmallLine(list, total === 1 ? "1 handoff waits" : `${total} handoffs wait`);
	for (const handoff of handoffs) showHandoff(list, host, handoff);
}

function showHandoff(list: HTMLElement, host: Host, { path, goal, next_action: next, agent, to, created, claims }: TakenHandoff): void {
	const card = list.createDiv({ cls: "vaultside-session-card vaultside-handoff", attr: { role: "listitem", "data-row": path } });
	addButton(card, { cls: "vaultside-given-title", text: goal, attr: { dir: "auto" } }, () => openHit(host.app, { path, lines: [1, 1] }, false));
	const facts = [`from ${agent === "" ? "a person" : agent}`, ...(to === null ? [] : [`for ${to}`]), age(created, Date.now())];
	addSmallLine(card, facts.join(" · "));
	if (next !== "") card.createDiv({ cls: "vaultside-hit-text", text: `Next: ${next}`, attr: { dir: "auto" } });
	const chips = card.createDiv({ cls: "vaultside-chips" });
	for (const claim of claims.slice(0, MAX_CLAIMS)) showClaim(chips, claim);
	if (claims.length > MAX_CLAIMS) addSmallText(chips, `and ${claims.length - MAX_CLAIMS} more`);
}

function showClaim(chips: HTMLElement, { text, verdict, why }: CheckedClaim): void {
	const [icon, name] = VERDICTS[verdict];
	const chip = chips.createSpan({ cls: "vaultside-verdict", attr: { "data-verdict": verdict } });
	setIcon(chip.createSpan({ cls: "vaultside-verdict-icon", attr: { "aria-hidden": "true" } }), icon);
	chip.createSpan({ text, attr: { dir: "auto" } });
	setTooltip(chip, why === "" ? name : `${name}: ${why}`);
}
