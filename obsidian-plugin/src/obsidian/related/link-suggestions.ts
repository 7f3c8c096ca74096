import { Notice } from "obsidian";
import type { LinkSuggestion } from "../../protocol/operations";
import { titleOf } from "../../core/place";
import type { Missing } from "../../core/missing-links";
import { quoteSpan } from "../../core/quotes";
import type { Host } from "../host";
import { Fold } from "./fold";
import type { LinkMaker } from "./link-maker";
import { showRow, showSome } from "./missing-row";
import { addButton } from "../button";

const MAX_SUGGESTIONS = 50;
const SHOWN = 10;

type Suggested = Missing & Pick<LinkSuggestion, "lines" | "score" | "why">;

/** Shows which words of a note could link to other notes: to be accepted one by one or together, or dismissed. */
export class LinkSuggestionPart {
	readonly #fold: Fold;
	#round = 0;
	#path = "";
	#digest = "";
	#all: readonly Suggested[] = [];

	constructor(
		parent: HTMLElement,
		private readonly host: Host,
		private readonly maker: LinkMaker,
		unfolded: Set<string>,
	) {
		this.#fold = new Fold(parent, "Suggested links", unfolded);
		this.#fold.count(null);
	}

	/** Show those of a note; null when there is no note, or none that could have links. */
	async show(path: string | null): Promise<void> {
		if (path !== this.#path) this.#draw(path ?? "", []);
		if (path === null) this.#round += 1;
		else await this.#ask(path);
	}

	async #ask(path: string): Promise<void> {
		const round = (this.#round += 1);
		const answer = await this.host.link.call("suggest_links", { path, limit: MAX_SUGGESTIONS });
		const file = this.host.app.vault.getFileByPath(path);
		const text = answer.ok && file !== null && answer.result.suggestions.length > 0 ? await this.host.app.vault.read(file) : "";
		if (round !== this.#round) return;
		// What goes wrong is told of the related notes, which ask the same bridge.
		this.#digest = answer.ok ? answer.result.digest : "";
		this.#draw(path, answer.ok ? answer.result.suggestions.map((one) => ({ ...one, quote: quoteSpan(text, one.span, one.text) })) : []);
	}

	#draw(path: string, all: readonly Suggested[]): void {
		[this.#path, this.#all] = [path, all];
		const { body } = this.#fold;
		this.#fold.count(all.length === 0 ? null : all.length);
		body.empty();
		if (all.filter((one) => !this.maker.waits(path, one)).length > 1) {
			addButton(body, { text: "Review all…" }, () => this.#review());
		}
		const list = body.createDiv({ attr: { role: "list", "aria-label": "Suggested links" } });
		showSome(list, all, SHOWN, (one) => this.#row(list, one));
	}

	#row(list: HTMLElement, one: Suggested): void {
		const name = titleOf(one.target);
		showRow(list, this.host.app, {
			name: `→ ${name}`,
			path: one.target,
			line: 1,
			quote: one.quote,
			text: one.text,
			more: [`${Math.round(one.score * 100)} % likely`, ...one.why],
			waits: this.maker.waits(this.#path, one),
			acts: [
				{ text: "Link", label: `Link “${one.text}” to ${name}`, act: () => this.#accept(one) },
				{ text: "Not here", label: `Do not suggest to link “${one.text}” to ${name} here`, act: () => this.maker.dismiss(this.#path, one) },
			],
		});
	}

	async #accept(one: Suggested): Promise<void> {
		const found = await this.#current([one]);
		if (found.length > 0) await this.maker.link(this.#path, found, this.#digest);
	}

	async #review(): Promise<void> {
		const found = await this.#current(this.#all.filter((one) => !this.maker.waits(this.#path, one)));
		if (found.length > 0) await this.maker.preview(this.#path, found, this.#digest);
	}

	/** The same suggestions in the note as it is now, with what was typed and not saved until now. */
	async #current(wanted: readonly Suggested[]): Promise<readonly Suggested[]> {
		if (!(await this.maker.save(this.#path))) return wanted;
		await this.#ask(this.#path);
		const found = wanted.flatMap(({ target, text }) => this.#all.filter((one) => one.target === target && one.text === text));
		if (found.length === 0) new Notice("The words are not there any more.");
		return found;
	}
}
