import { MarkdownView, Notice } from "obsidian";
import type { Answer, Refusal } from "../../client/client";
import type { LinkEdit } from "../../protocol/operations";
import type { BridgeEvent } from "../../protocol/events";
import type { Missing } from "../../core/missing-links";
import { titleOf } from "../../core/place";
import { CHANGES, type Host } from "../host";
import { ACTION_MS, offerAction, showRefusal, undoChange } from "../notices";
import { LinkPreview } from "./link-preview";

/** Makes links of words through the bridge, and lets the person look at it before and take it back after. */
export class LinkMaker {
	readonly #unlearned = new Set<() => void>();
	/** What was only proposed, by the change that would make it. */
	readonly #proposals = new Map<string, { readonly path: string; readonly chosen: readonly Missing[] }>();

	/** @param onChange Called when links were made or taken back. */
	constructor(
		private readonly host: Host,
		private readonly onChange: () => void,
	) {}

	/** Show what making links of words would do, and make those that are left ticked. */
	async preview(path: string, chosen: readonly Missing[], digest: string | null): Promise<void> {
		const answer = await this.#apply(path, chosen, digest, true);
		if (!answer.ok) say(answer.error);
		else new LinkPreview(this.host.app, answer.result, chosen, (ticked) => this.#make(path, ticked, answer.result.before)).open();
	}

	/** Make a link of words at once. */
	async link(path: string, chosen: readonly Missing[], digest: string): Promise<void> {
		const answer = await this.#make(path, chosen, digest);
		if (!answer.ok) say(answer.error);
	}

	/** Make links of words of a note as one change, and offer to undo it. */
	async #make(path: string, chosen: readonly Missing[], digest: string | null): Promise<Answer<"apply_links">> {
		const answer = await this.#apply(path, chosen, digest, false);
		if (answer.ok) this.#report(path, chosen, answer.result);
		return answer;
	}

	/** Take words for no link here, now and later, until that is taken back. */
	async dismiss(path: string, { target, text }: Missing): Promise<void> {
		const answer = await this.host.link.call("judge_link", { path, target, text, verdict: "decline" });
		if (!answer.ok) return say(answer.error);
		offerAction(`“${text}” is not suggested here any more.`, "Undo", () => {
			void this.host.link.call("judge_link", { path, target, text, verdict: "revive" }).then(() => this.onChange());
		});
		this.onChange();
	}

	/** Save what was typed into a note and is not saved yet, as its words could not be found otherwise. */
	async save(path: string): Promise<boolean> {
		const { vault, workspace } = this.host.app;
		const file = vault.getFileByPath(path);
		if (file === null) return false;
		const text = await vault.read(file);
		for (const { view } of workspace.getLeavesOfType("markdown")) {
			if (!(view instanceof MarkdownView) || view.file !== file || view.getViewData() === text) continue;
			await view.save();
			return true;
		}
		return false;
	}

	/** Whether a link of these words was proposed, and nobody has decided upon it yet. */
	waits(path: string, { target, text }: Missing): boolean {
		return [...this.#proposals.values()].some((one) => one.path === path && one.chosen.some((other) => other.target === target && other.text === text));
	}

	/** Hear what becomes of changes. */
	handleEvent(event: BridgeEvent): void {
		if (event.kind === "change_recorded" && this.#proposals.delete(event.change)) this.onChange();
	}

	/** Tell the bridge at once what was accepted and not undone. */
	settle(): void {
		for (const learn of [...this.#unlearned]) learn();
	}

	#apply(path: string, chosen: readonly Missing[], digest: string | null, dryRun: boolean): Promise<Answer<"apply_links">> {
		const suggestions = chosen.map(({ target, text, span }) => ({ target, text, span }));
		return this.host.link.call("apply_links", { path, suggestions, digest, dry_run: dryRun, reason: "Suggested links" });
	}

	#report(path: string, chosen: readonly Missing[], { links, refused, state, change_id: change, warnings }: LinkEdit): void {
		const made = chosen.filter(({ target }) => links.some((link) => link.target === target));
		const [first] = made;
		const what = made.length === 1 && first !== undefined ? `“${first.text}” links to ${titleOf(first.target)}.` : `${made.length} links made in ${titleOf(path)}.`;
		const waits = change !== null && state === "proposed";
		const said = waits ? `Proposed, not written yet: ${what}` : what;
		const text = [said, ...refused.map(({ target, why }) => `Not to ${titleOf(target)}: ${why}.`), ...warnings].join(" ");
		if (waits) this.#proposals.set(change, { path, chosen: made });
		this.onChange();
		if (change === null) {
			new Notice(text);
			return;
		}
		if (waits) {
			offerAction(text, "Show", () => void this.host.reveal(CHANGES));
			return;
		}
		// What is undone at once was a slip, from which nothing is to be learned.
		const learn = (): void => {
			window.clearTimeout(timer);
			this.#unlearned.delete(learn);
			for (const { target, text: words } of made) void this.host.link.call("judge_link", { path, target, text: words, verdict: "accept" });
		};
		const timer = window.setTimeout(learn, ACTION_MS);
		this.#unlearned.add(learn);
		offerAction(text, "Undo", () => {
			window.clearTimeout(timer);
			this.#unlearned.delete(learn);
			void undoChange(this.host, change).then(() => this.onChange());
		});
	}
}

/** Say why something was not done. */
function say(error: Refusal<string>): void {
	showRefusal(error);
}
