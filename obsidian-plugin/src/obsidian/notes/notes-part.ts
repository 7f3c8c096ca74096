import { setIcon } from "obsidian";
import type { IndexProgress } from "../../protocol/events";
import type { Hit, ListedNote, VaultStatus } from "../../protocol/operations";
import type { Filters } from "../../core/filters";
import { changesLinks } from "../../core/bridge-events";
import { age, typeIcon } from "../../core/notes/note-labels";
import { describeStats, newestArguments, PAGE, toHit } from "../../core/notes/note-list";
import { AnswerOrder } from "../../core/answer-order";
import { explainRefusal } from "../../client/client";
import type { Host } from "../host";
import { askNewNote, findTemplates } from "./new-note";

const SETTLE_MS = 500;
const MINUTE_MS = 60_000;
/** Types that are offered beside the list. */
const TYPES = 6;

/** What the part tells of its list. */
export interface NotesListener {
	/** The newest notes are these, and more may follow. */
	readonly onList: (hits: readonly Hit[], more: boolean) => void;
	readonly onRefusal: (said: string) => void;
	readonly onNarrow: (filters: Filters) => void;
}

/** Lists the newest notes while nothing is asked, offers their types and a new note, and says what the vault holds. */
export class NotesPart {
	readonly #typesEl: HTMLElement;
	readonly #statsEl: HTMLElement;
	readonly #ends: (() => void)[] = [];
	#filters: Filters | null = null;
	#notes = new Map<string, ListedNote>();
	#status: VaultStatus | null = null;
	#progress: IndexProgress | null = null;
	#timer: number | undefined;
	#round = 0;
	readonly #newestCount = new AnswerOrder();
	/** Whether more than the first page is shown or asked for. */
	#further = false;

	/**
	 * @param head Where the types and the button go.
	 * @param foot Where it is said what the vault holds.
	 */
	constructor(
		private readonly head: HTMLElement,
		foot: HTMLElement,
		private readonly host: Host,
		private readonly listener: NotesListener,
	) {
		head.addClass("vaultside-notes-head");
		this.#typesEl = head.createDiv({ cls: "vaultside-chips" });
		const button = head.createEl("button", { cls: "clickable-icon", attr: { "aria-label": "New note" } });
		setIcon(button, "file-plus");
		button.addEventListener("click", () => void askNewNote(host, this.#filters?.folder ?? null));
		this.#statsEl = foot.createDiv({ cls: "vaultside-stats" });
		this.#ends.push(host.events.add((event) => {
			if (changesLinks(event, this.#progress)) this.#soon();
			if (event.kind === "index_progress") this.#progress = event;
		}));
		const clock = window.setInterval(() => this.#showStats(), MINUTE_MS);
		this.#ends.push(() => window.clearInterval(clock));
		void this.#count();
	}

	/** List the newest notes that pass the filters. */
	show(filters: Filters): void {
		this.#filters = filters;
		this.#further = false;
		this.head.toggle(true);
		this.#showTypes();
		void this.#list(0);
	}

	/** List no notes, as something is asked. */
	hide(): void {
		this.#filters = null;
		this.#notes.clear();
		this.#round += 1;
		this.head.toggle(false);
	}

	/** List the next notes, too. */
	showMore(): void {
		this.#further = true;
		void this.#list(this.#notes.size);
	}

	/** Want nothing any more. */
	stop(): void {
		this.hide();
		window.clearTimeout(this.#timer);
		for (const end of this.#ends.splice(0)) end();
	}

	/** The icon of a listed note. */
	icon({ path }: Hit): string | null {
		const note = this.#notes.get(path);
		return note === undefined ? null : typeIcon(note.note_type ?? "");
	}

	/** When a listed note was last modified. */
	date({ path }: Hit): string | null {
		const note = this.#notes.get(path);
		return note === undefined ? null : age(note.modified, Date.now());
	}

	tags({ path }: Hit): readonly string[] {
		return this.#notes.get(path)?.tags ?? [];
	}

	#soon(): void {
		window.clearTimeout(this.#timer);
		this.#timer = window.setTimeout(() => {
			void this.#count();
			// Further pages stay as they are.
			if (this.#filters !== null && !this.#further) void this.#list(0);
		}, SETTLE_MS);
	}

	async #list(offset: number): Promise<void> {
		if (this.#filters === null) return;
		const round = (this.#round += 1);
		const templates = await findTemplates(this.host);
		if (round !== this.#round) return;
		const answer = await this.host.link.call("find_notes", newestArguments(this.#filters, Date.now(), offset, templates));
		if (round !== this.#round) return;
		if (!answer.ok) {
			this.#further = this.#notes.size > PAGE;
			return this.listener.onRefusal(explainRefusal(answer.error));
		}
		const { notes, total } = answer.result;
		const before = offset === 0 ? [] : [...this.#notes.values()];
		this.#notes = new Map([...before, ...notes].map((note) => [note.path, note]));
		this.listener.onList([...this.#notes.values()].map(toHit), offset + notes.length < total);
	}

	async #count(): Promise<void> {
		const isLate = this.#newestCount.ask();
		const answer = await this.host.link.call("status", {});
		if (isLate() || !answer.ok) return;
		this.#status = answer.result.vaults[0] ?? null;
		this.#showStats();
		this.#showTypes();
	}

	#showStats(): void {
		this.#statsEl.setText(this.#status === null ? "" : describeStats(this.#status, Date.now()));
	}

	#showTypes(): void {
		const filters = this.#filters;
		this.#typesEl.empty();
		if (filters === null) return;
		const others = Object.entries(this.#status?.types ?? {}).filter(([type]) => !filters.noteTypes.includes(type));
		for (const [type, count] of others.slice(0, TYPES)) {
			const chip = this.#typesEl.createEl("button", { cls: "vaultside-chip", attr: { "aria-label": `Only ${type}` } });
			setIcon(chip.createSpan({ cls: "vaultside-chip-x" }), typeIcon(type));
			chip.createSpan({ text: `${type} ${count.toLocaleString()}` });
			chip.addEventListener("click", () => this.listener.onNarrow({ ...filters, noteTypes: [...filters.noteTypes, type] }));
		}
	}
}
