import type { HitList } from "./hit-list";

/** How far the keys go that go through a list. */
export const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };

/** Let the keyboard go through lists as if they were one, open the selected hit and show its menu. */
export function walk(lists: readonly HitList[]): void {
	for (const [at, list] of lists.entries()) {
		const { el } = list;
		el.tabIndex = 0;
		const point = (): void => el.setAttr("aria-activedescendant", list.active);
		const enter = (by: number): void => {
			const next = lists.slice(by > 0 ? at + 1 : 0, by > 0 ? undefined : at).filter(({ hits }) => hits.length > 0);
			(by > 0 ? next[0] : next.at(-1))?.el.focus();
		};
		el.addEventListener("focus", () => {
			// A click selects nothing, as it opens what it hits.
			if (list.active === null && el.matches(":focus-visible")) list.move(1);
			point();
		});
		el.addEventListener("blur", () => list.clear());
		el.addEventListener("keydown", (event) => {
			const by = STEPS[event.key];
			if (by === undefined && event.key !== "Enter") return;
			event.preventDefault();
			if (by === undefined) list.openSelected(event);
			else if (!list.move(by)) enter(by);
			point();
		});
		el.addEventListener("contextmenu", (event) => {
			// From the keyboard it comes to what has the focus, which is not the row.
			if (event.target !== el) return;
			event.preventDefault();
			list.showMenu();
		});
	}
}
