import { Component } from "./component";
import { makeEl } from "./dom";
import { icon } from "./icons";

/** obsidian.d.ts: function setIcon, "Insert an SVG into the element from an iconId." An unknown one is a fault of ours. */
export function setIcon(parent: HTMLElement, id: string): void {
	const svg = icon(id);
	if (svg === undefined) throw new Error(`There is no icon ${id}.`);
	parent.replaceChildren(parent.doc.createRange().createContextualFragment(svg));
}

export function setTooltip(el: HTMLElement, text: string): void {
	el.setAttribute("aria-label", text);
}

/** obsidian.d.ts: function displayTooltip, "Manually trigger a tooltip that will appear over the provided element." */
export function displayTooltip(over: HTMLElement, text: string): void {
	const el = makeEl("div", { cls: "tooltip", text }, over.doc.body);
	over.addEventListener("mouseleave", () => el.remove(), { once: true });
}

/** A test on a busy machine takes longer to look at a notice than a person does; it stands where it is in nobody's way. */
const LONGER = 20;

/** obsidian.d.ts: class Notice, which is gone when it is clicked, or "after a specified duration". */
export class Notice {
	readonly containerEl: HTMLElement;
	readonly messageEl: HTMLElement;

	constructor(text: string, duration = 5000) {
		let holder = document.querySelector(".notice-container");
		holder ??= makeEl("div", { cls: "notice-container" }, document.body);
		this.containerEl = makeEl("div", { cls: "notice" }, holder);
		this.messageEl = makeEl("div", { cls: "notice-message", text }, this.containerEl);
		window.setTimeout(() => this.hide(), LONGER * duration);
	}

	hide(): void {
		this.containerEl.remove();
	}
}

class MenuItem {
	title = "";
	icon: string | null = null;
	checked = false;
	act: () => void = () => {};

	setTitle(title: string): this {
		this.title = title;
		return this;
	}

	setIcon(icon: string): this {
		this.icon = icon;
		return this;
	}

	setChecked(checked: boolean): this {
		this.checked = checked;
		return this;
	}

	setWarning(): this {
		return this;
	}

	setSection(): this {
		return this;
	}

	setDisabled(): this {
		return this;
	}

	onClick(act: () => void): this {
		this.act = act;
		return this;
	}
}

/** obsidian.d.ts: class Menu. */
export class Menu extends Component {
	private readonly items: (MenuItem | null)[] = [];

	addItem(fill: (item: MenuItem) => void): this {
		const item = new MenuItem();
		fill(item);
		this.items.push(item);
		return this;
	}

	addSeparator(): this {
		this.items.push(null);
		return this;
	}

	showAtMouseEvent(event: MouseEvent): this {
		return this.showAtPosition({ x: event.clientX, y: event.clientY }, event.view?.document);
	}

	showAtPosition({ x, y }: { x: number; y: number }, doc: Document = document): this {
		doc.querySelector(".menu")?.remove();
		const el = makeEl("div", { cls: "menu", attr: { role: "menu" } }, doc.body);
		for (const item of this.items) {
			if (item === null) {
				makeEl("div", { cls: "menu-separator" }, el);
				continue;
			}
			const row = makeEl("div", { cls: "menu-item", attr: { role: "menuitem" } }, el);
			const icon = makeEl("span", { cls: "menu-item-icon" }, row);
			if (item.icon !== null || item.checked) setIcon(icon, item.icon ?? "check");
			makeEl("span", { cls: "menu-item-title", text: item.title }, row);
			row.addEventListener("click", () => {
				el.remove();
				item.act();
			});
		}
		const { width, height } = el.getBoundingClientRect();
		el.style.left = `${Math.min(x, doc.win.innerWidth - width - 8)}px`;
		el.style.top = `${Math.min(y, doc.win.innerHeight - height - 8)}px`;
		window.setTimeout(() => doc.addEventListener("click", () => el.remove(), { once: true }));
		doc.addEventListener("keydown", ({ key }) => key === "Escape" && el.remove(), { once: true });
		return this;
	}
}

/** obsidian.d.ts: class BaseComponent, what all fields and buttons share. */
export class Control<T extends HTMLElement> {
	constructor(protected readonly el: T) {}
}

/** obsidian.d.ts: class TextComponent. */
export class Input extends Control<HTMLInputElement> {
	readonly inputEl = this.el;

	getValue(): string {
		return this.el.value;
	}

	setValue(value: string): this {
		this.el.value = value;
		return this;
	}

	setPlaceholder(text: string): this {
		this.el.placeholder = text;
		return this;
	}

	onChange(changed: (value: string) => unknown): this {
		this.el.addEventListener("input", () => changed(this.el.value));
		return this;
	}
}

/** obsidian.d.ts: class SearchComponent, an input with a button that empties it. */
export class SearchComponent extends Input {
	readonly clearButtonEl: HTMLElement;

	constructor(parent: HTMLElement) {
		const holder = makeEl("div", { cls: "search-input-container" }, parent);
		super(makeEl("input", { type: "search", attr: { spellcheck: "false", enterkeyhint: "search" } }, holder) as HTMLInputElement);
		this.clearButtonEl = makeEl("div", { cls: "search-input-clear-button", attr: { "aria-label": "Clear search" } }, holder);
		this.clearButtonEl.addEventListener("click", () => {
			this.setValue("");
			this.inputEl.dispatchEvent(new Event("input"));
		});
	}
}
