import { Modal } from "obsidian";
import { explainRefusal, type Refusal } from "../../client/client";
import type { Written } from "../../protocol/operations";
import { titleOf } from "../../core/place";
import { parseDiff } from "../../core/diff";
import { addSmallLine, addStatusLine, showText } from "../lines";
import { CHANGES, type Host } from "../host";
import { offerAction, undoChange } from "../notices";
import { showWords } from "./hunks";
import { addButton, addButtonRow } from "../button";

const TYPED_MS = 250;
/** Files whose lines are shown before they change; the others are counted. */
const SHOWN = 12;

/** A change that is shown before it is made. */
export interface PreviewedChange<Result extends Written = Written> {
	readonly title: string;
	/** What is asked for, and what it says at first; without, nothing is. */
	readonly asks?: { readonly label: string; readonly now: string };
	/** Adds what else is asked for, and calls `changed` whenever that is filled in otherwise. */
	readonly fields?: (el: HTMLElement, changed: () => void) => void;
	/** What the button says. */
	readonly verb: string;
	/** Make the change, or only try it. */
	readonly make: (to: string, dryRun: boolean) => Promise<{ readonly ok: true; readonly result: Result } | { readonly ok: false; readonly error: Refusal<string> }>;
	/** What follows from it. */
	readonly describe: (result: Result) => string;
	/** What is said once it is made. */
	readonly report: (to: string, result: Result) => string;
	/** Called once it is made or proposed. */
	readonly onMade?: () => void;
}

/** Shows what a change does, as soon as it can be known, and makes it when that is wanted. */
export class ChangePreview<Result extends Written = Written> extends Modal {
	#timer: number | undefined;
	#round = 0;
	#isBusy = false;

	constructor(
		private readonly host: Host,
		private readonly change: PreviewedChange<Result>,
	) {
		super(host.app);
		this.setTitle(change.title);
	}

	override onOpen(): void {
		this.modalEl.addClass("vaultside-preview");
		const { contentEl } = this;
		const { asks, fields, verb } = this.change;
		const input = asks === undefined ? null : contentEl.createEl("label", { cls: "vaultside-field", text: asks.label }).createEl("input", { type: "text", value: asks.now, attr: { dir: "auto", spellcheck: "true" } });
		fields?.(contentEl, () => update());
		const says = addStatusLine(contentEl);
		const preview = contentEl.createDiv({ cls: "vaultside-renamed" });
		const buttons = addButtonRow(contentEl);
		const button = buttons.createEl("button", { cls: "mod-cta", text: verb });
		addButton(buttons, { text: "Cancel" }, () => this.close());
		button.disabled = true;
		const typedText = (): string => input?.value.trim() ?? "";
		// Nothing is wrong with what was not filled in yet.
		const isUnfilled = (): boolean => contentEl.querySelector(":invalid") !== null || (input !== null && (typedText() === asks?.now || typedText() === ""));
		const look = async (): Promise<void> => {
			// One look at a time: in a large vault it takes a while.
			if (this.#isBusy) return;
			this.#isBusy = true;
			const round = this.#round;
			const answer = await this.change.make(typedText(), true);
			this.#isBusy = false;
			if (round !== this.#round) {
				if (this.containerEl.isConnected && !isUnfilled()) void look();
				return;
			}
			preview.empty();
			says.toggleClass("mod-warning", !answer.ok);
			showText(says, answer.ok ? this.change.describe(answer.result) : explainRefusal(answer.error));
			button.disabled = !answer.ok;
			if (!answer.ok) return;
			button.setText(answer.result.state === "proposed" ? "Propose it" : verb);
			showDiff(preview, answer.result.diff);
		};
		button.addEventListener("click", () => {
			button.disabled = true;
			void this.#make(typedText(), says);
		});
		const update = (): void => {
			button.disabled = true;
			this.#round += 1;
			window.clearTimeout(this.#timer);
			says.setText("");
			if (isUnfilled()) preview.empty();
			else this.#timer = window.setTimeout(() => void look(), TYPED_MS);
		};
		if (input === null) {
			if (!isUnfilled()) void look().then(() => (fields === undefined ? button.focus() : undefined));
			return;
		}
		input.addEventListener("input", update);
		input.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && !event.isComposing) button.click();
		});
		input.focus();
		input.select();
	}

	override onClose(): void {
		window.clearTimeout(this.#timer);
		this.#round += 1;
		this.contentEl.empty();
	}

	async #make(to: string, says: HTMLElement): Promise<void> {
		const answer = await this.change.make(to, false);
		if (!answer.ok) {
			says.addClass("mod-warning");
			showText(says, explainRefusal(answer.error));
			return;
		}
		this.close();
		const { change_id: change, state } = answer.result;
		if (change === null) return;
		const text = this.change.report(to, answer.result);
		this.change.onMade?.();
		if (state === "proposed") offerAction(`Proposed, not written yet: ${text}`, "Show", () => void this.host.reveal(CHANGES));
		else offerAction(text, "Undo", () => void undoChange(this.host, change));
	}
}

/** Show what changes in the first files of a unified diff, word by word. */
export function showDiff(el: HTMLElement, diff: string): void {
	const files = parseDiff(diff);
	for (const { path, words } of files.slice(0, SHOWN)) {
		el.createDiv({ cls: "vaultside-hunk-place", text: titleOf(path), attr: { dir: "auto" } });
		showWords(el, words);
	}
	const more = files.length - SHOWN;
	if (more > 0) addSmallLine(el, `and ${more.toLocaleString()} more files`);
}
