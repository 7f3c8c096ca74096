import { SearchComponent, setIcon } from "obsidian";
import { type LiveAnswer, LiveSearch, type Question, refine } from "../../core/live-search";
import { type Filters, filterArguments } from "../../core/filters";
import { addQuery } from "../../core/queries";
import { explainRefusal } from "../../client/client";
import { addStatusLine, showText } from "../lines";
import type { Host } from "../host";
import { NotesPart } from "../notes/notes-part";
import { offerFilters, showChips } from "./filter-menu";
import { HitList } from "./hit-list";
import { STEPS } from "./list-keys";
import { showQueries } from "./query-list";
import { addButton } from "../button";

const MANY = 100;
/** Queries that are shown above notes. */
const MAX_QUERIES = 3;

/** What is asked; whoever shows the box keeps it. */
export interface Asked {
	query: string;
	filters: Filters;
}

export interface Options {
	/** List the newest notes while nothing is asked. */
	readonly notes?: boolean;
	/** Something was done with a hit. */
	readonly onUse?: () => void;
}

/** Searches as one types: words first, then meaning, in place. A pane or a window shows it. */
export class SearchBox {
	#wantsMore = false;
	#isEverywhere = false;
	readonly #live: LiveSearch;
	readonly #input: SearchComponent;
	readonly #list: HitList;
	readonly #chipsEl: HTMLElement;
	readonly #sayEl: HTMLElement;
	readonly #belowEl: HTMLElement;
	readonly #queriesEl: HTMLElement;
	readonly #notes: NotesPart | null;

	constructor(
		el: HTMLElement,
		private readonly host: Host,
		private readonly asked: Asked,
		{ notes = false, onUse: act }: Options = {},
	) {
		const head = el.createDiv({ cls: "vaultside-search-head" });
		this.#input = new SearchComponent(head)
			.setPlaceholder("Search words and meaning…")
			.setValue(asked.query)
			.onChange((query) => this.#onText(query));
		const { inputEl } = this.#input;
		inputEl.setAttrs({ role: "combobox", "aria-label": "Search", "aria-expanded": "true", "aria-autocomplete": "list" });
		inputEl.addEventListener("keydown", (event) => this.#onKey(event));
		const narrow = head.createEl("button", { cls: "clickable-icon", attr: { "aria-label": "Narrow the search" } });
		setIcon(narrow, "sliders-horizontal");
		narrow.addEventListener("click", (event) => {
			void offerFilters(host, asked.filters, event, (filters) => this.#narrow(filters));
		});
		const everywhere = head.createEl("button", { cls: "clickable-icon", attr: { "aria-label": "Search all vaults and shared stores", "aria-pressed": "false" } });
		setIcon(everywhere, "globe");
		everywhere.addEventListener("click", () => {
			this.#isEverywhere = !this.#isEverywhere;
			everywhere.setAttr("aria-pressed", String(this.#isEverywhere));
			this.#ask();
		});
		this.#chipsEl = el.createDiv({ cls: "vaultside-chips" });
		this.#sayEl = addStatusLine(el);
		this.#queriesEl = el.createDiv();
		const notesEl = el.createDiv();
		this.#list = new HitList(el, host, "Notes found", {
			onUse: () => {
				this.#remember();
				act?.();
			},
			icon: (hit) => this.#notes?.icon(hit) ?? null,
			mark: (hit) => this.#notes?.date(hit) ?? null,
			tags: (hit) => this.#notes?.tags(hit) ?? [],
		});
		inputEl.setAttr("aria-controls", this.#list.el.id);
		this.#belowEl = el.createDiv({ cls: "vaultside-below" });
		this.#notes = notes ? this.#makeNotes(notesEl, el) : null;
		this.#live = new LiveSearch(
			(given) => host.link.call("search", given),
			(found) => this.#showAnswer(found),
			() => new Promise((done) => window.setTimeout(done, host.settings.patience)),
		);
		this.#narrow(asked.filters);
	}

	/** Put the cursor into the field. */
	focus(): void {
		this.#input.inputEl.focus();
		this.#input.inputEl.select();
	}

	/** Want nothing any more. */
	stop(): void {
		this.#live.stop();
		this.#notes?.stop();
	}

	get #limit(): number {
		return this.#wantsMore ? MANY : this.host.settings.results;
	}

	#makeNotes(head: HTMLElement, foot: HTMLElement): NotesPart {
		return new NotesPart(head, foot, this.host, {
			onList: (hits, more) => {
				this.#list.show(hits);
				this.#pointAtSelected();
				if (hits.length === 0) this.#say("No notes pass the filters.");
				if (!more) this.#belowEl.empty();
				// Recreating the button while it is being pressed would lose the click.
				else if (this.#belowEl.childElementCount === 0) this.#offerMore(() => this.#notes?.showMore());
			},
			onRefusal: (said) => this.#say(said, true),
			onNarrow: (filters) => this.#narrow(filters),
		});
	}

	get #isIdle(): boolean {
		return this.asked.query.trim() === "";
	}

	#onText(query: string): void {
		this.asked.query = query;
		this.#wantsMore = false;
		this.#ask();
	}

