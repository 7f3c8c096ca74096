/** How a button looks. */
export interface ButtonLook {
	readonly text?: string;
	readonly cls?: string;
	/** What it does, for people who do not see where it stands. */
	readonly label?: string;
	readonly attr?: Readonly<Record<string, string>>;
}

/** Add a button that does something when it is clicked. */
export function addButton(el: HTMLElement, { label, attr, ...look }: ButtonLook, act: (event: MouseEvent) => unknown): HTMLButtonElement {
	const button = el.createEl("button", { ...look, attr: { ...attr, ...(label === undefined ? {} : { "aria-label": label }) } });
	button.addEventListener("click", (event) => void act(event));
	return button;
}

/** Add a row for buttons. */
export function addButtonRow(el: HTMLElement): HTMLElement {
	return el.createDiv({ cls: "vaultside-buttons" });
}
