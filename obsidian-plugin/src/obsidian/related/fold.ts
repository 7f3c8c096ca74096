/** A part of the pane that can be folded away; which parts are open is remembered while the pane is. */
export class Fold {
	readonly body: HTMLElement;
	readonly #el: HTMLDetailsElement;
	readonly #title: HTMLElement;

	/**
	 * @param unfolded The names of the parts that are open.
	 * @param onOpen Called when it is opened.
	 */
	constructor(
		parent: HTMLElement,
		private readonly name: string,
		unfolded: Set<string>,
		onOpen: () => void = () => undefined,
	) {
		this.#el = parent.createEl("details", { cls: "vaultside-fold" });
		this.#title = this.#el.createEl("summary", { cls: "vaultside-part", text: name });
		this.body = this.#el.createDiv({ cls: "vaultside-fold-body" });
		this.#el.open = unfolded.has(name);
		this.#el.addEventListener("toggle", () => {
			if (this.#el.open === unfolded.has(name)) return;
			if (!this.#el.open) unfolded.delete(name);
			else {
				unfolded.add(name);
				onOpen();
			}
		});
	}

	get open(): boolean {
		return this.#el.open;
	}

	/** Show it, with how much is in it if that is known; null hides it. */
	count(count: number | null | undefined): void {
		this.#title.setText(count === undefined || count === null ? this.name : `${this.name} (${count})`);
		this.#el.toggleClass("is-empty", count === null);
	}
}
