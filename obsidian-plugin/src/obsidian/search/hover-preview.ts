import { displayTooltip, type HoverParent } from "obsidian";
import type { Hit } from "../../protocol/operations";
import { type Host, HOVER_SOURCE } from "../host";

/** How long the pointer rests on a title before the note is summarised. */
const HOVER_MS = 600;

/** Let Obsidian's *Page preview* show the note of a row that the pointer is over, at the line that was found. */
export function previewOnHover(host: Pick<Host, "app">, el: HTMLElement, hitOf: () => Hit | undefined): void {
	const hoverParent: HoverParent = { hoverPopover: null };
	el.addEventListener("mouseover", (event) => {
		const hit = hitOf();
		if (hit === undefined) return;
		const state = { scroll: hit.lines[0] - 1 };
		host.app.workspace.trigger("hover-link", { event, source: HOVER_SOURCE, hoverParent, targetEl: el, linktext: hit.path, sourcePath: "", state });
	});
}

/** Sum up a note in one of its sentences while the pointer rests on its title. */
export function summariseOnHover({ link }: Pick<Host, "link">, titleEl: HTMLElement, { path }: Hit): void {
	let rests = 0;
	titleEl.addEventListener("mouseenter", () => {
		rests = titleEl.win.setTimeout(() => {
			void link.call("summarise", { paths: [path], length: "line", mode: "extract" }).then((answer) => {
				if (answer.ok && answer.result.text !== "" && titleEl.matches(":hover")) displayTooltip(titleEl, answer.result.text);
			});
		}, HOVER_MS);
	});
	titleEl.addEventListener("mouseleave", () => titleEl.win.clearTimeout(rests));
}
