/** What the app adds to the prototypes of each of its windows (obsidian.d.ts, "declare global"). */

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

/** In the window of its parent, so that it is made by another page than the plugin when that is in a window of its own. */
export function makeEl(tag: string, options?: Options | string, parent?: Node): HTMLElement {
	const el = (parent?.ownerDocument ?? document).createElement(tag);
	fill(el, options);
	if (typeof options === "object" && options["prepend"] === true) parent?.insertBefore(el, parent.firstChild);
	else parent?.appendChild(el);
	return el;
}

type Migrated = (win: Window) => unknown;

const waiting = new Map<Node, Set<Migrated>>();

/** Tell what waits in an element that it is in another window now. */
export function migrated(el: HTMLElement): void {
	for (const [node, all] of waiting) if (el.contains(node)) for (const told of all) told(el.win);
}

const NODE = {
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
		this.appendChild(this.doc.createTextNode(text));
	},
	/** "when this node has been migrated to another window". */
	onWindowMigrated(this: Node, told: Migrated) {
		waiting.set(this, (waiting.get(this) ?? new Set()).add(told));
		return () => waiting.get(this)?.delete(told);
	},
	/** "cross-window capable". */
	instanceOf(this: Node, type: { readonly name: string }) {
		return this instanceof (this.win as unknown as Record<string, new () => unknown>)[type.name]!;
	},
};

const ELEMENT = {
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
};

/** Give a window what the app gives each. "activeWindow: the actively focused window." */
export function enhance(win: Window & typeof globalThis): void {
	Object.assign(win.Node.prototype, NODE);
	// Of the window that a node is in now, though another made it.
	Object.defineProperties(win.Node.prototype, {
		doc: {
			get(this: Node) {
				return this.ownerDocument ?? this;
			},
		},
		win: {
			get(this: Node) {
				return (this.ownerDocument ?? (this as Document)).defaultView ?? window;
			},
		},
	});
	Object.assign(win.Element.prototype, ELEMENT);
	for (const kind of ["focusin", "pointerdown"]) {
		win.addEventListener(kind, () => Object.assign(window, { activeWindow: win, activeDocument: win.document }), true);
	}
}

enhance(window);
Object.assign(window, {
	activeWindow: window,
	activeDocument: document,
	createEl: makeEl,
	createSpan: (options?: Options) => makeEl("span", options),
	createDiv: (options?: Options) => makeEl("div", options),
});
