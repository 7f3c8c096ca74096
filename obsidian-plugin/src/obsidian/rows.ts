const CONTROLS = "input, button, summary";

/** How often it is looked whether something is still being pressed. */
const PRESSED_MS = 50;

const again = new WeakMap<HTMLElement, () => void>();

/**
 * Mark what a person opened in a row, so that it stays when the row is redrawn.
 *
 * @param redrawn Brings it up to date after that.
 */
export function keepOpen(el: HTMLElement, redrawn: () => void): void {
	el.setAttr("data-opened", "");
	again.set(el, redrawn);
}

/** Redraws rows marked with `data-row`: what a person opened in one stays in it, and the focus on its control. */
export class Rows {
	/** What was opened in rows that are not there now. */
	#opened: (readonly [row: string | undefined, el: HTMLElement])[] = [];
	/** How each element is to be drawn next. */
	readonly #next = new WeakMap<HTMLElement, () => void>();

	/** Redraw the rows in an element; while something in it is being pressed, once that is over. */
	redraw(el: HTMLElement, draw: () => void): void {
		this.#next.set(el, draw);
		// Recreating a control while it is being pressed would lose the click.
		if (el.matches(":active")) {
			el.win.setTimeout(() => {
				if (el.isConnected && this.#next.get(el) === draw) this.redraw(el, draw);
			}, PRESSED_MS);
			return;
		}
		const row = el.doc.activeElement?.closest<HTMLElement>("[data-row]");
		const name = row != null && el.contains(row) ? row.dataset["row"] : undefined;
		const before = controlsOf(row);
		const at = before.findIndex((control) => control === el.doc.activeElement);
		this.take(el);
		draw();
		this.#place(el);
		const focused = before[at];
		if (name === undefined || focused === undefined) return;
		const now = controlsOf(rowOf(el, name));
		const alike = now.filter((control) => saysOf(control) === saysOf(focused));
		// A control that moved with its row is the same one still; one that says something else now is where it was.
		const stays = [focused, now[at]].find((control) => control !== undefined && alike.includes(control)) ?? alike[0] ?? now[at] ?? now[0];
		stays?.focus({ preventScroll: true });
	}

	/** Keep what is open in an element whose rows go; it is open again where they are drawn next. */
	take(el: HTMLElement): void {
		for (const one of el.querySelectorAll<HTMLElement>("[data-opened]")) this.#opened.push([one.closest<HTMLElement>("[data-row]")?.dataset["row"], one]);
	}

	#place(el: HTMLElement): void {
		this.#opened = this.#opened.filter(([name, one]) => {
			const row = rowOf(el, name);
			if (row === undefined) return true;
			if (row.contains(one)) return false;
			row.append(one);
			again.get(one)?.();
			return false;
		});
	}
}

function rowOf(el: HTMLElement, name: string | undefined): HTMLElement | undefined {
	return [...el.querySelectorAll<HTMLElement>("[data-row]")].find((row) => row.dataset["row"] === name);
}

function controlsOf(row: HTMLElement | null | undefined): readonly HTMLElement[] {
	return [...(row?.querySelectorAll<HTMLElement>(CONTROLS) ?? [])];
}

function saysOf(control: HTMLElement): string {
	return control.getAttribute("aria-label") ?? control.textContent;
}
