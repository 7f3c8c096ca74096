import { titleOf } from "../../core/place";
import type { Host } from "../host";
import { open } from "../opening";
import { addButton } from "../button";
import { addSmallText } from "../small-line";

/** A place in a note that something rests on; without a path, a text of another program. */
export interface CitedPlace {
	readonly path: string;
	readonly lines: readonly [number, number];
	readonly quote?: string;
}

/** Show a small button that opens the cited lines; of another program's text, which is nowhere, only its number. */
export function cite(el: HTMLElement, host: Host, text: string, { path, lines, quote }: CitedPlace): void {
	if (path === "") {
		addSmallText(el, `[${text}]`);
		return;
	}
	const label = `Open ${titleOf(path)}, line ${lines[0]}`;
	addButton(el, { cls: "vaultside-cite", text, attr: { "aria-label": label, title: quote ?? label } }, () => open(host.app, { path, lines }, false));
}
