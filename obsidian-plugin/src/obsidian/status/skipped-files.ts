import type { LeftOut } from "../../protocol/operations";
import { count, type Group, groups } from "../../core/status/vault";
import { showText } from "../lines";
import { addButton, addButtonRow } from "../button";

/** Files that are not in the index, by the reasons; what is unfolded stays so when it is shown anew. */
export class SkippedFiles {
	readonly #el: HTMLDetailsElement;
	readonly #nameEl: HTMLElement;
	readonly #bodyEl: HTMLElement;
	#shown = "";

	/**
	 * @param retry Reads files again; without it, nothing of the kind is offered.
	 */
	constructor(
		parent: HTMLElement,
		private readonly name: string,
		private readonly retry: ((paths: readonly string[]) => void) | null = null,
	) {
		this.#el = parent.createEl("details", { cls: "vaultside-left-list" });
		this.#nameEl = this.#el.createEl("summary");
		this.#bodyEl = this.#el.createDiv();
	}

	update(left: LeftOut): void {
		const now = JSON.stringify(left);
		if (now === this.#shown) return;
		this.#shown = now;
		this.#el.toggle(left.count > 0);
		this.#nameEl.setText(`${this.name}: ${count(left.count)}`);
		const open = new Set([...this.#bodyEl.querySelectorAll("details[open] > summary")].map((summary) => summary.getAttribute("data-reason")));
		this.#bodyEl.empty();
		const told = groups(left);
		for (const group of told.groups) this.#group(group, open.has(group.reason));
		if (told.more !== "") this.#bodyEl.createDiv({ cls: "vaultside-left vaultside-small", text: `${told.more} for other reasons` });
		if (this.retry !== null && left.count > 0) this.#offerAgain(left);
	}

	#group({ reason, count: held, paths, more }: Group, isOpen: boolean): void {
		const el = this.#bodyEl.createEl("details", { cls: "vaultside-left" });
		el.open = isOpen;
		const summary = el.createEl("summary", { attr: { "data-reason": reason } });
		showText(summary.createSpan(), reason);
		summary.createSpan({ cls: "vaultside-left-count", text: count(held) });
		for (const path of paths) el.createDiv({ cls: "vaultside-left-path", text: path, attr: { dir: "auto" } });
		if (more !== "") el.createDiv({ cls: "vaultside-left-path vaultside-small", text: more });
	}

	#offerAgain({ first }: LeftOut): void {
		addButton(addButtonRow(this.#bodyEl), { text: "Try again" }, () => this.retry?.(first.map(({ path }) => path)));
	}
}
