import { setIcon, setTooltip } from "obsidian";
import { type Connection, explained, inWords } from "../../core/connection";

const ICONS: Readonly<Record<Connection["is"], string>> = {
	off: "unplug",
	connecting: "loader",
	indexing: "loader",
	ready: "check",
	refused: "lock",
	incompatible: "alert-triangle",
};

/** Tells how things stand; a click tells more. */
export class StatusBar {
	constructor(
		private readonly el: HTMLElement,
		open: () => void,
	) {
		el.addClass("mod-clickable", "vault-bridge-status-bar");
		el.setAttrs({ role: "button", tabindex: "0" });
		el.addEventListener("click", open);
		el.addEventListener("keydown", (event) => {
			if (event.key === "Enter" || event.key === " ") open();
		});
	}

	show(connection: Connection): void {
		this.el.empty();
		setIcon(this.el.createSpan({ cls: "status-bar-item-icon" }), ICONS[connection.is]);
		this.el.createSpan({ text: inWords(connection) });
		this.el.dataset["state"] = connection.is;
		setTooltip(this.el, explained(connection), { placement: "top" });
	}
}
