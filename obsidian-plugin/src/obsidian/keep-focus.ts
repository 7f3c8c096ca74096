const CONTROLS = "input, button";

/** Redraw rows marked with `data-row`, and return the focus to the same control of the same row. */
export function keepFocus(el: HTMLElement, draw: () => void): void {
	const focused = el.doc.activeElement;
	const before = focused !== null && el.contains(focused) ? focused.closest<HTMLElement>("[data-row]") : null;
	const at = before === null ? -1 : [...before.querySelectorAll(CONTROLS)].findIndex((control) => control === focused);
	draw();
	if (before === null) return;
	const now = [...el.querySelectorAll<HTMLElement>("[data-row]")].find((row) => row.dataset["row"] === before.dataset["row"]);
	now?.querySelectorAll<HTMLElement>(CONTROLS)[at]?.focus({ preventScroll: true });
}
