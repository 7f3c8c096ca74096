import { type Menu, type Plugin, type TAbstractFile, TFile } from "obsidian";
import { isDocument } from "../../core/change-queue";
import { checkConnection } from "../notices";
import { Choice } from "../modals";
import type { Host } from "../host";
import { askFirst, LinkPicker } from "./link-picker";
import { offerLinks } from "./offer-links";
import { offersExtension } from "./offers-field";
import { headingHere, renameHeading } from "./rename-heading";

/** Add to editors what helps while one writes, and to the menus of files and editors what is around a note. */
export function registerEditor(plugin: Plugin & Host): void {
	const { workspace } = plugin.app;
	const picker = new LinkPicker(plugin);
	plugin.registerEditorSuggest(picker);
	askFirst(workspace, picker);
	plugin.registerEditorExtension(offersExtension);
	plugin.addCommand({
		id: "offer-links",
		name: "Suggest links for this paragraph",
		editorCheckCallback: (checking, editor, info) => {
			if (!checking) void offerLinks(plugin, editor, info);
			return info.file !== null;
		},
	});
	plugin.addCommand({
		id: "rename-heading",
		name: "Rename this heading and the links to it…",
		editorCheckCallback: (checking, editor, info) => {
			if (info.file === null || headingHere(plugin.app, editor, info.file).length === 0) return false;
			if (!checking) void renameHeading(plugin, editor, info);
			return true;
		},
	});
	plugin.addCommand({
		id: "show-path",
		name: "Find path to…",
		checkCallback: (checking) => {
			const file = workspace.getActiveFile();
			if (!checking && file !== null) choosePathEnd(plugin, file);
			return file !== null;
		},
	});
	plugin.registerEvent(workspace.on("file-menu", (menu, file) => around(menu, plugin, file)));
	plugin.registerEvent(
		workspace.on("editor-menu", (menu, editor, info) => {
			const { file } = info;
			if (file === null) return;
			around(menu, plugin, file);
			menu.addItem((item) => item.setTitle("Suggest links for this paragraph").setIcon("link").onClick(() => void offerLinks(plugin, editor, info)));
			if (headingHere(plugin.app, editor, file).length === 0) return;
			menu.addItem((item) => item.setTitle("Rename this heading and the links to it…").setIcon("heading").onClick(() => void renameHeading(plugin, editor, info)));
		}),
	);
}

function around(menu: Menu, host: Host, file: TAbstractFile): void {
	if (!(file instanceof TFile) || !isDocument(file.path)) return;
	menu.addItem((item) => item.setTitle("Related notes").setIcon("waypoints").onClick(() => checkConnection(host) && void host.showRelated(file)));
	menu.addItem((item) => item.setTitle("Find path to…").setIcon("route").onClick(() => choosePathEnd(host, file)));
}

/** Ask for another note, and show how the first leads to it. */
function choosePathEnd(host: Host, from: TFile): void {
	if (!checkConnection(host)) return;
	const others = host.app.vault.getMarkdownFiles().filter(({ path }) => path !== from.path);
	new Choice(host, `From ${from.basename} to…`, others, ({ path }) => path.replace(/\.md$/, ""), ({ path }) => void host.showPath(from.path, path)).open();
}
