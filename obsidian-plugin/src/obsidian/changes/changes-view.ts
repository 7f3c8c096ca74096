import { countType } from "../../core/notes/note-labels";
import type { IconName, WorkspaceLeaf } from "obsidian";
import { AnswerOrder } from "../../core/answer-order";
import type { ListedChange, ListedDecision, ListedDecisions } from "../../protocol/operations";
import { changesDecisions } from "../../core/bridge-events";
import { type Group, groupChanges, inForce } from "../../core/history";
import { ChangeRow, PROPOSED, showRefusal } from "./change-row";
import { addStatusLine, showText } from "../lines";
import { CHANGES, type Host } from "../host";
import { Pane } from "../pane";
import { addButton, addButtonRow } from "../button";
import { keepOpen, Rows } from "../rows";

const PAGE = 20;
/** As many as the bridge lists at once. */
const MAX_CHANGES = 200;
const SETTLE_MS = 200;

/** Lists the changes, proposals and requests of agents and other programs, to read, answer and undo. */
export class ChangesView extends Pane {
	readonly #unfolded = new Set<string>();
	#limit = PAGE;
	#shown = "";
	#round = 0;
	#timer: number | undefined;
	#sayEl: HTMLElement | null = null;
	#body: HTMLElement | null = null;
	#rows = new Map<string, ChangeRow>();
	readonly #kept = new Rows();

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "file-diff";
	}

	getViewType(): string {
		return CHANGES;
	}

	getDisplayText(): string {
		return "Changes by agents";
	}

	override getIcon(): IconName {
		return "file-diff";
	}

	protected show(el: HTMLElement): void {
		this.#sayEl = addStatusLine(el);
		this.#body = el.createDiv({ cls: "vaultside-body" });
		this.#body.addEventListener("keydown", (event) => this.#step(event));
		this.whileShown(this.host.events.add(({ kind }) => {
			if (changesDecisions(kind)) this.#soon();
		}));
		void this.#ask();
	}

	protected override hide(): void {
		window.clearTimeout(this.#timer);
		this.#round += 1;
		this.#shown = "";
		this.#rows.clear();
		this.#body = this.#sayEl = null;
	}

	#soon(): void {
		window.clearTimeout(this.#timer);
		this.#timer = window.setTimeout(() => void this.#ask(), SETTLE_MS);
	}

	async #ask(): Promise<void> {
		const round = (this.#round += 1);
		const { link } = this.host;
		const [decisions, all] = await Promise.all([
			link.call("list_decisions", { limit: MAX_CHANGES }),
			link.call("list_changes", { limit: Math.min(this.#limit + 1, MAX_CHANGES) }),
		]);
		if (round !== this.#round || this.#body === null) return;
		if (!decisions.ok || !all.ok) {
			this.#shown = "";
			this.#body.empty();
			for (const answer of [decisions, all]) if (!answer.ok) return showRefusal(this.#body, answer.error);
			return;
		}
		const listed = all.result.changes;
		const done = listed.slice(0, this.#limit).filter(({ state }) => state !== "proposed");
		const now = JSON.stringify([decisions.result, done, listed.length]);
		// What is being read is not drawn anew for nothing.
		if (now === this.#shown) return;
		this.#shown = now;
		const body = this.#body;
		this.#kept.redraw(body, () => this.#draw(body, decisions.result, done, listed.length > this.#limit));
	}

	#draw(body: HTMLElement, { proposals, waiting, answers, rights }: ListedDecisions, done: readonly ListedChange[], more: boolean): void {
		const old = this.#rows;
		this.#rows = new Map();
		body.empty();
		this.#part(body, "Needs your approval", proposals, waiting, old);
		this.#part(body, "Done", done, [], old);
		if (body.childElementCount === 0) {
			body.createDiv({ cls: "vaultside-empty", text: "What agents do and ask for is shown here." });
		}
		if (more) {
			addButton(body, { text: "Show more" }, () => {
				this.#limit += PAGE;
				void this.#ask();
			});
		}
		this.#part(body, "Decided", [], answers, old);
		for (const right of rights) showText(body.createDiv({ cls: "vaultside-small" }), right);
	}

	#part(body: HTMLElement, name: string, changes: readonly ListedChange[], decisions: readonly ListedDecision[], old: ReadonlyMap<string, ChangeRow>): void {
		if (changes.length + decisions.length === 0) return;
		body.createEl("h4", { cls: "vaultside-changes-part", text: name });
		for (const group of groupChanges(changes)) this.#group(body, group, old);
		for (const one of decisions) this.#decision(body, one);
	}

	/** Requests have no diff, so they are answered in their row. */
	#decision(body: HTMLElement, { id, would, client, answer }: ListedDecision): void {
		const el = body.createDiv({ cls: "vaultside-decision" });
		showText(el.createDiv(), `${client ?? "Agents"}: ${would}${answer === "reject" ? " (rejected)" : ""}`);
		const buttons = addButtonRow(el);
		for (const verdict of ["accept", "reject"] as const) {
			if (verdict === answer) continue;
			addButton(buttons, { text: verdict === "accept" ? "Accept" : answer ? "Take back" : "Reject" }, async () => {
				const answer = await this.host.link.call("decide", { id, verdict });
				if (answer.ok) void this.#ask();
				else showRefusal(el, answer.error);
			});
		}
	}

	#group(body: HTMLElement, group: Group, old: ReadonlyMap<string, ChangeRow>): void {
		const el = body.createDiv({ cls: "vaultside-changes", attr: { role: "group", "aria-label": group.client } });
		const head = el.createDiv({ cls: "vaultside-changes-head" });
		head.createEl("h6", { cls: "vaultside-changes-client", text: group.client, attr: { dir: "auto" } });
		if (inForce(group) > 1) this.#offerUndo(el, head, group);
		const proposed = group.changes.filter(({ state }) => state === "proposed");
		if (proposed.length > 1 && this.host.link.decides) this.#offerAll(el, head, group.client, proposed);
		for (const change of group.changes) {
			const before = old.get(change.id);
			const row = before !== undefined && JSON.stringify(before.change) === JSON.stringify(change) ? before : this.#row(el, change);
			el.append(row.el);
			this.#rows.set(change.id, row);
		}
	}

	#row(el: HTMLElement, change: ListedChange): ChangeRow {
		const row = new ChangeRow(el, this.host, change, {
			onToggle: (open) => {
				if (open) this.#unfolded.add(change.id);
				else this.#unfolded.delete(change.id);
			},
			onDecision: (said) => {
				this.#sayEl?.setText(said);
				void this.#ask();
			},
		});
		row.el.open = this.#unfolded.has(change.id);
		return row;
	}

	/** What one program proposed in one go can be accepted together, the oldest first, as each may build on those before. */
	#offerAll(el: HTMLElement, head: HTMLElement, client: string, proposed: readonly ListedChange[]): void {
		const place = el.createDiv({ attr: { role: "alert", "data-row": `all ${proposed.map(({ id }) => id).join()}` } });
		addButton(head, { text: "Accept all", label: `Accept all that ${client} proposed` }, () => {
			place.empty();
			const said = place.createDiv({ cls: "vaultside-session" });
			const notes = new Set(proposed.flatMap(({ paths }) => paths)).size;
			said.createDiv({ text: `This accepts ${proposed.length} changes in ${countType("note", notes)}. Each can be undone.` });
			const buttons = addButtonRow(said);
			const yes = addButton(buttons, { cls: "mod-cta", text: "Accept them" }, async () => {
				said.remove();
				const warnings: string[][] = [];
				for (const { id } of [...proposed].reverse()) {
					const answer = await this.host.link.call("decide", { id, verdict: "accept" });
					if (answer.ok) warnings.push([...answer.result.warnings]);
				}
				const done = warnings.length;
				const rest = done < proposed.length ? ["Open the others to see why they were refused."] : [];
				this.#sayEl?.setText([`Accepted ${done} of ${proposed.length} changes.`, ...rest, ...new Set(warnings.flat())].join(" "));
				void this.#ask();
			});
			addButton(buttons, { text: "Leave them" }, () => said.remove());
			yes.focus();
			keepOpen(said, () => undefined);
		});
	}

	/** Undoing a session is tried first, so that a person knows what it would do. */
	#offerUndo(el: HTMLElement, head: HTMLElement, { client, session }: Group): void {
		const place = el.createDiv({ attr: { role: "alert", "data-row": `session ${session}` } });
		addButton(head, { text: "Undo session", label: `Undo the session of ${client}` }, () => {
			place.empty();
			const said = place.createDiv({ cls: "vaultside-session" });
			const newest = new AnswerOrder();
			const undo = async (dryRun: boolean, focus = true): Promise<void> => {
				const isLate = newest.ask();
				const answer = await this.host.link.call("undo_change", { change_id: session ?? "", dry_run: dryRun });
				// Only a preview can be out of date; what was undone is always reported.
				if (dryRun && isLate()) return;
				const isHere = said.contains(said.doc.activeElement);
				said.empty();
				if (!answer.ok) return showRefusal(said, answer.error);
				const { changes, state } = answer.result;
				if (!dryRun) {
					said.remove();
					this.#sayEl?.setText(state === "proposed" ? PROPOSED : `Undid ${changes.length} changes.`);
					return this.#ask();
				}
				const notes = new Set(changes.flatMap(({ paths }) => paths)).size;
				const after = state === "proposed" ? "They need approval." : "You can redo them.";
				said.createDiv({ text: `This undoes ${changes.length} changes in ${countType("note", notes)}. ${after}` });
				const buttons = addButtonRow(said);
				const yes = addButton(buttons, { cls: "mod-cta", text: "Undo them" }, () => undo(false));
				addButton(buttons, { text: "Leave them" }, () => said.remove());
				if (focus || isHere) yes.focus();
			};
			// Another change may belong to the session, too.
			keepOpen(said, () => void undo(true, false));
			void undo(true);
		});
	}

	/** Up and down go from change to change. */
	#step(event: KeyboardEvent): void {
		const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
		const all = [...(this.#body?.querySelectorAll<HTMLElement>(".vaultside-change > summary") ?? [])];
		const at = all.findIndex((summary) => summary === event.target);
		if (by === 0 || at === -1) return;
		event.preventDefault();
		all[at + by]?.focus();
	}
}
