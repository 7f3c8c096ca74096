import { type App, ButtonComponent, Modal } from "obsidian";

/** Asks before something that cannot be taken back by a click. */
export class Confirm extends Modal {
	constructor(
		app: App,
		question: string,
		private readonly says: string,
		private readonly yes: string,
		private readonly act: () => Promise<void>,
	) {
		super(app);
		this.setTitle(question);
	}

	override onOpen(): void {
		this.contentEl.createEl("p", { text: this.says });
		const buttons = this.contentEl.createDiv({ cls: "modal-button-container" });
		new ButtonComponent(buttons).setButtonText(this.yes).setDestructive().onClick(() => {
			this.close();
			void this.act();
		});
		new ButtonComponent(buttons).setButtonText("Cancel").onClick(() => this.close());
	}

	override onClose(): void {
		this.contentEl.empty();
	}
}