	#narrow(filters: Filters): void {
		this.asked.filters = filters;
		showChips(this.#chipsEl, filters, (others) => this.#narrow(others));
		this.#ask();
	}

	#ask(): void {
		this.#belowEl.empty();
		this.#queriesEl.empty();
		if (this.#isIdle) {
			this.#live.stop();
			this.#say("");
			this.#offerQueries();
			if (this.#notes === null) this.#list.show([]);
			else this.#notes.show(this.asked.filters);
			return;
		}
		this.#notes?.hide();
		const question: Question = { query: this.asked.query, limit: this.#limit, ...(this.#isEverywhere ? { everywhere: true } : {}), ...filterArguments(this.asked.filters, Date.now()) };
		this.#live.ask(question);
	}

	#showAnswer({ answer, final }: LiveAnswer): void {
		const list = this.#list;
		if (!answer.ok) {
			this.#say(explainRefusal(answer.error), true);
			return;
		}
		const { hits, mode_used: mode, notices, took_ms: took } = answer.result;
		list.show(final ? refine(list.hits, hits, list.visitedCount) : hits);
		this.#pointAtSelected();
		const how = mode === "keyword" ? "words" : "words and meaning";
		const count = list.hits.length === 0 ? "Nothing found" : list.hits.length === 1 ? "1 note" : `${list.hits.length} notes`;
		this.#say([`${count} · ${how} · ${Math.max(1, Math.round(took))} ms${final ? "" : " …"}`, ...notices].join(" · "));
		this.#offerAsTyped();
		this.#belowEl.empty();
		if (final && hits.length >= this.#limit && !this.#wantsMore) {
			this.#offerMore(() => {
				this.#wantsMore = true;
				this.#ask();
			});
		}
	}

	/** Let what a notice says to type for a word that was read as another, such as `+fox`, be clicked. */
	#offerAsTyped(): void {
		for (const code of this.#sayEl.querySelectorAll("code")) {
			const word = /^\+(.+)/.exec(code.innerText)?.[1];
			const at = word === undefined ? -1 : this.asked.query.indexOf(word);
			if (word === undefined || at < 0) continue;
			const button = createEl("button", { cls: "vaultside-chip", text: word, attr: { "aria-label": `Search for ${word} as typed` } });
			button.addEventListener("click", () => this.#search(`${this.asked.query.slice(0, at)}+${this.asked.query.slice(at)}`));
			code.replaceWith(button);
		}
	}

	#offerMore(act: () => void): void {
		addButton(this.#belowEl, { text: "Show more" }, act);
	}

	#offerQueries(): void {
		showQueries(this.#queriesEl, this.host, this.#notes === null ? Infinity : MAX_QUERIES, (query) => this.#search(query));
	}

	#search(query: string): void {
		this.#input.setValue(query);
		this.#onText(query);
		this.focus();
	}

	#onKey(event: KeyboardEvent): void {
		if (event.isComposing) return;
		const step = STEPS[event.key];
		if (step !== undefined) {
			event.preventDefault();
			this.#list.move(step);
			this.#pointAtSelected();
		} else if (event.key === "Enter") {
			event.preventDefault();
			if (!this.#isIdle || this.#list.active !== null) this.#list.openSelected(event);
		} else if (event.key === "Escape" && this.asked.query !== "") {
			event.preventDefault();
			this.#input.setValue("");
			this.#onText("");
		}
	}

	#pointAtSelected(): void {
		this.#input.inputEl.setAttr("aria-activedescendant", this.#list.active ?? null);
	}

	#remember(): void {
		this.host.settings.queries = addQuery(this.host.settings.queries, this.asked.query);
		void this.host.saveSettings();
	}

	#say(text: string, wrong = false): void {
		showText(this.#sayEl, text);
		this.#sayEl.toggleClass("mod-warning", wrong);
	}
}
