import type { TFile } from "obsidian";
import { type Answer, CLIENT, explainRefusal } from "../../client/client";
import type { AgentBrief, ListedSession, SessionInjections } from "../../protocol/operations";
import { age, countType } from "../../core/notes/note-labels";
import { AnswerOrder } from "../../core/answer-order";
import { nameNotes } from "../../core/history";
import { titleOf } from "../../core/place";
import { Choice } from "../modals";
import type { Host } from "../host";
import { openHit } from "../note-links";
import { showBriefAgain, showSessionNotes } from "./session-notes";
import { readWaitingHandoffs, showWaitingHandoffs, type OpenHandoffs } from "./handoffs";
import { addButton, addButtonRow } from "../button";
import { Rows } from "../rows";
import { addSmallLine } from "../lines";

const MAX_SESSIONS = 30;
const SETTLE_MS = 1_000;

/** Shows the handoffs that wait, and the sessions of agents as cards, the one that began last on top. */
export class SessionsPart {
	readonly #end: () => void;
	#timer: number | undefined;
	#over = false;
	readonly #newest = new AnswerOrder();
	#drawn = "";
	readonly #rows = new Rows();
	readonly #unfolded = new Set<string>();
	/** What each session would be told now, for those of which the person asked. */
	readonly #previews = new Map<string, AgentBrief>();
	/** What was done last, or why it could not be done. */
	#last: { readonly what: string; readonly wrong: boolean } | null = null;

	constructor(
		private readonly el: HTMLElement,
		private readonly host: Host,
	) {
		this.#end = host.events.add(({ kind }) => {
			if (kind !== "change_recorded" && kind !== "note_changed" && kind !== "memory_given") return;
			window.clearTimeout(this.#timer);
			this.#timer = window.setTimeout(() => void this.#ask(), SETTLE_MS);
		});
		void this.#ask();
	}

	/** Want nothing any more. */
	stop(): void {
		this.#over = true;
		this.#end();
		window.clearTimeout(this.#timer);
	}

	async #ask(): Promise<void> {
		const { link } = this.host;
		const isLate = this.#newest.ask();
		const [answer, given, handoffs] = await Promise.all([link.call("list_sessions", { limit: MAX_SESSIONS }), link.call("list_injections", { limit: MAX_SESSIONS }), readWaitingHandoffs(this.host)]);
		const now = JSON.stringify([answer, given, handoffs, this.#last, [...this.#previews]]);
		if (isLate() || this.#over || now === this.#drawn) return;
		this.#drawn = now;
		this.#rows.redraw(this.el, () => this.#draw(answer, given, handoffs));
	}

	#draw(answer: Answer<"list_sessions">, given: Answer<"list_injections">, handoffs: OpenHandoffs): void {
		if (this.#over) return;
		this.el.empty();
		if (!answer.ok) {
			this.el.createDiv({ cls: "vaultside-say mod-warning", text: explainRefusal(answer.error) });
			return;
		}
		if (this.#last !== null) this.el.createDiv({ cls: `vaultside-say${this.#last.wrong ? " mod-warning" : ""}`, text: this.#last.what, attr: { role: "status" } });
		showWaitingHandoffs(this.el, this.host, handoffs);
		const sessions = answer.result.sessions.filter(({ client }) => client !== CLIENT);
		if (sessions.length === 0) this.el.createDiv({ cls: "vaultside-empty", text: "No agent has worked here in the last 90 days." });
		const givenTo = new Map((given.ok ? given.result.sessions : []).map((one) => [one.session, one]));
		for (const session of sessions) this.#card(session, givenTo.get(session.id));
	}

	#card(session: ListedSession, given: SessionInjections | undefined): void {
		const { client, status, started, goal, summary, where_left_off: left, note, calls, changed } = session;
		const card = this.el.createDiv({ cls: "vaultside-session-card", attr: { "data-row": session.id, "data-status": status } });
		const head = card.createDiv({ cls: "vaultside-hit-head" });
		head.createSpan({ cls: "vaultside-session-dot", attr: { "aria-hidden": "true" } });
		head.createSpan({ cls: "vaultside-hit-title", text: client ?? "A program without a name", attr: { dir: "auto" } });
		head.createSpan({ cls: "vaultside-hit-mark", text: `${status} · ${age(started, Date.now())}` });
		for (const text of [goal, summary, left === "" ? "" : `Left off: ${left}`]) {
			if (text !== "") card.createDiv({ cls: "vaultside-hit-text", text, attr: { dir: "auto" } });
		}
		const facts = [countType("call", calls), ...(changed.length === 0 ? [] : [`changed ${nameNotes(changed)}`])];
		addSmallLine(card, facts.join(" · "));
		if (given !== undefined) showSessionNotes(card, this.host, given, client, this.#unfolded, (what, wrong) => this.#say(what, wrong));
		const now = this.#previews.get(session.id);
		if (now !== undefined) showBriefAgain(card, this.host, now, given);
		const buttons = addButtonRow(card);
		if (status === "active") this.#offer(buttons, session.id);
		if (note === null) return;
		addButton(buttons, { text: "Open the journal" }, () => openHit(this.host.app, { path: note, lines: [1, 1] }, false));
	}

	/** Offer what can be done with an open session. */
	#offer(buttons: HTMLElement, session: string): void {
		addButton(buttons, { text: "Brief again", label: "Show what this session would be told now" }, () => this.#briefAgain(session));
		addButton(buttons, { text: "Add a note…", label: "Add a note to the next answer of this session" }, () => this.#chooseNote(session));
	}

	/** Ask for a note of the vault, the one opened last on top. */
	#chooseNote(session: string): void {
		const { vault, workspace } = this.host.app;
		const recent = workspace.getLastOpenFiles();
		const rank = ({ path }: TFile): number => (recent.includes(path) ? recent.indexOf(path) : recent.length);
		const notes = vault.getMarkdownFiles().sort((one, other) => rank(one) - rank(other));
		new Choice(this.host, "Add a note…", notes, ({ path }) => path, ({ path }) => void this.#give(session, path)).open();
	}

	async #give(session: string, path: string): Promise<void> {
		const answer = await this.host.link.call("give_note", { session, path });
		if (answer.ok) this.#say(`It is given “${titleOf(path)}” with its next answer.`, false);
		else this.#say(explainRefusal(answer.error), true);
	}

	async #briefAgain(session: string): Promise<void> {
		const answer = await this.host.link.call("brief", { session });
		if (this.#over) return;
		if (!answer.ok) return this.#say(explainRefusal(answer.error), true);
		this.#previews.set(session, answer.result);
		await this.#ask();
	}

	#say(what: string, wrong: boolean): void {
		this.#last = { what, wrong };
		void this.#ask();
	}
}
