import { type App, MarkdownView } from "obsidian";
import type { Link } from "../bridge/link";
import type { ClaimedChange } from "../bridge/operations";
import type { Pushed } from "../bridge/sse";

type Refused = "unsaved" | "changed" | "failed";

class NotMade extends Error {
	constructor(readonly why: Refused) {
		super(why);
	}
}

/** Make a change that the bridge offers, through the app, so that a note that is open keeps what was typed into it. */
export async function takeChange(app: App, link: Link, { kind, data }: Pushed): Promise<void> {
	if (kind !== "apply_change") return;
	const { change } = JSON.parse(data) as { readonly change: string };
	const claimed = await link.call("claim_change", { change_id: change });
	// Another window has it, or it is too late: then it is not ours to make.
	if (!claimed.ok) return;
	const refused = await make(app, claimed.result);
	await link.call("acknowledge_change", { change_id: change, applied: refused === null, reason: refused });
}

/** Write a change into its note; or say why not, and leave the note as it is. */
async function make(app: App, { path, before, text }: ClaimedChange): Promise<Refused | null> {
	const file = app.vault.getFileByPath(path);
	if (file === null) return "changed";
	try {
		const read = await app.vault.read(file);
		if ((await digest(read)) !== before) throw new NotMade("changed");
		await app.vault.process(file, (current) => {
			if (isUnsaved(app, path, current)) throw new NotMade("unsaved");
			// The digest takes time to compute, in which somebody may have written.
			if (current !== read) throw new NotMade("changed");
			return text;
		});
		return null;
	} catch (error) {
		return error instanceof NotMade ? error.why : "failed";
	}
}

/** Whether a note has edits in some editor that are not in its file. */
function isUnsaved(app: App, path: string, text: string): boolean {
	return app.workspace
		.getLeavesOfType("markdown")
		.some(({ view }) => view instanceof MarkdownView && view.file?.path === path && view.getViewData() !== text);
}

/** SHA-256 of a text as UTF-8, as the bridge writes it. */
async function digest(text: string): Promise<string> {
	const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
	return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
