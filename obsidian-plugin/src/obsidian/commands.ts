import type { Plugin } from "obsidian";
import { AskView, SUMMARISE } from "./answers/ask-view";
import { ASK, type Host } from "./host";
import { showInPane } from "./panes";
import { searchInWindow } from "./search/search-modal";
import { chooseProperty, chooseTag } from "./tidy/properties";
import { chooseWorkflow } from "./workflows/run-workflow";

/** Add the commands that belong to no pane and no editor. */
export function registerCommands(plugin: Plugin & Host): void {
	plugin.addCommand({ id: "search-window", name: "Search in a window", callback: () => searchInWindow(plugin) });
	plugin.addCommand({
		id: "summarise",
		name: SUMMARISE,
		checkCallback: (checking) => {
			const file = plugin.app.workspace.getActiveFile();
			if (file !== null && !checking) void showInPane(plugin, ASK, AskView, (view) => view.summarise(file));
			return file !== null;
		},
	});
	plugin.addCommand({ id: "rename-tag", name: "Rename a tag everywhere…", callback: () => void chooseTag(plugin) });
	plugin.addCommand({ id: "rename-property", name: "Rename a property everywhere…", callback: () => void chooseProperty(plugin) });
	plugin.addCommand({ id: "run-workflow", name: "Run a workflow…", callback: () => void chooseWorkflow(plugin) });
	plugin.addCommand({ id: "reconnect", name: "Look for the bridge again", callback: () => plugin.reconnect() });
}
