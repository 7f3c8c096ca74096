/** Add a line whose text a screen reader says whenever it changes. */
export function addSayLine(el: HTMLElement, cls = "vaultside-say"): HTMLElement {
	return el.createDiv({ cls, attr: { role: "status" } });
}
