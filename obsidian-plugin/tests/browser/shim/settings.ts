import type { App } from "./app";
import { makeEl } from "./dom";
import { Control, Input, SearchComponent, setIcon } from "./widgets";

/** obsidian.d.ts: class ButtonComponent. */
export class ButtonComponent extends Control<HTMLButtonElement> {
	readonly buttonEl = this.el;
	disabled = false;

	constructor(parent: HTMLElement) {
		super(makeEl("button", {}, parent) as HTMLButtonElement);
	}

	setButtonText(text: string): this {
		this.el.textContent = text;
		return this;
	}

	setTooltip(text: string): this {
		this.el.setAttribute("aria-label", text);
		return this;
	}

	setCta(): this {
		this.el.classList.add("mod-cta");
		return this;
	}

	setDestructive(): this {
		this.el.classList.add("mod-destructive");
		return this;
	}

	setDisabled(disabled: boolean): this {
		this.disabled = this.el.disabled = disabled;
		return this;
	}

	onClick(act: (event: MouseEvent) => unknown): this {
		this.el.addEventListener("click", (event) => void act(event));
		return this;
	}
}

/** obsidian.d.ts: class ExtraButtonComponent, an icon that can be clicked and, as all controls, reached by the keyboard. */
class ExtraButton extends Control<HTMLElement> {
	readonly extraSettingsEl = this.el;

	constructor(parent: HTMLElement) {
		super(makeEl("button", { cls: "clickable-icon extra-setting-button" }, parent));
	}

	setIcon(icon: string): this {
		setIcon(this.el, icon);
		return this;
	}

	setTooltip(text: string): this {
		this.el.setAttribute("aria-label", text);
		return this;
	}

	setDisabled(disabled: boolean): this {
		(this.el as HTMLButtonElement).disabled = disabled;
		return this;
	}

	onClick(act: () => unknown): this {
		this.el.addEventListener("click", () => void act());
		return this;
	}
}

/** obsidian.d.ts: class DropdownComponent. */
class Dropdown extends Control<HTMLSelectElement> {
	readonly selectEl = this.el;

	constructor(parent: HTMLElement) {
		super(makeEl("select", { cls: "dropdown" }, parent) as HTMLSelectElement);
	}

	addOptions(options: Record<string, string>): this {
		for (const [value, text] of Object.entries(options)) makeEl("option", { value, text }, this.el);
		return this;
	}

	setValue(value: string): this {
		this.el.value = value;
		return this;
	}

	setDisabled(disabled: boolean): this {
		this.el.disabled = disabled;
		return this;
	}

	onChange(changed: (value: string) => unknown): this {
		this.el.addEventListener("change", () => void changed(this.el.value));
		return this;
	}
}

/** obsidian.d.ts: class Setting, one row. */
export class Setting {
	readonly settingEl: HTMLElement;
	readonly infoEl: HTMLElement;
	readonly nameEl: HTMLElement;
	readonly descEl: HTMLElement;
	readonly controlEl: HTMLElement;
	errorEl: HTMLElement | null = null;

	constructor(parent: HTMLElement) {
		this.settingEl = makeEl("div", { cls: "setting-item" }, parent);
		this.infoEl = makeEl("div", { cls: "setting-item-info" }, this.settingEl);
		this.nameEl = makeEl("div", { cls: "setting-item-name" }, this.infoEl);
		this.descEl = makeEl("div", { cls: "setting-item-description" }, this.infoEl);
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

	setClass(name: string): this {
		this.settingEl.classList.add(name);
		return this;
	}

	setHeading(): this {
		this.settingEl.classList.add("setting-item-heading");
		return this;
	}

	/** Not described beyond its name; `SettingControlBase.validate` calls what it shows "an inline error message below the setting". */
	setErrorMessage(message: string | null): this {
		this.errorEl?.remove();
		this.errorEl = message === null ? null : makeEl("div", { cls: "setting-item-error", text: message, attr: { role: "alert" } }, this.infoEl);
		return this;
	}

	addText(fill: (text: Input) => void): this {
		fill(new Input(makeEl("input", { type: "text" }, this.controlEl) as HTMLInputElement));
		return this;
	}

	addSearch(fill: (search: SearchComponent) => void): this {
		fill(new SearchComponent(this.controlEl));
		return this;
	}

	addButton(fill: (button: ButtonComponent) => void): this {
		fill(new ButtonComponent(this.controlEl));
		return this;
	}

	addExtraButton(fill: (button: ExtraButton) => void): this {
		fill(new ExtraButton(this.controlEl));
		return this;
	}

	addDropdown(fill: (dropdown: Dropdown) => void): this {
		fill(new Dropdown(this.controlEl));
		return this;
	}
}

type Flag = boolean | (() => boolean);

interface ControlDefinition {
	readonly type: "toggle" | "slider" | "text" | "textarea" | "number" | "dropdown";
	readonly key: string;
	readonly placeholder?: string;
	readonly min?: number;
	readonly max?: number;
	readonly step?: number;
	readonly rows?: number;
	readonly displayFormat?: (value: number) => string;
	readonly options?: Record<string, string>;
	readonly disabled?: Flag;
	readonly validate?: (value: never) => string | void | Promise<string | void>;
}

interface Definition {
	readonly type?: string;
	readonly heading?: string;
	readonly name?: string;
	readonly desc?: string;
	readonly visible?: Flag;
	readonly items?: readonly Definition[];
	readonly render?: (setting: Setting) => void | (() => void);
	readonly control?: ControlDefinition;
}

const INPUTS = { toggle: "checkbox", slider: "range", text: "text", number: "number" } as const;
const is = (flag: Flag | undefined, otherwise: boolean): boolean => (typeof flag === "function" ? flag() : (flag ?? otherwise));

/** obsidian.d.ts: class PluginSettingTab with getSettingDefinitions, since 1.13.0. */
export abstract class PluginSettingTab {
	readonly containerEl = makeEl("div", { cls: "vertical-tab-content" });
	settingItems: readonly Definition[] = [];
	private ends: (() => void)[] = [];

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

