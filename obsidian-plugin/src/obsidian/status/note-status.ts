import type { IndexStatus } from "../../bridge/operations";
import type { Host } from "../host";

const SHOWN = 30;

/** Show the active note as the index sees it. */
export async function showNote(el: HTMLElement, host: Host, path: string): Promise<void> {
	const answer = await host.link.call("index_status", { path });
	// Another note may have been opened meanwhile; the last one that was asked for is shown.
	if (host.app.workspace.getActiveFile()?.path !== path) return;
	el.empty();
	el.createEl("h6", { cls: "vault-bridge-part", text: "This note, as the index sees it" });
	if (!answer.ok) {
		el.createDiv({ cls: "vault-bridge-empty", text: answer.error.message });
		return;
	}
	const { passages, left_out: leftOut, problems } = answer.result;
	el.createDiv({ text: path, attr: { dir: "auto" } });
	el.createDiv({ cls: "vault-bridge-small", text: summary(answer.result) });
	for (const passage of passages.slice(0, SHOWN)) {
		const row = el.createDiv({ cls: "vault-bridge-passage" });
		row.createSpan({ cls: "vault-bridge-passage-lines", text: passage.lines.join("–") });
		row.createSpan({ cls: "vault-bridge-passage-heading", text: passage.heading.replaceAll(" > ", " › ") || "Before the first heading", attr: { dir: "auto" } });
		if (!passage.embedded) row.createSpan({ cls: "vault-bridge-hit-mark", text: "words only" });
	}
	if (passages.length > SHOWN) el.createDiv({ cls: "vault-bridge-small", text: `and ${passages.length - SHOWN} more` });
	lines(el, "Left out, as other notes say it too", leftOut);
	lines(el, "Could not be understood", problems);
}

function summary({ state, reason, passages }: IndexStatus): string {
	const what = passages.length === 1 ? "1 passage" : `${passages.length} passages`;
	return [state === "indexed" ? what : state, ...(reason === null ? [] : [reason])].join(" · ");
}

function lines(el: HTMLElement, name: string, all: readonly string[]): void {
	if (all.length === 0) return;
	const details = el.createEl("details");
	details.createEl("summary", { text: `${name}: ${all.length}` });
	for (const line of all.slice(0, SHOWN)) details.createDiv({ cls: "vault-bridge-left", text: line, attr: { dir: "auto" } });
}
