import type { Hit } from "../../protocol/operations";
import type { Told } from "../../core/missing-links";
import type { Host } from "../host";
import { HitList } from "../search/hit-list";
import { walk } from "../search/list-keys";

/** Related notes below two headings: those that no link joins with the note yet, and those that one does. */
export class RelatedHits {
	readonly #unlinked: Part;
	readonly #linked: Part;

	/** @param hide Shows a note no more beside this one. */
	constructor(parent: HTMLElement, host: Host, hide: (path: string) => void) {
		this.#unlinked = new Part(parent, host, "Not linked yet", hide);
		this.#linked = new Part(parent, host, "Linked", hide);
		walk([this.#unlinked.list, this.#linked.list]);
	}

	show({ unlinked, linked }: Told): void {
		this.#unlinked.show(unlinked);
		this.#linked.show(linked);
	}
}

class Part {
	readonly list: HitList;
	readonly #title: HTMLElement;

	constructor(parent: HTMLElement, host: Host, name: string, hide: (path: string) => void) {
		this.#title = parent.createEl("h5", { cls: "vaultside-part", text: name });
		this.list = new HitList(parent, host, name, {
			menu: (menu, hit) => {
				menu.addSeparator();
				menu.addItem((item) => item.setTitle("Hide beside this note").setIcon("eye-off").onClick(() => hide(hit.path)));
			},
		});
		this.show([]);
	}

	show(hits: readonly Hit[]): void {
		this.list.show(hits);
		for (const el of [this.#title, this.list.el]) el.toggleClass("is-empty", hits.length === 0);
	}
}