	/** "Stores the result of getSettingDefinitions() for rendering and search indexing. Called by addSettingTab() and by dynamic tabs when their data changes." Only what is seen is drawn. */
	update(): void {
		this.settingItems = this.getSettingDefinitions();
		if (this.containerEl.isConnected) this.draw__();
	}

	/** "Called on every display()": the person comes to the tab. */
	show__(): void {
		document.body.append(this.containerEl);
		this.update();
	}

	/** "Hides the contents of the setting tab." */
	hide(): void {
		this.clear();
		this.containerEl.remove();
	}

	private draw__(): void {
		const { scrollTop } = this.containerEl;
		this.clear();
		this.rows(this.settingItems, this.containerEl);
		this.containerEl.scrollTop = scrollTop;
	}

	/** "May return a cleanup function, invoked before the row is torn down." */
	private clear(): void {
		for (const end of this.ends.splice(0)) end();
		this.containerEl.replaceChildren();
	}

	private rows(all: readonly Definition[], el: HTMLElement): void {
		for (const one of all.filter(({ visible }) => is(visible, true))) {
			if (one.items !== undefined) {
				const group = makeEl("div", { cls: "setting-group", attr: { role: "group", "aria-label": one.heading ?? "" } }, el);
				new Setting(group).setName(one.heading ?? "").setHeading();
				this.rows(one.items, makeEl("div", { cls: "setting-items" }, group));
				continue;
			}
			const setting = new Setting(el).setName(one.name ?? "").setDesc(one.desc ?? "");
			const end = one.render?.(setting);
			if (end !== undefined) this.ends.push(end);
			if (one.control !== undefined) this.control(setting, one.control);
		}
	}

	private control(setting: Setting, control: ControlDefinition): void {
		const { type, key, validate } = control;
		const field = type === "dropdown" ? dropdown(setting, control) : type === "textarea" ? textarea(setting, control) : input(setting, type, control);
		field.disabled = is(control.disabled, false);
		field.setAttribute("aria-label", setting.nameEl.textContent ?? "");
		if (type === "slider") setting.controlEl.prepend(makeEl("span", { cls: "slider-value", text: slider(control, this.getControlValue(key)) }));
		const value = this.getControlValue(key);
		if (field instanceof HTMLInputElement && type === "toggle") field.checked = value === true;
		else field.value = String(value ?? "");
		const given = (): unknown => {
			if (field instanceof HTMLInputElement && type === "toggle") return field.checked;
			return type === "slider" || type === "number" ? Number(field.value) : field.value;
		};
		// "Return a non-empty string to reject the change and surface it as an inline error message below the setting".
		field.addEventListener("change", () => {
			void Promise.resolve(validate?.(given() as never)).then((wrong) => {
				setting.setErrorMessage(wrong || null);
				if (!wrong) void this.setControlValue(key, given());
			});
		});
	}
}

function input({ controlEl }: Setting, type: keyof typeof INPUTS, { placeholder, min, max, step }: ControlDefinition): HTMLInputElement {
	const attr = { min: min ?? null, max: max ?? null, step: step ?? null };
	return makeEl("input", { type: INPUTS[type], placeholder: placeholder ?? "", attr }, controlEl) as HTMLInputElement;
}

function textarea({ controlEl }: Setting, { placeholder, rows }: ControlDefinition): HTMLTextAreaElement {
	return makeEl("textarea", { placeholder: placeholder ?? "", attr: { rows: rows ?? null } }, controlEl) as HTMLTextAreaElement;
}

/** "Formats the value shown inline next to the slider." */
function slider({ displayFormat }: ControlDefinition, value: unknown): string {
	return displayFormat?.(Number(value)) ?? String(value ?? "");
}

function dropdown({ controlEl }: Setting, { options }: ControlDefinition): HTMLSelectElement {
	return new Dropdown(controlEl).addOptions(options ?? {}).selectEl;
}
