import { Modal } from "obsidian";
import { NONE } from "../../core/filters";
import { checkConnection } from "../notices";
import type { Host } from "../host";
import { editedView } from "../note-links";
import { SearchBox } from "./search-box";

/** As many letters as are taken for something to look for. */
const MAX_QUERY_CHARS = 200;

/** The search in a window of its own, which goes once something was done with a hit. */
class SearchModal extends Modal {
	#box: SearchBox | null = null;

	constructor(
		private readonly host: Host,
		private readonly query: string,
	) {
		super(host.app);
	}

	override onOpen(): void {
		this.modalEl.addClass("vaultside-search-modal");
		this.#box = new SearchBox(this.contentEl, this.host, { query: this.query, filters: NONE }, { onUse: () => this.close() });
		const keys = this.contentEl.createDiv({ cls: "vaultside-keys" });
		for (const [key, does] of KEYS) {
			const one = keys.createSpan();
			one.createEl("kbd", { text: key });
			one.appendText(` ${does}`);
		}
		this.#box.focus();
	}

	override onClose(): void {
		this.#box?.stop();
		this.contentEl.empty();
	}
}

const KEYS = [
	["↵", "to open"],
	["ctrl/cmd ↵", "in a tab"],
	["alt ↵", "beside"],
	["shift ↵", "to link here"],
] as const;

/** Search in a window, to begin with for what is selected in the editor. */
export function searchInWindow(host: Host): void {
	if (!checkConnection(host)) return;
	const selected = editedView(host.app)?.editor.getSelection().trim() ?? "";
	new SearchModal(host, selected.length > MAX_QUERY_CHARS || selected.includes("\n") ? "" : selected).open();
}
