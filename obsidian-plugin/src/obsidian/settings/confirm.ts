import { type App, ButtonComponent, Modal } from "obsidian";

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
