import { Component } from "./component";
import { makeEl } from "./dom";
import { icon } from "./icons";
import type { App } from "./app";

/** obsidian.d.ts: function setIcon, "Insert an SVG into the element from an iconId." An unknown one is a fault of ours. */
export function setIcon(parent: HTMLElement, id: string): void {
	const svg = icon(id);
	if (svg === undefined) throw new Error(`There is no icon ${id}.`);
	parent.replaceChildren(document.createRange().createContextualFragment(svg));
}

export function setTooltip(el: HTMLElement, text: string): void {
	el.setAttribute("aria-label", text);
}

/** obsidian.d.ts: class Notice, which is gone when it is clicked, or "after a specified duration". */
export class Notice {
	readonly containerEl: HTMLElement;
	readonly messageEl: HTMLElement;

	constructor(text: string, duration = 5000) {
		let holder = document.querySelector(".notice-container");
		holder ??= makeEl("div", { cls: "notice-container" }, document.body);
		this.containerEl = makeEl("div", { cls: "notice" }, holder);
		this.messageEl = makeEl("div", { cls: "notice-message", text }, this.containerEl);
		window.setTimeout(() => this.hide(), duration);
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
		return this.showAtPosition({ x: event.clientX, y: event.clientY });
	}

	showAtPosition({ x, y }: { x: number; y: number }): this {
		document.querySelector(".menu")?.remove();
		const el = makeEl("div", { cls: "menu", attr: { role: "menu" } }, document.body);
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
		el.style.left = `${Math.min(x, window.innerWidth - width - 8)}px`;
		el.style.top = `${Math.min(y, window.innerHeight - height - 8)}px`;
		window.setTimeout(() => document.addEventListener("click", () => el.remove(), { once: true }));
		return this;
	}
}

class Control<T extends HTMLElement> {
	constructor(protected readonly el: T) {}
}

class Input extends Control<HTMLInputElement> {
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

class Button extends Control<HTMLButtonElement> {
	readonly buttonEl = this.el;

	setButtonText(text: string): this {
		this.el.textContent = text;
		return this;
	}

	setCta(): this {
		this.el.classList.add("mod-cta");
		return this;
	}

	onClick(act: () => unknown): this {
		this.el.addEventListener("click", () => void act());
		return this;
	}
}

/** obsidian.d.ts: class Setting, one row. */
export class Setting {
	readonly settingEl: HTMLElement;
	readonly nameEl: HTMLElement;
	readonly descEl: HTMLElement;
	readonly controlEl: HTMLElement;

	constructor(parent: HTMLElement) {
		this.settingEl = makeEl("div", { cls: "setting-item" }, parent);
		const info = makeEl("div", { cls: "setting-item-info" }, this.settingEl);
		this.nameEl = makeEl("div", { cls: "setting-item-name" }, info);
		this.descEl = makeEl("div", { cls: "setting-item-description" }, info);
		this.controlEl = makeEl("div", { cls: "setting-item-control" }, this.settingEl);
	}

	setName(text: string): this {
		this.nameEl.textContent = text;
		return this;
	}

	setDesc(text: string): this {
		this.descEl.textContent = text;
		return this;
	}

	setHeading(): this {
		this.settingEl.classList.add("setting-item-heading");
		return this;
	}

	addText(fill: (text: Input) => void): this {
		fill(new Input(makeEl("input", { type: "text" }, this.controlEl) as HTMLInputElement));
		return this;
	}

	addButton(fill: (button: Button) => void): this {
		fill(new Button(makeEl("button", {}, this.controlEl) as HTMLButtonElement));
		return this;
	}
}

interface Definition {
	readonly type?: string;
	readonly heading?: string;
	readonly name?: string;
	readonly desc?: string;
	readonly items?: readonly Definition[];
	readonly render?: (setting: Setting) => unknown;
	readonly control?: { type: string; key: string; placeholder?: string; min?: number; max?: number; step?: number; validate?: (value: never) => unknown };
}

/** obsidian.d.ts: class PluginSettingTab with getSettingDefinitions, since 1.13.0. */
export abstract class PluginSettingTab {
	readonly containerEl = makeEl("div", { cls: "vertical-tab-content" });

	constructor(
		readonly app: App,
		readonly plugin: { settings: Record<string, unknown>; saveData: (data: unknown) => Promise<void> },
	) {}

	abstract getSettingDefinitions(): readonly Definition[];

	/** "Reads from `this.plugin.settings`." */
	getControlValue(key: string): unknown {
		return this.plugin.settings[key];
	}

	/** "Mutates and persists `this.plugin.settings`." */
	async setControlValue(key: string, value: unknown): Promise<void> {
		this.plugin.settings[key] = value;
		await this.plugin.saveData(this.plugin.settings);
	}

	update(): void {
		this.containerEl.replaceChildren();
		this.draw(this.getSettingDefinitions());
	}

	private draw(all: readonly Definition[]): void {
		for (const one of all) {
			const setting = new Setting(this.containerEl);
			if (one.items !== undefined) {
				setting.setName(one.heading ?? one.name ?? "").setHeading();
				this.draw(one.items);
				continue;
			}
			setting.setName(one.name ?? "").setDesc(one.desc ?? "");
			one.render?.(setting);
			if (one.control !== undefined) this.control(setting, one.control);
		}
	}

	private control(setting: Setting, { type, key, placeholder, validate, min, max, step }: NonNullable<Definition["control"]>): void {
		const kinds: Record<string, string> = { toggle: "checkbox", slider: "range", text: "text" };
		const input = makeEl("input", { type: kinds[type], placeholder: placeholder ?? "", attr: { min: min ?? null, max: max ?? null, step: step ?? null } }, setting.controlEl) as HTMLInputElement;
		const value = this.getControlValue(key);
		if (type === "toggle") input.checked = value === true;
		else input.value = String(value);
		input.addEventListener("change", () => {
			const given = type === "toggle" ? input.checked : type === "slider" ? Number(input.value) : input.value;
			if (validate?.(given as never) === undefined) void this.setControlValue(key, given);
		});
	}
}
