import { setIcon, setTooltip } from "obsidian";
import type { PaneFollower, PanePlace } from "../../core/pane-follower";
import { titleOf } from "../../core/place";
import { addButton } from "../button";
import { addStatusLine } from "../lines";

/** What the head of the pane can switch. */
export interface Switches {
	readonly bySection: () => boolean;
	readonly why: () => boolean;
	readonly setBySection: (on: boolean) => void;
	readonly setWhy: (on: boolean) => void;
}

/** Tells what the pane is about, and switches how it follows. */
export class Head {
	readonly #title: HTMLElement;
	readonly #scope: HTMLElement;
	readonly #state: HTMLElement;
	readonly #draws: (() => void)[] = [];

	constructor(
		parent: HTMLElement,
		private readonly follower: PaneFollower,
		private readonly switches: Switches,
	) {
		const head = parent.createDiv({ cls: "vaultside-head" });
		this.#title = head.createEl("h4", { cls: "vaultside-head-title", attr: { dir: "auto" } });
		this.#toggle(head, "info", "Show why each note is here", switches.why, switches.setWhy);
		this.#toggle(head, "pin", "Pin: stay with this note, and keep it up to date", () => follower.isPinned, (on) => follower.pin(on));
		this.#toggle(head, "pause", "Pause: keep what is shown, and ask for nothing", () => follower.isPaused, (on) => follower.pause(on));
		this.#scope = parent.createDiv({ cls: "vaultside-scope" });
		this.#state = addStatusLine(parent);
	}

	/** Draw it as things stand. */
	draw(place: PanePlace | null): void {
		for (const draw of this.#draws) draw();
		this.#title.setText(place === null ? "No note is open" : titleOf(place.path));
		if (place !== null) setTooltip(this.#title, place.path);
		this.#drawScope(place);
		const { isPaused, isPinned } = this.follower;
		this.#state.setText(isPaused ? "Paused. This may be out of date." : isPinned ? "Stays with this note." : "");
	}

	/** Say that there is something newer, which comes when the person has left the lists. */
	wait(): void {
		this.#state.setText("Updates resume when you leave this list.");
	}

	#drawScope(place: PanePlace | null): void {
		this.#scope.empty();
		const bySection = this.switches.bySection();
		const section = (bySection ? place?.section : null) ?? null;
		if (place === null || (bySection && section === null)) return;
		this.#scope.createSpan({ cls: "vaultside-scope-text", text: section === null ? "Related to the whole note" : `Related to § ${section.heading}`, attr: { dir: "auto" } });
		addButton(this.#scope, { text: bySection ? "Whole note" : "Follow sections" }, () => this.switches.setBySection(!bySection));
	}

	#toggle(parent: HTMLElement, icon: string, label: string, is: () => boolean, set: (on: boolean) => void): void {
		const button = parent.createEl("button", { cls: "clickable-icon", attr: { "aria-label": label } });
		setIcon(button, icon);
		button.addEventListener("click", () => {
			set(!is());
			this.draw(this.follower.place);
		});
		this.#draws.push(() => {
			button.setAttr("aria-pressed", String(is()));
			button.toggleClass("is-active", is());
		});
	}
}
