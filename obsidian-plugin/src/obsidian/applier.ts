import { type App, MarkdownView } from "obsidian";
import type { BridgeEvent } from "../protocol/events";
import type { Link } from "../client/link";
import type { ClaimedChange } from "../protocol/operations";

const AGAIN_MS = 1_000;

type Refused = "unsaved" | "changed" | "failed";

class NotMade extends Error {
	constructor(readonly why: Refused) {
		super(why);
	}
}

/** Makes the changes that the bridge offers, through the app, so that a note that is open keeps what was typed into it. */
export class Applier {
	/** What became of changes that were claimed, until the bridge has heard it. */
	readonly #unheard = new Map<string, Refused | null>();
	#timer: number | undefined;
	#over = false;

	constructor(
		private readonly app: App,
		private readonly link: Link,
	) {}

	async take(event: BridgeEvent): Promise<void> {
		if (event.kind !== "apply_change") return;
		const { change } = event;
		const claimed = await this.link.call("claim_change", { change_id: change });
		if (claimed.ok && !this.#over) this.#unheard.set(change, await this.#make(claimed.result));
		// Nobody knows whether it is ours now; so it must be said that nobody makes it.
		else if (!claimed.ok && claimed.error.code === "unreachable") this.#unheard.set(change, "failed");
		await this.report();
	}

	/** Say what became of the changes, and again what was not heard because the bridge went away. */
	async report(): Promise<void> {
		for (const [change, refused] of [...this.#unheard]) {
			const answer = await this.link.call("acknowledge_change", { change_id: change, applied: refused === null, reason: refused });
			if (answer.ok) this.#unheard.delete(change);
			else if (answer.error.code === "not_ready") this.#tellAgain();
			else if (answer.error.code !== "unreachable") this.#unheard.delete(change);
		}
	}

	/** A bridge that came back opens its index first. */
	#tellAgain(): void {
		window.clearTimeout(this.#timer);
		if (!this.#over) this.#timer = window.setTimeout(() => void this.report(), AGAIN_MS);
	}

	/** Make nothing any more; of what was claimed the bridge finds that it was not made. */
	stop(): void {
		this.#over = true;
		window.clearTimeout(this.#timer);
	}

	/** Write a change into its note; or say why not, and leave the note as it is. */
	async #make({ path, before, text }: ClaimedChange): Promise<Refused | null> {
		const { vault } = this.app;
		const file = vault.getFileByPath(path);
		if (file === null) return "changed";
		try {
			const read = await vault.read(file);
			if ((await digest(read)) !== before) throw new NotMade("changed");
			await vault.process(file, (current) => {
				if (this.#over) throw new NotMade("failed");
				if (this.#isUnsaved(path, current)) throw new NotMade("unsaved");
				// The digest takes time to compute, in which somebody may have written or moved the note.
				if (current !== read || file.path !== path) throw new NotMade("changed");
				return text;
			});
			return null;
		} catch (error) {
			return error instanceof NotMade ? error.why : "failed";
		}
	}

	/** Whether a note has edits in some editor, of whatever pane or window, that are not in its file. */
	#isUnsaved(path: string, text: string): boolean {
		return this.app.workspace
			.getLeavesOfType("markdown")
			.some(({ view }) => view instanceof MarkdownView && view.file?.path === path && view.getViewData() !== text);
	}
}

/** SHA-256 of a text as UTF-8, as the bridge writes it. */
async function digest(text: string): Promise<string> {
	const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
	return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
