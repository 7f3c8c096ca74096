/** What the app adds to the prototypes of the page (obsidian.d.ts, "declare global"). */

type Options = { cls?: string | string[]; text?: string | DocumentFragment; attr?: Record<string, string | number | boolean | null>; [key: string]: unknown };

const PLAIN = ["type", "href", "value", "placeholder", "title"] as const;

function fill(el: HTMLElement, options?: Options | string): void {
	const given = typeof options === "string" ? { cls: options } : (options ?? {});
	const classes = Array.isArray(given.cls) ? given.cls : (given.cls ?? "").split(" ");
	el.classList.add(...classes.filter((name) => name !== ""));
	if (given.text instanceof DocumentFragment) el.append(given.text);
	else if (given.text !== undefined) el.textContent = given.text;
	for (const [name, value] of Object.entries(given.attr ?? {})) setAttr(el, name, value);
	for (const name of PLAIN) if (given[name] !== undefined) Reflect.set(el, name, given[name]);
}

function setAttr(el: Element, name: string, value: unknown): void {
	if (value === null) el.removeAttribute(name);
	else el.setAttribute(name, String(value));
}

export function makeEl(tag: string, options?: Options | string, parent?: Node): HTMLElement {
	const el = document.createElement(tag);
	fill(el, options);
	if (parent !== undefined) parent.appendChild(el);
	return el;
}

Object.assign(Node.prototype, {
	createEl(this: Node, tag: string, options?: Options) {
		return makeEl(tag, options, this);
	},
	createDiv(this: Node, options?: Options) {
		return makeEl("div", options, this);
	},
	createSpan(this: Node, options?: Options) {
		return makeEl("span", options, this);
	},
	empty(this: Node) {
		while (this.lastChild !== null) this.removeChild(this.lastChild);
	},
	appendText(this: Node, text: string) {
		this.appendChild(document.createTextNode(text));
	},
	/** "when this node has been migrated to another window": there is one window here. */
	onWindowMigrated() {
		return () => {};
	},
	instanceOf(this: Node, type: new () => unknown) {
		return this instanceof type;
	},
});
Object.defineProperties(Node.prototype, { doc: { get: () => document }, win: { get: () => window } });

Object.assign(Element.prototype, {
	addClass(this: Element, ...names: string[]) {
		this.classList.add(...names);
	},
	removeClass(this: Element, ...names: string[]) {
		this.classList.remove(...names);
	},
	toggleClass(this: Element, name: string, on: boolean) {
		this.classList.toggle(name, on);
	},
	hasClass(this: Element, name: string) {
		return this.classList.contains(name);
	},
	setText(this: Element, text: string) {
		this.textContent = text;
	},
	setAttr(this: Element, name: string, value: unknown) {
		setAttr(this, name, value);
	},
	setAttrs(this: Element, all: Record<string, unknown>) {
		for (const [name, value] of Object.entries(all)) setAttr(this, name, value);
	},
	setCssProps(this: HTMLElement, all: Record<string, string>) {
		for (const [name, value] of Object.entries(all)) this.style.setProperty(name, value);
	},
	/** "none of the parent and ancestor elements are hidden with `display: none`". */
	isShown(this: HTMLElement) {
		return this.offsetParent !== null;
	},
	toggle(this: HTMLElement, on: boolean) {
		this.style.display = on ? "" : "none";
	},
});
Object.assign(window, {
	activeWindow: window,
	activeDocument: document,
	createEl: makeEl,
	createSpan: (options?: Options) => makeEl("span", options),
	createDiv: (options?: Options) => makeEl("div", options),
});
