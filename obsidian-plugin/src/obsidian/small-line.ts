/** Add a line of small print. */
export function addSmallLine(el: HTMLElement, text: string, attr?: Record<string, string>): void {
	el.createDiv({ cls: "vaultside-small", text, ...(attr === undefined ? {} : { attr }) });
}

/** Add words of small print. */
export function addSmallText(el: HTMLElement, text: string): HTMLElement {
	return el.createSpan({ cls: "vaultside-small", text });
}
