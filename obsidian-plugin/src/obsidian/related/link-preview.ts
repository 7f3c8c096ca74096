import { type App, Modal } from "obsidian";
import type { Answer } from "../../client/client";
import type { LinkEdit } from "../../protocol/operations";
import { titleOf } from "../../core/place";
import { type Missing, describeProposals, type Proposed } from "../../core/missing-links";
import { showRefusal } from "../changes/change-row";
import { showWords } from "../changes/hunks";
import { addButton, addButtonRow } from "../button";
import { addSmallLine } from "../lines";

/** Shows the links that would be made in a note, each to be ticked, before any is. */
export class LinkPreview extends Modal {
	readonly #all: readonly Proposed[];
	readonly #ticked: Set<Missing>;

	/**
	 * @param edit What making them all would do.
	 * @param chosen The words that they are made of.
	 * @param make Makes those that are ticked.
	 */
	constructor(
		app: App,
		private readonly edit: LinkEdit,
		chosen: readonly Missing[],
		private readonly make: (ticked: readonly Missing[]) => Promise<Answer<"apply_links">>,
	) {
		super(app);
		this.#all = describeProposals(edit.links, chosen);
		this.#ticked = new Set(this.#all.map(({ missing }) => missing));
	}

	override onOpen(): void {
		this.setTitle(`Links in ${titleOf(this.edit.path)}`);
		this.modalEl.addClass("vaultside-preview");
		const { contentEl } = this;
		const accept = contentEl.createEl("button", { cls: "mod-cta" });
		const verb = this.edit.state === "proposed" ? "Propose" : "Make";
		const draw = (): void => {
			const count = this.#ticked.size;
			accept.setText(count === 1 ? `${verb} 1 link` : `${verb} ${count} links`);
			accept.disabled = count === 0;
		};
		for (const one of this.#all) this.#part(contentEl, one, draw);
		for (const { target, line, why } of this.edit.refused) {
			addSmallLine(contentEl, `Not to ${titleOf(target)} in line ${line}: ${why}.`, { dir: "auto" });
		}
		const refused = contentEl.createDiv({ attr: { role: "alert" } });
		const buttons = addButtonRow(contentEl);
		accept.addEventListener("click", () => void this.#accept(accept, refused));
		buttons.append(accept);
		addButton(buttons, { text: "Cancel" }, () => this.close());
		draw();
		accept.focus();
	}

	override onClose(): void {
		this.contentEl.empty();
	}

	#part(el: HTMLElement, { missing, line, words }: Proposed, onTick: () => void): void {
		const part = el.createDiv({ cls: "vaultside-hunk" });
		const label = part.createEl("label", { cls: "vaultside-hunk-head" });
		const box = label.createEl("input", { type: "checkbox" });
		box.checked = true;
		box.addEventListener("change", () => {
			if (box.checked) this.#ticked.add(missing);
			else this.#ticked.delete(missing);
			onTick();
		});
		label.createSpan({ cls: "vaultside-hunk-place", text: `Line ${line}, to ${titleOf(missing.target)}`, attr: { dir: "auto" } });
		showWords(part, words);
	}

	async #accept(button: HTMLButtonElement, refused: HTMLElement): Promise<void> {
		button.disabled = true;
		const answer = await this.make(this.#all.map(({ missing }) => missing).filter((missing) => this.#ticked.has(missing)));
		if (answer.ok) {
			this.close();
			return;
		}
		button.disabled = false;
		refused.empty();
		showRefusal(refused, answer.error);
	}
}
