import type { InjectedItem, SessionInjections } from "../../protocol/operations";
import { countType } from "../../core/notes/note-types";
import { titleOf } from "../../core/place";
import { withHint } from "../../core/refusal";
import type { Host } from "../host";
import { open } from "../opening";

/**
 * Show the notes that a session was given, each with its reason, and let the user take one out.
 *
 * @param unfolded The sessions whose notes are shown.
 * @param refused Told why a note cannot be taken out.
 */
export function showGivenNotes(el: HTMLElement, host: Host, given: SessionInjections, unfolded: Set<string>, refused: (why: string) => void): void {
	const { session, items, tokens } = given;
	const fold = el.createEl("details", { cls: "vault-bridge-given" });
	fold.createEl("summary", { cls: "vault-bridge-small", text: `Given ${countType("note", items.length)} · ${tokens} tokens` });
	fold.open = unfolded.has(session);
	fold.addEventListener("toggle", () => void (fold.open ? unfolded.add(session) : unfolded.delete(session)));
	const list = fold.createDiv({ attr: { role: "list", "aria-label": "Notes given to this session" } });
	for (const item of items) showItem(list, host, session, item, refused);
}

function showItem(list: HTMLElement, host: Host, session: string, item: InjectedItem, refused: (why: string) => void): void {
	const { path, why, tokens, withheld } = item;
	const row = list.createDiv({ cls: "vault-bridge-given-note", attr: { role: "listitem" } });
	const title = row.createEl("button", { cls: "vault-bridge-given-title", text: titleOf(path), attr: { dir: "auto" } });
	title.addEventListener("click", () => void open(host.app, { path, lines: [1, 1] }, false));
	const facts = withheld ? ["taken out"] : [...why, `${tokens} tokens`];
	row.createSpan({ cls: "vault-bridge-small", text: facts.join(" · ") });
	const button = row.createEl("button", { text: withheld ? "Give again" : "Take out" });
	button.addEventListener("click", () => {
		button.disabled = true;
		void host.link.call("withhold_note", { path, session, undo: withheld }).then((answer) => {
			if (answer.ok) return;
			button.disabled = false;
			refused(withHint(answer.error));
		});
	});
}
