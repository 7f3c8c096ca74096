import { type IconName, SearchComponent, setIcon, type WorkspaceLeaf } from "obsidian";
import type { Answer } from "../../bridge/client";
import type { SearchArguments } from "../../bridge/operations";
import { Asking, type Found, type Question } from "../../core/asking";
import { chips, type Filters, narrowed, NONE } from "../../core/filters";
import { used } from "../../core/recent";
import { refine } from "../../core/refine";
import { offerFilters } from "./filter-menu";
import { HitList } from "./hit-list";
import { type Host, SEARCH } from "../host";
import { Pane } from "../pane";
import { showQueries } from "./queries";

const MANY = 100;

/** What the pane remembers while the bridge is away or the pane is closed. */
interface Asked {
	query: string;
	filters: Filters;
}

/** Searches as one types: words first, then meaning, in place. */
export class SearchView extends Pane {
	private asked: Asked = { query: "", filters: NONE };
	private wantsMore = false;
	private asking: Asking | null = null;
	private input: SearchComponent | null = null;
	private list: HitList | null = null;
	private chipsEl: HTMLElement | null = null;
	private sayEl: HTMLElement | null = null;
	private belowEl: HTMLElement | null = null;

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "search";
	}

	getViewType(): string {
		return SEARCH;
	}

	getDisplayText(): string {
		return "Search by meaning";
	}

	override getIcon(): IconName {
		return "search";
	}

	private get limit(): number {
		return this.wantsMore ? MANY : this.host.settings.results;
	}

	/** Put the cursor into the field. */
	focus(): void {
		this.input?.inputEl.focus();
		this.input?.inputEl.select();
	}

	protected show(el: HTMLElement): void {
		const head = el.createDiv({ cls: "vault-bridge-search-head" });
		this.input = new SearchComponent(head)
			.setPlaceholder("Search words and meaning…")
			.setValue(this.asked.query)
			.onChange((query) => this.typed(query));
		const { inputEl } = this.input;
		inputEl.setAttrs({ role: "combobox", "aria-label": "Search", "aria-expanded": "true", "aria-autocomplete": "list" });
		inputEl.addEventListener("keydown", (event) => this.pressed(event));
		const narrow = head.createEl("button", { cls: "clickable-icon", attr: { "aria-label": "Narrow the search" } });
		setIcon(narrow, "sliders-horizontal");
		narrow.addEventListener("click", (event) => {
			void offerFilters(this.host, this.asked.filters, event, (filters) => this.narrow(filters));
		});
		this.chipsEl = el.createDiv({ cls: "vault-bridge-chips" });
		this.sayEl = el.createDiv({ cls: "vault-bridge-say", attr: { role: "status", "aria-live": "polite" } });
		this.list = new HitList(el, this.app, "Notes found", { used: () => this.remember() });
		inputEl.setAttr("aria-controls", (this.list.el.id ||= "vault-bridge-found"));
		this.belowEl = el.createDiv({ cls: "vault-bridge-below" });
		const { link } = this.host;
		this.asking = new Asking(
			(given: SearchArguments): Promise<Answer<"search">> => link.call("search", given),
			(found) => this.found(found),
			() => new Promise((done) => window.setTimeout(done, this.host.settings.patience)),
		);
		this.narrow(this.asked.filters);
	}

	protected override hide(): void {
		this.asking?.stop();
		this.asking = null;
		this.input = this.list = this.chipsEl = this.sayEl = this.belowEl = null;
	}

	private typed(query: string): void {
		this.asked.query = query;
		this.wantsMore = false;
		this.ask();
	}

	private narrow(filters: Filters): void {
		this.asked.filters = filters;
		this.chipsEl?.empty();
		for (const chip of chips(filters)) {
			const el = this.chipsEl?.createEl("button", { cls: "vault-bridge-chip", text: chip.text, attr: { "aria-label": `Without ${chip.text}` } });
			if (el === undefined) continue;
			setIcon(el.createSpan({ cls: "vault-bridge-chip-x" }), "x");
			el.addEventListener("click", () => this.narrow(chip.without));
		}
		this.ask();
	}

	private ask(): void {
		this.belowEl?.empty();
		if (this.asked.query.trim() === "") {
			this.asking?.stop();
			this.list?.show([]);
			this.say("");
			this.offerQueries();
			return;
		}
		const question: Question = { query: this.asked.query, limit: this.limit, ...narrowed(this.asked.filters, Date.now()) };
		this.asking?.ask(question);
	}

	private found({ answer, final }: Found): void {
		const { list } = this;
		if (list === null) return;
		if (!answer.ok) {
			this.say([answer.error.message, answer.error.hint].join(" "), true);
			return;
		}
		const { hits, mode_used: mode, notices, took_ms: took } = answer.result;
		list.show(final ? refine(list.hits, hits, list.held) : hits);
		this.pointAtSelected();
		const how = mode === "keyword" ? "words" : "words and meaning";
		const count = list.hits.length === 0 ? "Nothing found" : list.hits.length === 1 ? "1 note" : `${list.hits.length} notes`;
		this.say([`${count} · ${how} · ${Math.max(1, Math.round(took))} ms${final ? "" : " …"}`, ...notices].join(" · "));
		this.belowEl?.empty();
		if (final && hits.length >= this.limit && !this.wantsMore) this.offerMore();
	}

	private offerMore(): void {
		const more = this.belowEl?.createEl("button", { text: "Show more" });
		more?.addEventListener("click", () => {
			this.wantsMore = true;
			this.ask();
		});
	}

	private offerQueries(): void {
		if (this.belowEl === null) return;
		showQueries(this.belowEl, this.host, (query) => {
			this.input?.setValue(query);
			this.typed(query);
			this.focus();
		});
	}

	private pressed(event: KeyboardEvent): void {
		if (event.isComposing) return;
		const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
		const step = steps[event.key];
		if (step !== undefined) {
			event.preventDefault();
			this.list?.move(step);
			this.pointAtSelected();
		} else if (event.key === "Enter") {
			event.preventDefault();
			this.list?.openSelected(event);
		} else if (event.key === "Escape" && this.asked.query !== "") {
			event.preventDefault();
			this.input?.setValue("");
			this.typed("");
		}
	}

	private pointAtSelected(): void {
		this.input?.inputEl.setAttr("aria-activedescendant", this.list?.active ?? null);
	}

	private remember(): void {
		this.host.settings.queries = used(this.host.settings.queries, this.asked.query);
		void this.host.keep();
	}

	private say(text: string, wrong = false): void {
		this.sayEl?.setText(text);
		this.sayEl?.toggleClass("mod-warning", wrong);
	}
}
