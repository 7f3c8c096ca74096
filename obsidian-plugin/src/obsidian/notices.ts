import { Notice } from "obsidian";
import { explainRefusal, type Refusal } from "../client/client";
import { isOpen } from "../core/connection";
import type { Host } from "./host";
import { addButton } from "./button";

/** Say why something was refused, and what helps. */
export function showRefusal(refusal: Refusal<string>): void {
	new Notice(explainRefusal(refusal));
}

/** Whether the bridge can be asked; if not, the person is told how it comes back. */
export function checkConnection({ link }: Pick<Host, "link">): boolean {
	if (isOpen(link.connection)) return true;
	new Notice("The bridge is not connected. Click it in the status bar to see why, and what to do.");
	return false;
}

/** How long something is offered. */
export const ACTION_MS = 10_000;

/** Say what was done, and offer to do something about it. */
export function offerAction(text: string, name: string, act: () => void): void {
	const notice = new Notice(text, ACTION_MS);
	addButton(notice.messageEl, { cls: "vaultside-undo", text: name }, () => {
		notice.hide();
		act();
	});
}

/** Turn a change back, and say what became of that. */
export async function undoChange({ link }: Host, change: string): Promise<void> {
	const answer = await link.call("undo_change", { change_id: change });
	if (!answer.ok) showRefusal(answer.error);
	else new Notice(answer.result.state === "proposed" ? "Undo proposed; it needs your approval." : "Undone.");
}
