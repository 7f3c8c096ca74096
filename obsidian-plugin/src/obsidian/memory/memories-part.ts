import { Keymap, Menu, setIcon } from "obsidian";
import type { IndexProgress } from "../../protocol/events";
import type { ListedMemory } from "../../protocol/operations";
import { changesLinks } from "../../core/bridge-events";
import { ALL, type Concern, filterChips, findConcerns, firstLine, kindIcon, kindName, type MemoryFilters, memoryFacts, passes } from "../../core/memory/memories";
import { folderOf } from "../../core/place";
import { explainRefusal } from "../../client/client";
import { addSmallLine, addStatusLine, showText } from "../lines";
import type { Host } from "../host";
import { openHit } from "../note-links";
import { STEPS } from "../search/list-keys";
import { type MemoryMenuListener, memoryMenu } from "./memory-menu";
import { offerSetUp } from "./agents-folder";
import { addButton } from "../button";

/** Rows that are drawn at a time, and memories that are asked for at first. */
const ROWS = 100;
/** As many as the bridge lists at once. */
const PAGE = 500;
const TEXT_CHARS = 160;
const SETTLE_MS = 1_000;

/** Lists what agents remember, with what needs a look on top, and offers what can be done with each. */
export class MemoriesPart {
	readonly #chipsEl: HTMLElement;
	readonly #sayEl: HTMLElement;
	readonly #concernsEl: HTMLElement;
	readonly #rowsEl: HTMLElement;
	readonly #moreEl: HTMLElement;
	readonly #end: () => void;
	readonly #ear: MemoryMenuListener = {
		successors: () => this.#memories,
		onResult: (said, wrong) => {
			this.#say(said, wrong);
			void this.#load();
		},
	};
	#memories: readonly ListedMemory[] = [];
	#filters = ALL;
	#most = ROWS;
	/** What is drawn, as what is being read is not drawn anew for nothing. */
	#drawn = "";
	#progress: IndexProgress | null = null;
	#timer: number | undefined;
	#round = 0;

	constructor(
		el: HTMLElement,
		private readonly host: Host,
	) {
		const head = el.createDiv({ cls: "vaultside-notes-head" });
		this.#chipsEl = head.createDiv({ cls: "vaultside-chips" });
		const narrow = head.createEl("button", { cls: "clickable-icon", attr: { "aria-label": "Narrow the memories" } });
		setIcon(narrow, "list-filter");
		narrow.addEventListener("click", (event) => this.#filterMenu().showAtMouseEvent(event));
		this.#sayEl = addStatusLine(el);
		this.#concernsEl = el.createDiv();
		this.#rowsEl = el.createDiv({ cls: "vaultside-hits", attr: { role: "list", "aria-label": "Memories" } });
		this.#rowsEl.addEventListener("keydown", (event) => this.#onKey(event));
		this.#moreEl = el.createDiv({ cls: "vaultside-below" });
		this.#end = host.events.add((event) => {
			if (event.kind === "note_changed" ? this.#mayHold(event.path) : changesLinks(event, this.#progress)) this.#soon();
			if (event.kind === "index_progress") this.#progress = event;
		});
		void this.#load();
	}

	/** Want nothing any more. */
	stop(): void {
		this.#round += 1;
		this.#end();
		window.clearTimeout(this.#timer);
	}

	/** Whether a note may be a memory: those that are known lie in the same folder. */
	#mayHold(path: string): boolean {
		return this.#memories.length === 0 || this.#memories.some((memory) => folderOf(memory.path) === folderOf(path));
	}

	#soon(): void {
		window.clearTimeout(this.#timer);
		this.#timer = window.setTimeout(() => void this.#load(), SETTLE_MS);
	}

	/** Ask for the newest, show them, and then for all others. */
	async #load(): Promise<void> {
		const round = (this.#round += 1);
		const loaded: ListedMemory[] = [];
		for (let total = Infinity; loaded.length < total; ) {
			const limit = loaded.length === 0 ? ROWS : PAGE;
			const answer = await this.host.link.call("list_memories", { limit, offset: loaded.length, among_private: true, text_chars: TEXT_CHARS });
			if (round !== this.#round) return;
			if (!answer.ok) return this.#say(explainRefusal(answer.error), true);
			loaded.push(...answer.result.memories);
			total = answer.result.memories.length === 0 ? 0 : answer.result.total;
			// What is there already stays until all of it is known again.
			if (loaded.length >= total || this.#memories.length === 0) this.#show([...loaded]);
		}
	}

	#show(memories: readonly ListedMemory[]): void {
		this.#memories = memories;
		this.#draw();
		if (memories.length === 0) void offerSetUp(this.#moreEl.querySelector("div") ?? this.#moreEl.createDiv(), this.host, () => void this.#load());
	}

	#draw(): void {
		const { doc } = this.#rowsEl;
		const focused = doc.activeElement?.getAttribute("data-path") ?? null;
		const found = this.#memories.filter((memory) => passes(memory, this.#filters));
		const rows = found.slice(0, this.#most);
		const concerns = findConcerns(this.#memories);
		const now = JSON.stringify([rows, found.length, this.#memories.length, this.#filters, concerns]);
		if (now === this.#drawn) return;
		this.#drawn = now;
		this.#showChips();
		this.#showConcerns(concerns);
		this.#rowsEl.empty();
		for (const memory of rows) this.#row(memory, memory.path === focused);
		this.#moreEl.empty();
		if (found.length === 0 && this.#memories.length > 0) this.#moreEl.createDiv({ cls: "vaultside-empty", text: "No memory passes the filters." });
		if (found.length <= this.#most) return;
		addButton(this.#moreEl, { text: "Show more" }, () => {
			this.#most += ROWS;
			this.#draw();
		});
	}

	#row(memory: ListedMemory, focus: boolean): void {
		const { path, title, kind, pinned } = memory;
		const row = this.#rowsEl.createDiv({ cls: "vaultside-hit vaultside-memory", attr: { role: "listitem", tabindex: "0", "data-path": path } });
		const head = row.createDiv({ cls: "vaultside-hit-head" });
		const icon = head.createSpan({ cls: "vaultside-hit-icon", attr: { "aria-label": kindName(kind) } });
		setIcon(icon, kindIcon(kind));
		head.createSpan({ cls: "vaultside-hit-title", text: title, attr: { dir: "auto" } });
		if (pinned) setIcon(head.createSpan({ cls: "vaultside-hit-icon", attr: { "aria-label": "Pinned" } }), "pin");
		const more = head.createEl("button", { cls: "clickable-icon", attr: { "aria-label": `What to do with ${title}`, tabindex: "-1" } });
		setIcon(more, "more-vertical");
		row.createDiv({ cls: "vaultside-memory-text", text: firstLine(memory), attr: { dir: "auto" } });
		addSmallLine(row, memoryFacts(memory, Date.now()));
		const menu = (): Menu => memoryMenu(this.host, memory, this.#ear);
		more.addEventListener("click", (event) => {
			event.stopPropagation();
			menu().showAtMouseEvent(event);
		});
		row.addEventListener("click", (event) => this.#open(path, event));
		row.addEventListener("contextmenu", (event) => {
			event.preventDefault();
			const { left, bottom } = row.getBoundingClientRect();
			// From the keyboard it comes without a place.
			if (event.button === 2) menu().showAtMouseEvent(event);
			else menu().showAtPosition({ x: left, y: bottom }, row.doc);
		});
		if (focus) row.focus({ preventScroll: true });
	}

	#showChips(): void {
		this.#chipsEl.empty();
		for (const { text, without } of filterChips(this.#filters)) {
			const chip = this.#chipsEl.createEl("button", { cls: "vaultside-chip", text, attr: { "aria-label": `Without ${text}` } });
			setIcon(chip.createSpan({ cls: "vaultside-chip-x" }), "x");
			chip.addEventListener("click", () => this.#narrow(without));
		}
	}

	#showConcerns(concerns: readonly Concern[]): void {
		const before = this.#concernsEl.querySelector("details")?.open ?? false;
		this.#concernsEl.empty();
		if (concerns.length === 0) return;
		const el = this.#concernsEl.createEl("details", { cls: "vaultside-concerns" });
		el.open = before;
		el.createEl("summary", { text: concerns.length === 1 ? "1 memory needs a look" : `${concerns.length} memories need a look` });
		for (const { memory, why } of concerns.slice(0, ROWS)) {
			const row = el.createEl("button", { cls: "vaultside-concern" });
			row.createDiv({ text: memory.title, attr: { dir: "auto" } });
			showText(row.createDiv({ cls: "vaultside-small" }), why);
			row.addEventListener("click", (event) => this.#open(memory.path, event));
		}
	}

	#filterMenu(): Menu {
		const filters = this.#filters;
		const memories = this.#memories;
		const menu = new Menu();
		const offer = <Name extends keyof MemoryFilters>(name: Name, values: readonly MemoryFilters[Name][], title: (value: MemoryFilters[Name]) => string): void => {
			for (const value of new Set(values)) {
				const is = filters[name] === value;
				menu.addItem((item) => item.setTitle(title(value)).setChecked(is).onClick(() => this.#narrow({ ...filters, [name]: is ? null : value })));
			}
			menu.addSeparator();
		};
		offer("kind", memories.map(({ kind }) => kind).sort(), (kind) => (kind === null ? "" : kindName(kind)));
		offer("tier", memories.map(({ tier }) => tier).sort(), String);
		offer("agent", memories.flatMap(({ agent }) => agent ?? []).sort(), (agent) => `By ${agent}`);
		const active = this.host.app.workspace.getActiveFile();
		if (active !== null) offer("about", [active.path], () => `About ${active.basename}`);
		return menu;
	}

	#narrow(filters: MemoryFilters): void {
		this.#filters = filters;
		this.#most = ROWS;
		this.#draw();
	}

	#open(path: string, event: MouseEvent | KeyboardEvent): void {
		void openHit(this.host.app, { path, lines: [1, 1] }, Keymap.isModEvent(event) || (event.altKey ? "split" : false));
	}

	#onKey(event: KeyboardEvent): void {
		const rows = [...this.#rowsEl.querySelectorAll<HTMLElement>(".vaultside-memory")];
		const at = rows.findIndex((row) => row === event.target);
		const step = STEPS[event.key];
		if (at === -1 || (step === undefined && event.key !== "Enter")) return;
		event.preventDefault();
		const path = rows[at]?.dataset["path"];
		if (step !== undefined) rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
		else if (path !== undefined) this.#open(path, event);
	}

	#say(text: string, wrong = false): void {
		this.#sayEl.setText(text);
		this.#sayEl.toggleClass("mod-warning", wrong);
	}
}
