import { type IconName, setIcon, setTooltip } from "obsidian";

/**
 * Make an item of the status bar a button that says something in short.
 *
 * @param el The item.
 * @param cls Its class.
 * @param press What it does when it is pressed.
 * @returns A function that shows an icon, a text and a longer text on pointing; nothing without a text.
 */
export function makeStatusItem(el: HTMLElement, cls: string, press: () => unknown): (icon: IconName, text: string, says: string) => void {
	el.addClass("mod-clickable", "vaultside-sign", cls);
	el.setAttrs({ role: "button", tabindex: "0" });
	el.addEventListener("click", () => void press());
	el.addEventListener("keydown", (event) => {
		if (event.key !== "Enter" && event.key !== " ") return;
		event.preventDefault();
		void press();
	});
	return (icon, text, says) => {
		el.empty();
		// Hidden from the keyboard too, by the stylesheet.
		el.toggleClass("is-empty", text === "");
		if (text === "") return;
		setIcon(el.createSpan({ cls: "status-bar-item-icon" }), icon);
		el.createSpan({ text });
		setTooltip(el, says, { placement: "top" });
	};
}
