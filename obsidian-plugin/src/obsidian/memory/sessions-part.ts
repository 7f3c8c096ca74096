import { CLIENT } from "../../client/client";
import type { ListedSession, SessionInjections } from "../../protocol/operations";
import { age } from "../../core/notes/age";
import { countType } from "../../core/notes/note-types";
import { named } from "../../core/history";
import { withHint } from "../../core/refusal";
import type { Host } from "../host";
import { open } from "../opening";
import { showGivenNotes } from "./given-notes";

const MOST = 30;
const SETTLE_MS = 1_000;

/** Shows the sessions of agents as cards, the one that began last on top. */
export class SessionsPart {
	private readonly end: () => void;
	private timer: number | undefined;
	private over = false;
	private drawn = "";
	private readonly unfolded = new Set<string>();
	/** Why a note could not be taken out. */
	private refusal = "";

	constructor(
		private readonly el: HTMLElement,
		private readonly host: Host,
	) {
		this.end = host.events.add(({ kind }) => {
			if (kind !== "change_recorded" && kind !== "note_changed" && kind !== "memory_given") return;
			window.clearTimeout(this.timer);
			this.timer = window.setTimeout(() => void this.ask(), SETTLE_MS);
		});
		void this.ask();
	}

	/** Want nothing any more. */
	stop(): void {
		this.over = true;
		this.end();
		window.clearTimeout(this.timer);
	}

	private async ask(): Promise<void> {
		const { link } = this.host;
		const [answer, given] = await Promise.all([link.call("list_sessions", { limit: MOST }), link.call("list_injections", { limit: MOST })]);
		const now = JSON.stringify([answer, given, this.refusal]);
		if (this.over || now === this.drawn) return;
		this.drawn = now;
		this.el.empty();
		if (!answer.ok) {
			this.el.createDiv({ cls: "vault-bridge-say mod-warning", text: withHint(answer.error) });
			return;
		}
		if (this.refusal !== "") this.el.createDiv({ cls: "vault-bridge-say mod-warning", text: this.refusal });
		const sessions = answer.result.sessions.filter(({ client }) => client !== CLIENT);
		if (sessions.length === 0) this.el.createDiv({ cls: "vault-bridge-empty", text: "No agent has worked here in the last 90 days." });
		const givenTo = new Map((given.ok ? given.result.sessions : []).map((one) => [one.session, one]));
		for (const session of sessions) this.card(session, givenTo.get(session.id));
	}

	private card(session: ListedSession, given: SessionInjections | undefined): void {
		const { client, status, started, goal, summary, where_left_off: left, note, calls, changed } = session;
		const card = this.el.createDiv({ cls: "vault-bridge-session-card", attr: { "data-status": status } });
		const head = card.createDiv({ cls: "vault-bridge-hit-head" });
		head.createSpan({ cls: "vault-bridge-session-dot", attr: { "aria-hidden": "true" } });
		head.createSpan({ cls: "vault-bridge-hit-title", text: client ?? "A program without a name", attr: { dir: "auto" } });
		head.createSpan({ cls: "vault-bridge-hit-mark", text: `${status} · ${age(started, Date.now())}` });
		for (const text of [goal, summary, left === "" ? "" : `Left off: ${left}`]) {
			if (text !== "") card.createDiv({ cls: "vault-bridge-hit-text", text, attr: { dir: "auto" } });
		}
		const facts = [countType("call", calls), ...(changed.length === 0 ? [] : [`changed ${named(changed)}`])];
		card.createDiv({ cls: "vault-bridge-small", text: facts.join(" · ") });
		if (given !== undefined) showGivenNotes(card, this.host, given, this.unfolded, (why) => {
			this.refusal = why;
			void this.ask();
		});
		if (note === null) return;
		card.createEl("button", { text: "Open the journal" }).addEventListener("click", () => void open(this.host.app, { path: note, lines: [1, 1] }, false));
	}
}
