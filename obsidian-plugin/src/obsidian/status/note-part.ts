import { Keymap } from "obsidian";
import type { IndexStatus, Passage } from "../../protocol/operations";
import { AnswerOrder } from "../../core/answer-order";
import { readable } from "../../core/place";
import { explainRefusal } from "../../client/client";
import { andMore } from "../../core/status/vault";
import type { Host } from "../host";
import { openHit } from "../note-links";
import { addSmallLine } from "../lines";

const SHOWN = 30;

/** The active note as the index sees it. */
export class NotePart {
	#shown = "";
	readonly #newest = new AnswerOrder();

	constructor(
		private readonly el: HTMLElement,
		private readonly host: Host,
	) {}

	/** Show a note; what did not change stays as it is. */
	async show(path: string): Promise<void> {
		const isLate = this.#newest.ask();
		const answer = await this.host.link.call("index_status", { path });
		// Another note may have been opened meanwhile; the last one that was asked for is shown.
		if (isLate() || this.host.app.workspace.getActiveFile()?.path !== path) return;
		const now = JSON.stringify([path, answer]);
		if (now === this.#shown) return;
		this.#shown = now;
		const unfolded = new Set([...this.el.querySelectorAll("details[open]")].map((details) => details.getAttribute("data-name")));
		this.el.empty();
		this.el.createEl("h6", { cls: "vaultside-part", text: "This note, as the index sees it" });
		this.el.createDiv({ text: path, attr: { dir: "auto" } });
		if (!answer.ok) {
			this.el.createDiv({ cls: "vaultside-empty", text: explainRefusal(answer.error) });
			return;
		}
		const { passages, left_out: leftOut, problems } = answer.result;
		addSmallLine(this.el, summary(answer.result));
		for (const passage of passages.slice(0, SHOWN)) this.#passage(path, passage);
		const more = andMore(passages.length - SHOWN);
		if (more !== "") addSmallLine(this.el, more);
		this.#lines("Left out: other notes have the same text", leftOut, unfolded);
		this.#lines("Could not be understood", problems, unfolded);
	}

	#passage(path: string, { lines, heading, embedded }: Passage): void {
		const row = this.el.createEl("button", { cls: "vaultside-passage", attr: { "aria-label": `Open lines ${lines[0]} to ${lines[1]}` } });
		row.createSpan({ cls: "vaultside-passage-lines", text: lines.join("–") });
		row.createSpan({ cls: "vaultside-passage-heading", text: readable(heading.split(" > ")) || "Before the first heading", attr: { dir: "auto" } });
		if (!embedded) row.createSpan({ cls: "vaultside-hit-mark", text: "words only" });
		row.addEventListener("click", (event) => void openHit(this.host.app, { path, lines }, Keymap.isModEvent(event)));
	}

	#lines(name: string, all: readonly string[], unfolded: ReadonlySet<string | null>): void {
		if (all.length === 0) return;
		const details = this.el.createEl("details", { attr: { "data-name": name } });
		details.open = unfolded.has(name);
		details.createEl("summary", { text: `${name}: ${all.length}` });
		for (const line of all.slice(0, SHOWN)) details.createDiv({ cls: "vaultside-left", text: line, attr: { dir: "auto" } });
		const more = andMore(all.length - SHOWN);
		if (more !== "") addSmallLine(details, more);
	}
}

function summary({ state, reason, passages }: IndexStatus): string {
	const what = passages.length === 1 ? "1 passage" : `${passages.length} passages`;
	return [state === "indexed" ? what : state, ...(reason === null ? [] : [reason])].join(" · ");
}
