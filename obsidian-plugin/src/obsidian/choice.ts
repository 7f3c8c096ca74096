import { FuzzySuggestModal } from "obsidian";
import type { Host } from "./host";

/** Asks for one of several. */
export class Choice<Item> extends FuzzySuggestModal<Item> {
	constructor(
		host: Host,
		says: string,
		private readonly items: readonly Item[],
		private readonly text: (item: Item) => string,
		private readonly chosen: (item: Item) => void,
	) {
		super(host.app);
		this.setPlaceholder(says);
	}

	getItems(): Item[] {
		return [...this.items];
	}

	getItemText(item: Item): string {
		return this.text(item);
	}

	onChooseItem(item: Item): void {
		this.chosen(item);
	}
}
