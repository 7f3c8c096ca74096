/** Add a line whose text a screen reader says whenever it changes. */
export function addSayLine(el: HTMLElement, cls = "vault-bridge-say"): HTMLElement {
	return el.createDiv({ cls, attr: { role: "status" } });
}
