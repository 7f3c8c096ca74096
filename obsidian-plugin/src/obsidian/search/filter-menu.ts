import { Menu, Notice, setIcon } from "obsidian";
import { chips, type Filters, type Kind, NONE, type Since, SINCE } from "../../core/filters";
import { Choice } from "../modals";
import type { Host } from "../host";

const KINDS: Readonly<Record<Kind, string>> = { note: "Notes", canvas: "Canvases", excalidraw: "Drawings", pdf: "PDFs" };

/** Offer what a search can be narrowed by. */
export async function offerFilters(
	host: Host,
	filters: Filters,
	event: MouseEvent,
	choose: (filters: Filters) => void,
): Promise<void> {
	const menu = new Menu();
	menu.addItem((item) => item.setTitle("In a folder…").setIcon("folder").onClick(() => {
		void folders(host).then((all) => chooseText(host, "Folder", all, (folder) => choose({ ...filters, folder })));
	}));
	menu.addItem((item) => item.setTitle("With a tag…").setIcon("tag").onClick(() => {
		void tags(host).then((all) => chooseText(host, "Tag", all, (tag) => choose({ ...filters, tags: [...new Set([...filters.tags, tag])] })));
	}));
	menu.addItem((item) => item.setTitle("Of a type…").setIcon("shapes").onClick(() => {
		void noteTypes(host).then((all) => chooseText(host, "Type", all, (type) => choose({ ...filters, noteTypes: [...new Set([...filters.noteTypes, type])] })));
	}));
	menu.addSeparator();
	for (const kind of Object.keys(KINDS) as Kind[]) {
		const others = filters.types.filter((other) => other !== kind);
		const has = others.length < filters.types.length;
		menu.addItem((item) => item.setTitle(KINDS[kind]).setChecked(has).onClick(() => choose({ ...filters, types: has ? others : [...others, kind] })));
	}
	menu.addSeparator();
	for (const since of Object.keys(SINCE) as Since[]) {
		const is = filters.since === since;
		menu.addItem((item) => item.setTitle(SINCE[since]).setChecked(is).onClick(() => choose({ ...filters, since: is ? null : since })));
	}
	if (filters !== NONE) {
		menu.addSeparator();
		menu.addItem((item) => item.setTitle("Everything").setIcon("x").onClick(() => choose(NONE)));
	}
	menu.showAtMouseEvent(event);
}

function chooseText(host: Host, placeholder: string, all: readonly string[], choose: (text: string) => void): void {
	new Choice(host, placeholder, all, (text) => text, choose).open();
}

async function folders(host: Host): Promise<readonly string[]> {
	const answer = await host.link.call("list_folders", {});
	if (!answer.ok) new Notice(answer.error.message);
	return answer.ok ? answer.result.folders.map((folder) => folder.path).filter((path) => path !== "") : [];
}

async function tags(host: Host): Promise<readonly string[]> {
	const answer = await host.link.call("list_tags", {});
	if (!answer.ok) new Notice(answer.error.message);
	return answer.ok ? answer.result.tags.map((tag) => tag.tag) : [];
}

async function noteTypes(host: Host): Promise<readonly string[]> {
	const answer = await host.link.call("status", {});
	if (!answer.ok) new Notice(answer.error.message);
	return answer.ok ? answer.result.vaults.flatMap(({ types = {} }) => Object.keys(types)) : [];
}

/** Show what narrows a search, each to be taken away. */
export function showChips(el: HTMLElement, filters: Filters, choose: (filters: Filters) => void): void {
	el.empty();
	for (const { text, without } of chips(filters)) {
		const chip = el.createEl("button", { cls: "vaultside-chip", text, attr: { "aria-label": `Without ${text}` } });
		setIcon(chip.createSpan({ cls: "vaultside-chip-x" }), "x");
		chip.addEventListener("click", () => choose(without));
	}
}
