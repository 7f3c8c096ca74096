import { Notice } from "obsidian";
import type { Host } from "./host";
import { addButton } from "./button";
import { sayRefusal } from "./say-refusal";

/** How long something is offered. */
export const OFFERED_MS = 10_000;

/** Say what was done, and offer to do something about it. */
export function offerAction(text: string, name: string, act: () => void): void {
	const notice = new Notice(text, OFFERED_MS);
	addButton(notice.messageEl, { cls: "vaultside-undo", text: name }, () => {
		notice.hide();
		act();
	});
}

/** Turn a change back, and say what became of that. */
export async function undo({ link }: Host, change: string): Promise<void> {
	const answer = await link.call("undo_change", { change_id: change });
	if (!answer.ok) sayRefusal(answer.error);
	else new Notice(answer.result.state === "proposed" ? "Undo proposed; it needs your approval." : "Undone.");
}
