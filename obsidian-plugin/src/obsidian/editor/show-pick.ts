import type { Hit } from "../../protocol/operations";
import { placeOf } from "../../core/place";
import { markedLine, splitMarked, TITLE } from "../../core/markdown-text";
import { writeParts } from "../marking";

/** Show a note that may be linked: its title, where it is, and a line of what speaks for it. */
export function showPick(el: HTMLElement, hit: Hit): void {
	el.addClass("vaultside-pick");
	const head = el.createDiv({ cls: "vaultside-pick-head" });
	head.createSpan({ cls: "vaultside-pick-title", text: hit.title, attr: { dir: "auto" } });
	const place = placeOf(hit);
	if (place !== "") head.createSpan({ cls: "vaultside-pick-place", text: place, attr: { dir: "auto" } });
	const line = markedLine(hit.snippet);
	if (line !== "") writeParts(el.createDiv({ cls: "vaultside-pick-text", attr: { dir: "auto" } }), "mark", splitMarked(line));
	const [why] = hit.why;
	if (why !== undefined) writeParts(el.createDiv({ cls: "vaultside-pick-why", attr: { dir: "auto" } }), "em", splitMarked(why, TITLE));
}
