import { type App, Menu, Notice, type PaneType } from "obsidian";
import type { Colouring, Look } from "../../core/graph/graph-request";
import type { ViewNode } from "../../protocol/operations";
import { copy, insertLink, linkTo } from "../note-links";

const COLOURS: Readonly<Record<Colouring, string>> = {
	community: "Colours by community",
	folder: "Colours by folder",
	tag: "Colours by tag",
	type: "Colours by type",
	note_type: "Colours and shapes by note type",
};

/** Offer how the graph is drawn. */
export function lookMenu(look: Look, choose: (look: Look) => void): Menu {
	const menu = new Menu();
	for (const depth of [1, 2, 3] as const) {
		const name = depth === 1 ? "One step around" : `${depth} steps around`;
		menu.addItem((item) => item.setTitle(name).setChecked(look.depth === depth).onClick(() => choose({ ...look, depth })));
	}
	menu.addSeparator();
	for (const colours of Object.keys(COLOURS) as Colouring[]) {
		menu.addItem((item) => item.setTitle(COLOURS[colours]).setChecked(look.colours === colours).onClick(() => choose({ ...look, colours })));
	}
	menu.addSeparator();
	menu.addItem((item) => item.setTitle("Notes not written yet").setChecked(look.stubs).onClick(() => choose({ ...look, stubs: !look.stubs })));
	return menu;
}

/** What can be done with a note of the graph beside what can be done with every note. */
export interface NodeActs {
	/** Draw what is around it. */
	readonly around: (path: string) => void;
	/** Pick it as an end of a way. */
	readonly pick: (path: string) => void;
	/** The first end, where one was picked. */
	readonly from: string | null;
}

/** Open a note where a person left it. */
export async function openNote(app: App, path: string, where: PaneType | boolean): Promise<void> {
	const file = app.vault.getFileByPath(path);
	if (file === null) new Notice(`${path} is no longer there.`);
	else await app.workspace.getLeaf(where).openFile(file, { active: true });
}

/** The menu of a node; none for a name that no note has. */
export function nodeMenu(app: App, { path, title }: ViewNode, acts: NodeActs): Menu | null {
	if (path === null) return null;
	const menu = new Menu();
	const add = (name: string, icon: string, act: () => void): Menu => menu.addItem((item) => item.setTitle(name).setIcon(icon).onClick(act));
	const placed = { path, title, heading: "" };
	add("Open in new tab", "file-plus", () => void openNote(app, path, "tab"));
	add("Open to the right", "separator-vertical", () => void openNote(app, path, "split"));
	add("Open in new window", "picture-in-picture-2", () => void openNote(app, path, "window"));
	menu.addSeparator();
	add("Show what is around it", "locate-fixed", () => acts.around(path));
	add(acts.from === null || acts.from === path ? "Find a path from here" : "Find the path to here", "route", () => acts.pick(path));
	menu.addSeparator();
	add("Insert link", "link", () => insertLink(app, placed));
	add("Copy link", "copy", () => void copy(linkTo(app, placed, "")));
	return menu;
}
