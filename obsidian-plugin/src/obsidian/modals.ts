import { type App, ButtonComponent, FuzzySuggestModal, Modal } from "obsidian";
import type { Host } from "./host";

/** Asks for one of several, by typing. */
export class Choice<Item> extends FuzzySuggestModal<Item> {
	constructor(
		{ app }: Pick<Host, "app">,
		placeholder: string,
		private readonly items: readonly Item[],
		private readonly text: (item: Item) => string,
		private readonly choose: (item: Item) => void,
	) {
		super(app);
		this.setPlaceholder(placeholder);
	}

	getItems(): Item[] {
		return [...this.items];
	}

	getItemText(item: Item): string {
		return this.text(item);
	}

	onChooseItem(item: Item): void {
		this.choose(item);
	}
}

/** Asks before something that cannot be taken back by a click. */
export class Confirm extends Modal {
	constructor(
		app: App,
		question: string,
		private readonly says: string,
		private readonly yes: string,
		private readonly act: () => Promise<void>,
		private readonly destroys = true,
	) {
		super(app);
		this.setTitle(question);
	}

	override onOpen(): void {
		this.contentEl.createEl("p", { text: this.says });
		const buttons = this.contentEl.createDiv({ cls: "modal-button-container" });
		const yes = new ButtonComponent(buttons).setButtonText(this.yes).onClick(() => {
			this.close();
			void this.act();
		});
		if (this.destroys) yes.setDestructive();
		else yes.setCta();
		new ButtonComponent(buttons).setButtonText("Cancel").onClick(() => this.close());
	}

	override onClose(): void {
		this.contentEl.empty();
	}
}
