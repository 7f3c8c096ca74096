import type { IconName, WorkspaceLeaf } from "obsidian";
import { NONE } from "../../core/filters";
import { type Host, SEARCH } from "../host";
import { Pane } from "../pane";
import { type Asked, SearchBox } from "./search-box";

/** The search in a pane, which remembers what was asked while the bridge is away or the pane is closed. */
export class SearchView extends Pane {
	readonly #asked: Asked = { query: "", filters: NONE };
	#box: SearchBox | null = null;

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

	/** Put the cursor into the field. */
	focus(): void {
		this.#box?.focus();
	}

	protected show(el: HTMLElement): void {
		this.#box = new SearchBox(el, this.host, this.#asked, { notes: true });
	}

	protected override hide(): void {
		this.#box?.stop();
		this.#box = null;
	}
}
