import { type EditorView, WidgetType } from "@codemirror/view";
import { setIcon, setTooltip } from "obsidian";
import { titleOf } from "../../core/place";
import type { Offer, Offers } from "../../core/offers";

/** What can be done with offers. */
export interface OfferActs {
	readonly make: (view: EditorView, offers: readonly Offer[]) => void;
	readonly decline: (view: EditorView, offer: Offer) => void;
	readonly close: (view: EditorView) => void;
}

const BAR = "vaultside-offers";

/** Chips below a paragraph, one for each link that is offered; one of them can be reached by Tab, the others by arrows. */
export class OfferBar extends WidgetType {
	constructor(
		private readonly offers: Offers,
		private readonly acts: OfferActs,
	) {
		super();
	}

	override eq(other: OfferBar): boolean {
		return other.offers === this.offers;
	}

	toDOM(view: EditorView): HTMLElement {
		const { all } = this.offers;
		const el = createDiv({ cls: BAR });
		el.setAttrs({ role: "toolbar", "aria-label": "Links for this paragraph", "aria-orientation": "horizontal" });
		for (const offer of all) this.#chip(el, view, offer);
		const end = el.createDiv({ cls: `${BAR}-end` });
		if (all.length > 1) {
			const every = this.#button(end, `Link all ${all.length}`, () => this.acts.make(view, all));
			every.setText(`All ${all.length}`);
		}
		const close = this.#button(end, "Close", () => this.acts.close(view));
		close.addClass("clickable-icon");
		setIcon(close, "x");
		el.addEventListener("keydown", (event) => this.#onKey(el, view, event));
		stops(el)[0]?.setAttr("tabindex", "0");
		return el;
	}

	/** What happens in it is its own, and not the editor's. */
	override ignoreEvent(): boolean {
		return true;
	}

	#chip(el: HTMLElement, view: EditorView, offer: Offer): void {
		const chip = el.createDiv({ cls: `${BAR}-chip` });
		const title = titleOf(offer.target);
		const make = this.#button(chip, [`Link “${offer.text}” to ${title}`, ...offer.why].join(" · "), () => this.acts.make(view, [offer]));
		make.setAttr("aria-keyshortcuts", "Enter Delete");
		make.createEl("bdi", { text: offer.text });
		if (title.toLowerCase() !== offer.text.toLowerCase()) {
			setIcon(make.createSpan(), "arrow-right");
			make.createEl("bdi", { cls: `${BAR}-target`, text: title });
		}
		const drop = chip.createEl("button", { cls: "clickable-icon", attr: { tabindex: "-1" } });
		setTooltip(drop, `Do not suggest “${offer.text}” here`);
		setIcon(drop, "x");
		drop.addEventListener("click", () => this.acts.decline(view, offer));
	}

	#button(el: HTMLElement, label: string, act: () => void): HTMLButtonElement {
		const button = el.createEl("button", { attr: { tabindex: "-1", "data-stop": "" } });
		setTooltip(button, label);
		button.addEventListener("click", act);
		return button;
	}

	#onKey(el: HTMLElement, view: EditorView, event: KeyboardEvent): void {
		const all = stops(el);
		const at = all.findIndex((stop) => stop === el.doc.activeElement);
		const ahead = el.win.getComputedStyle(el).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
		const offer = this.offers.all[at];
		if (event.key === "Escape") this.acts.close(view);
		else if ((event.key === "Delete" || event.key === "Backspace") && offer !== undefined) this.acts.decline(view, offer);
		else if (event.key.startsWith("Arrow")) stopAt(all, at + (event.key === ahead || event.key === "ArrowDown" ? 1 : -1));
		else return;
		event.preventDefault();
		event.stopPropagation();
	}
}

/** Put the focus on one of the chips of an editor, by its number. */
export function focusOffer(view: EditorView, at: number): void {
	const el = view.dom.querySelector<HTMLElement>(`.${BAR}`);
	if (el !== null) stopAt(stops(el), at);
}

/** The number of the chip that has the focus, or one of which has; -1 for none. */
export function focusedOffer(view: EditorView): number {
	const { activeElement } = view.dom.doc;
	return [...view.dom.querySelectorAll(`.${BAR}-chip`)].findIndex((chip) => chip.contains(activeElement));
}

function stops(el: HTMLElement): readonly HTMLElement[] {
	return [...el.querySelectorAll<HTMLElement>("[data-stop]")];
}

function stopAt(all: readonly HTMLElement[], at: number): void {
	const chosen = all[(at + all.length) % all.length];
	for (const stop of all) stop.setAttr("tabindex", stop === chosen ? "0" : "-1");
	chosen?.focus();
}
