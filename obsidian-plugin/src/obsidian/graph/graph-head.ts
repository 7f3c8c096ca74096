import { setIcon } from "obsidian";
import { addButton } from "../button";

export interface HeadListener {
	readonly onWhole: () => void;
	readonly onPin: () => void;
	readonly onList: () => void;
	readonly onLook: (event: MouseEvent) => void;
}

/** Shows which of the buttons are pressed. */
export interface Buttons {
	readonly show: (now: { readonly whole: boolean; readonly pinned: boolean; readonly list: boolean }) => void;
}

/** The title of the graph, and the buttons beside it. */
export function graphHead(el: HTMLElement, listener: HeadListener): { readonly title: HTMLElement; readonly buttons: Buttons } {
	const head = el.createDiv({ cls: "vaultside-head" });
	const title = head.createDiv({ cls: "vaultside-head-title", attr: { dir: "auto" } });
	const button = (act: (event: MouseEvent) => void): HTMLElement => addButton(head, { cls: "clickable-icon" }, act);
	const [whole, pin, list, look] = [button(listener.onWhole), button(listener.onPin), button(listener.onList), button(listener.onLook)];
	setIcon(look, "sliders-horizontal");
	look.setAttr("aria-label", "How the graph is drawn");
	const draw = (el: HTMLElement, pressed: boolean, icon: string, label: string): void => {
		// A button whose icon changes between press and release is not clicked, and a press makes the pane active.
		if (el.getAttribute("aria-label") === label) return;
		setIcon(el, icon);
		el.setAttrs({ "aria-label": label, "aria-pressed": String(pressed) });
	};
	const show: Buttons["show"] = (now) => {
		draw(whole, now.whole, "globe", now.whole ? "Show what is around the note" : "Show the whole vault");
		draw(pin, now.pinned, now.pinned ? "pin-off" : "pin", now.pinned ? "Follow the active note" : "Stay with this note");
		pin.toggle(!now.whole);
		draw(list, now.list, now.list ? "chart-network" : "list", now.list ? "Show as a picture" : "Show as a list");
	};
	show({ whole: false, pinned: false, list: false });
	return { title, buttons: { show } };
}
