import { showSaid } from "../command";
import type { Host } from "../host";
import { addSayLine } from "../say-line";

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
		this.#sayEl = addSayLine(el);
		this.say(begun);
	}

	abstract show(result: Result): void;

	say(text: string): void {
		showSaid(this.#sayEl, text);
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
