import { setIcon } from "obsidian";
import { type Answer, type Clash, explainRefusal, type Refusal } from "../../client/client";
import type { ListedChange, ShownChange } from "../../protocol/operations";
import { labelOf, nameNotes, describeState, formatTime } from "../../core/history";
import { addSmallLine, addSmallText, showCommand, showText } from "../lines";
import type { Host } from "../host";
import { showHunks } from "./hunks";
import { addButton, addButtonRow } from "../button";

type Decision = "accept" | "reject" | "undo" | "redo";

const DONE: Readonly<Record<Decision, string>> = {
	accept: "Accepted.",
	reject: "Rejected.",
	undo: "Undone.",
	redo: "Redone.",
};

/** From a window whose changes wait, undoing waits too. */
export const PROPOSED = "Proposed; awaiting approval.";

/** What a row tells of what was done with it. */
export interface ChangeRowListener {
	readonly onToggle: (open: boolean) => void;
	readonly onDecision: (said: string) => void;
}

/** A change that can be opened to be read and decided upon. */
export class ChangeRow {
	readonly el: HTMLDetailsElement;
	readonly #body: HTMLElement;
	#loaded = false;

	constructor(
		parent: HTMLElement,
		private readonly host: Host,
		readonly change: ListedChange,
		private readonly listener: ChangeRowListener,
	) {
		this.el = parent.createEl("details", { cls: "vaultside-change", attr: { "data-row": change.id, "data-state": change.state } });
		this.#summarise(this.el.createEl("summary"));
		this.#body = this.el.createDiv({ cls: "vaultside-change-body" });
		this.el.addEventListener("toggle", () => {
			this.listener.onToggle(this.el.open);
			if (this.el.open && !this.#loaded) void this.#load();
		});
	}

	#summarise(el: HTMLElement): void {
		const { change } = this;
		const { text, icon } = describeState(change);
		const head = el.createDiv({ cls: "vaultside-change-head" });
		head.createSpan({ cls: "vaultside-change-title", text: `${labelOf(change.operation)}: ${nameNotes(change.paths)}`, attr: { dir: "auto" } });
		const state = head.createSpan({ cls: "vaultside-change-state" });
		setIcon(state.createSpan(), icon);
		state.createSpan({ text });
		addSmallLine(el, formatTime(change.time, new Date()));
		if (change.reason !== null) el.createDiv({ cls: "vaultside-change-reason", text: change.reason, attr: { dir: "auto" } });
	}

	async #load(): Promise<void> {
		this.#loaded = true;
		const answer = await this.host.link.call("show_change", { change_id: this.change.id });
		this.#body.empty();
		if (answer.ok) this.#show(answer.result);
		else showRefusal(this.#body, answer.error);
	}

	#show(change: ShownChange): void {
		if (change.state === "conflict") {
			this.#body.createDiv({
				cls: "vaultside-say mod-warning",
				text: "This change was interrupted, and its notes were changed meanwhile. Undo it, or correct them by hand.",
			});
		}
		if (change.expires !== null) addSmallLine(this.#body, `Expires ${new Date(change.expires).toLocaleDateString(undefined, { dateStyle: "medium" })}`);
		const chosen = new Set(change.hunks.map(({ number }) => number));
		const buttons = addButtonRow(this.#body);
		const refused = this.#body.createDiv({ attr: { role: "alert" } });
		const draw = (): void => this.#offer(buttons, refused, change, chosen);
		showHunks(this.#body, this.host.app, change, {
			act: (head, { number, undone }, name) => {
				if (change.state === "applied" && undone) showUndone(head);
				if (change.hunks.length < 2) return;
				if (change.state === "proposed" && this.host.link.decides) {
					const box = head.createEl("input", { type: "checkbox", attr: { "aria-label": `Accept ${name}` } });
					box.checked = true;
					box.addEventListener("change", () => {
						if (box.checked) chosen.add(number);
						else chosen.delete(number);
						draw();
					});
				}
				if (change.state === "applied" && !undone) this.#offerPart(head, refused, number, name);
			},
		});
		this.#body.append(refused, buttons);
		draw();
	}

	/** Offer what can be done with the change, as it stands. */
	#offer(el: HTMLElement, refused: HTMLElement, { state, hunks }: ShownChange, chosen: ReadonlySet<number>): void {
		el.empty();
		if (state === "proposed" && !this.host.link.decides) {
			addSmallLine(el, "This window was let in by pairing: it may propose, but not accept. Where the bridge runs, a window that needed no pairing can, and so can a terminal:");
			showCommand(el, `vaultside decide ${this.change.id} accept`);
		} else if (state === "proposed") {
			const some = chosen.size < hunks.length;
			const accept = this.#button(el, some ? `Accept ${chosen.size} of ${hunks.length} parts` : "Accept", () =>
				this.#decide("accept", refused, some ? [...chosen].sort((one, other) => one - other) : null));
			accept.addClass("mod-cta");
			accept.disabled = some && chosen.size === 0;
			this.#button(el, "Reject", () => this.#decide("reject", refused));
		}
		if (state === "applied" || state === "conflict") this.#button(el, "Undo", () => this.#decide("undo", refused));
		if (state === "undone") this.#button(el, "Redo", () => this.#decide("redo", refused));
	}

	#offerPart(head: HTMLElement, refused: HTMLElement, number: number, name: string): void {
		const button = this.#button(head, "Undo this", async () => {
			if (await this.#decide("undo", refused, [number])) button.replaceWith(showUndone(head));
		}, `Undo ${name}`);
	}

	#button(el: HTMLElement, text: string, act: () => Promise<unknown>, label = text): HTMLButtonElement {
		const button = addButton(el, { text, label }, () => {
			button.disabled = true;
			void act().then(() => (button.disabled = false));
		});
		return button;
	}

	async #decide(decision: Decision, refused: HTMLElement, hunks: readonly number[] | null = null): Promise<boolean> {
		const answer = await this.#carryOut(decision, hunks === null ? {} : { hunks });
		refused.empty();
		if (!answer.ok) showRefusal(refused, answer.error);
		else this.listener.onDecision([answer.result.state === "proposed" ? PROPOSED : DONE[decision], ...answer.result.warnings].join(" "));
		return answer.ok && answer.result.state === "applied";
	}

	#carryOut(decision: Decision, given: { readonly hunks?: readonly number[] }): Promise<Answer<"decide" | "undo_change">> {
		const { link } = this.host;
		const { id } = this.change;
		return decision === "accept" || decision === "reject" ? link.call("decide", { ...given, id, verdict: decision }) : link.call("undo_change", { ...given, change_id: id, redo: decision === "redo" });
	}
}

function showUndone(head: HTMLElement): HTMLElement {
	return addSmallText(head, DONE.undo);
}

/** Show why something was not done, and what stands in the way. */
export function showRefusal(el: HTMLElement, error: Refusal<string>): void {
	showText(el.createDiv({ cls: "vaultside-say mod-warning" }), error.conflicts === undefined ? explainRefusal(error) : error.message);
	for (const clash of error.conflicts ?? []) showClash(el, clash);
}

function showClash(el: HTMLElement, { path, why, ours, theirs }: Clash): void {
	const box = el.createDiv({ cls: "vaultside-clash" });
	box.createDiv({ text: nameNotes([path]), attr: { dir: "auto" } });
	addSmallLine(box, why);
	for (const [name, text] of [["Current text", ours], ["Text of this change", theirs]] as const) {
		if (text.trim() === "") continue;
		addSmallLine(box, name);
		box.createDiv({ cls: "vaultside-clash-text", text: text.trim(), attr: { dir: "auto" } });
	}
}
