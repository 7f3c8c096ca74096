import { Keymap, Menu, Notice, setIcon } from "obsidian";
import type { Hit } from "../../protocol/operations";
import { placeOf } from "../../core/place";
import { splitMarked, TITLE } from "../../core/markdown-text";
import { showParts } from "../lines";
import type { Host } from "../host";
import { copy, insertLink, linkTo, openHit, quoteHit } from "../note-links";
import { previewOnHover, summariseOnHover } from "./hover-preview";

/** What a list may be told to do with a hit beside opening and linking it. */
export interface Extra {
	/** Marks a hit, such as one that is linked already. */
	readonly mark?: (hit: Hit) => string | null;
	/** Stands before its title. */
	readonly icon?: (hit: Hit) => string | null;
	/** Stand below its text. */
	readonly tags?: (hit: Hit) => readonly string[];
	/** Adds to its menu. */
	readonly menu?: (menu: Menu, hit: Hit) => void;
	/** Something was done with a hit. */
	readonly onUse?: () => void;
}

interface Row {
	readonly el: HTMLElement;
	readonly key: string;
	hit: Hit;
}

const keyOf = (hit: Hit): string => `${hit.vault ?? ""}\n${hit.path}`;

/** Hits one below the other, with one of them selected; rows of the same note are kept when the hits change. */
export class HitList {
	readonly el: HTMLElement;
	#rows: readonly Row[] = [];
	#selected = -1;
	#hovered = -1;

