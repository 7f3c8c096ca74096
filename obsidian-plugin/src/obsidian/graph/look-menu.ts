import { Menu } from "obsidian";
import type { Colouring, Look } from "../../core/graph/graph-view";

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
