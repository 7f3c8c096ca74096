import { addSmallText, addStatusLine, showText } from "../lines";
import type { Host } from "../host";
import { titleOf } from "../../core/place";
import { openHit } from "../note-links";
import { addButton } from "../button";

/** One turn of the conversation: what is asked, what is answered, and how far it is. */
export abstract class TurnPart<Result> {
	protected readonly textEl: HTMLElement;
	readonly #sayEl: HTMLElement;

	constructor(
		el: HTMLElement,
		protected readonly host: Host,
		asked: string,
		begun: string,
	) {
		el.createDiv({ cls: "vaultside-question", text: asked, attr: { dir: "auto" } });
		this.textEl = el.createDiv({ cls: "vaultside-answer", attr: { dir: "auto" } });
		this.#sayEl = addStatusLine(el);
		this.say(begun);
	}

	abstract show(result: Result): void;

	say(text: string): void {
		showText(this.#sayEl, text);
	}

	/** Show why there is no answer. */
	refuse(why: string): void {
		this.say(why);
		this.#sayEl.addClass("mod-warning");
	}

	/** The user wants no more of it; what is there stays. */
	stop(): void {
		this.say("Stopped.");
	}
}

/** A place in a note that something rests on; without a path, a text of another program. */
export interface CitedPlace {
	readonly path: string;
	readonly lines: readonly [number, number];
	readonly quote?: string;
}

/** Show a small button that opens the cited lines; of another program's text, which is nowhere, only its number. */
export function cite(el: HTMLElement, host: Host, text: string, { path, lines, quote }: CitedPlace, cls = "vaultside-cite"): void {
	if (path === "") {
		addSmallText(el, `[${text}]`);
		return;
	}
	const label = `Open ${titleOf(path)}, line ${lines[0]}`;
	addButton(el, { cls, text, attr: { "aria-label": label, title: quote ?? label, dir: "auto" } }, () => openHit(host.app, { path, lines }, false));
}