	constructor(
		parent: HTMLElement,
		private readonly host: Pick<Host, "app" | "link">,
		label: string,
		private readonly extra: Extra = {},
	) {
		this.el = parent.createDiv({ cls: "vaultside-hits", attr: { role: "listbox", "aria-label": label } });
		this.el.id = `vaultside-hits-${(HitList.#made += 1)}`;
		this.el.addEventListener("mouseleave", () => (this.#hovered = -1));
	}

	get hits(): readonly Hit[] {
		return this.#rows.map((row) => row.hit);
	}

	/** How many of the first hits a person has come to. */
	get visitedCount(): number {
		return Math.max(this.#selected, this.#hovered) + 1;
	}

	/** The id of the selected row, for screen readers. */
	get active(): string | null {
		return this.#rows[this.#selected]?.el.id ?? null;
	}

	show(hits: readonly Hit[]): void {
		const chosen = this.#rows[this.#selected]?.key;
		const old = new Map(this.#rows.map((row) => [row.key, row]));
		this.#rows = hits.map((hit) => old.get(keyOf(hit)) ?? { el: this.#row(keyOf(hit)), hit, key: keyOf(hit) });
		const kept = new Set(this.#rows.map((row) => row.el));
		for (const row of old.values()) if (!kept.has(row.el)) row.el.remove();
		for (const [at, row] of this.#rows.entries()) {
			row.hit = hits[at] ?? row.hit;
			this.#fill(row);
			// Moving an element takes the focus from it, so that only those move that must.
			if (this.el.children[at] !== row.el) this.el.insertBefore(row.el, this.el.children[at] ?? null);
		}
		this.#select(hits.findIndex((hit) => keyOf(hit) === chosen));
	}

	/**
	 * Move the selection by so many rows, starting before the first.
	 *
	 * @returns Whether there was room to move.
	 */
	move(by: number): boolean {
		const before = this.#selected;
		this.#select(Math.min(Math.max(before + by, 0), this.#rows.length - 1));
		this.#rows[this.#selected]?.el.scrollIntoView({ block: "nearest" });
		return this.#selected !== before;
	}

	/** Select nothing. */
	clear(): void {
		this.#select(-1);
	}

	/** Open the selected hit, or the first: in place, in a tab or beside; with Shift, link it in the note that was edited. */
	openSelected(event: KeyboardEvent): void {
		const row = this.#rows[Math.max(this.#selected, 0)];
		if (row === undefined) return;
		if (event.shiftKey && !Keymap.isModEvent(event)) this.#link(row.hit);
		else this.#open(row.hit, event);
	}

	/** Show the menu of the selected hit, below it. */
	showMenu(): void {
		const row = this.#rows[this.#selected];
		if (row === undefined) return;
		const { left, bottom } = row.el.getBoundingClientRect();
		this.#menu(row.hit).showAtPosition({ x: left, y: bottom }, row.el.doc);
	}

	#select(at: number): void {
		this.#selected = at;
		for (const [index, row] of this.#rows.entries()) {
			row.el.toggleClass("is-selected", index === at);
			row.el.setAttr("aria-selected", String(index === at));
		}
	}

	#open(hit: Hit, event: MouseEvent | KeyboardEvent): void {
		if (this.#isElsewhere(hit)) {
			new Notice(`“${hit.title}” is in ${hit.vault}.`);
			return;
		}
		this.extra.onUse?.();
		void openHit(this.host.app, hit, Keymap.isModEvent(event) || (event.altKey ? "split" : false));
	}

	/** Whether it is in another vault, or a store that others publish to. */
	#isElsewhere(hit: Hit): boolean {
		return hit.vault != null && hit.vault !== this.host.app.vault.getName();
	}

	#link(hit: Hit): void {
		if (this.#isElsewhere(hit)) return;
		this.extra.onUse?.();
		insertLink(this.host.app, hit);
	}

	#row(key: string): HTMLElement {
		const el = this.el.createDiv({ cls: "vaultside-hit", attr: { role: "option", draggable: "true" } });
		el.id = `vaultside-hit-${(HitList.#made += 1)}`;
		const findHit = (): Hit | undefined => this.#rows.find((row) => row.key === key)?.hit;
		const withHit = <E extends Event>(act: (hit: Hit, event: E) => void) => (event: E) => {
			const hit = findHit();
			if (hit !== undefined) act(hit, event);
		};
		el.addEventListener("click", withHit<MouseEvent>((hit, event) => this.#open(hit, event)));
		el.addEventListener("auxclick", withHit<MouseEvent>((hit, event) => event.button === 1 && this.#open(hit, event)));
		el.addEventListener("contextmenu", withHit<MouseEvent>((hit, event) => this.#menu(hit).showAtMouseEvent(event)));
		el.addEventListener("mouseenter", () => (this.#hovered = this.#rows.findIndex((row) => row.el === el)));
		previewOnHover(this.host, el, () => {
			const hit = findHit();
			return hit === undefined || this.#isElsewhere(hit) ? undefined : hit;
		});
		el.addEventListener("dragstart", withHit<DragEvent>((hit, event) => {
			event.dataTransfer?.setData("text/plain", linkTo(this.host.app, hit, "") ?? hit.path);
		}));
		return el;
	}

	#fill({ el, hit }: Row): void {
		el.empty();
		const head = el.createDiv({ cls: "vaultside-hit-head" });
		const icon = this.extra.icon?.(hit) ?? null;
		if (icon !== null) setIcon(head.createSpan({ cls: "vaultside-hit-icon" }), icon);
		const titleEl = head.createSpan({ cls: "vaultside-hit-title", text: hit.title, attr: { dir: "auto" } });
		const isElsewhere = this.#isElsewhere(hit);
		if (!isElsewhere) summariseOnHover(this.host, titleEl, hit);
		const mark = this.extra.mark?.(hit) ?? null;
		if (mark !== null) head.createSpan({ cls: "vaultside-hit-mark", text: mark });
		if (!isElsewhere) this.#addInsert(head, hit);
		const place = [isElsewhere ? hit.vault : "", placeOf(hit)].filter((part) => part).join(" · ");
		if (place !== "") el.createDiv({ cls: "vaultside-hit-place", text: place, attr: { dir: "auto" } });
		const text = el.createDiv({ cls: "vaultside-hit-text", attr: { dir: "auto" } });
		showParts(text, "mark", splitMarked(hit.snippet));
		const tags = this.extra.tags?.(hit) ?? [];
		if (tags.length > 0) {
			const row = el.createDiv({ cls: "vaultside-hit-tags" });
			for (const tag of tags) row.createSpan({ cls: "vaultside-tag", text: `#${tag}`, attr: { dir: "auto" } });
		}
		if (hit.why.length === 0) return;
		const why = el.createDiv({ cls: "vaultside-hit-why" });
		for (const reason of hit.why) showParts(why.createSpan({ attr: { dir: "auto" } }), "em", splitMarked(reason, TITLE));
	}

	#addInsert(head: HTMLElement, hit: Hit): void {
		const insert = head.createEl("button", { cls: "clickable-icon", attr: { "aria-label": `Insert link to ${hit.title}`, tabindex: "-1" } });
		setIcon(insert, "link");
		insert.addEventListener("click", (event) => {
			event.stopPropagation();
			this.#link(hit);
		});
	}

	#menu(hit: Hit): Menu {
		const menu = new Menu();
		const add = (title: string, icon: string, act: () => void): Menu =>
			menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(() => {
				this.extra.onUse?.();
				act();
			}));
		if (this.#isElsewhere(hit)) return add("Copy passage", "quote", () => void copy(hit.snippet.replaceAll("==", "")));
		add("Open in new tab", "file-plus", () => void openHit(this.host.app, hit, "tab"));
		add("Open to the right", "separator-vertical", () => void openHit(this.host.app, hit, "split"));
		add("Open in new window", "picture-in-picture-2", () => void openHit(this.host.app, hit, "window"));
		menu.addSeparator();
		add("Insert link", "link", () => insertLink(this.host.app, hit));
		add("Copy link", "copy", () => void copy(linkTo(this.host.app, hit, "")));
		add("Copy passage", "quote", () => void copy(quoteHit(this.host.app, hit)));
		this.extra.menu?.(menu, hit);
		return menu;
	}

	static #made = 0;
}
