import type { App, ItemView, Plugin, WorkspaceLeaf } from "obsidian";
import { ChangesView } from "./changes/changes-view";
import { GraphView } from "./graph/graph-view";
import { AskView } from "./answers/ask-view";
import { ASK, CHANGES, GRAPH, type Host, HOVER_SOURCE, MEMORY, type PaneType, RELATED, SEARCH, STATUS, TIDY } from "./host";
import { MemoryView } from "./memory/memory-view";
import { RelatedView } from "./related/related-view";
import { SearchView } from "./search/search-view";
import { StatusView } from "./status/status-view";
import { TidyView } from "./tidy/tidy-view";

interface PaneEntry {
	readonly type: PaneType;
	/** The command that shows it. */
	readonly command: string;
	readonly name: string;
	readonly view: new (leaf: WorkspaceLeaf, host: Host) => ItemView;
}

const PANES: readonly PaneEntry[] = [
	{ type: SEARCH, command: "search", name: "Search by words and meaning", view: SearchView },
	{ type: ASK, command: "ask", name: "Ask your notes", view: AskView },
	{ type: RELATED, command: "related", name: "Show related notes", view: RelatedView },
	{ type: GRAPH, command: "graph", name: "Show the graph", view: GraphView },
	{ type: CHANGES, command: "changes", name: "Show what agents changed", view: ChangesView },
	{ type: MEMORY, command: "memory", name: "Show what agents remember", view: MemoryView },
	{ type: TIDY, command: "tidy", name: "Tidy your notes", view: TidyView },
	{ type: STATUS, command: "status", name: "Show what is indexed", view: StatusView },
];

/** Make the panes known to the app, each with a command, and their lists of notes to *Page preview*. */
export function registerPanes(plugin: Plugin & Host): void {
	plugin.registerHoverLinkSource(HOVER_SOURCE, { display: "Vaultside", defaultMod: true });
	for (const { type, command, name, view: View } of PANES) {
		plugin.registerView(type, (leaf) => new View(leaf, plugin));
		plugin.addCommand({ id: command, name, callback: () => void plugin.reveal(type) });
	}
}

/** Reveal a pane where the person has moved it, else at the side. */
export async function revealPane({ workspace }: App, pane: PaneType): Promise<void> {
	const leaf = workspace.getLeavesOfType(pane)[0] ?? (await workspace.ensureSideLeaf(pane, "right", { active: true }));
	await workspace.revealLeaf(leaf);
	if (leaf.view instanceof SearchView || leaf.view instanceof AskView) leaf.view.focus();
}

/** Reveal a pane and let its views show something. */
export async function showInPane<View extends ItemView>({ app }: Pick<Host, "app">, pane: PaneType, type: new (leaf: WorkspaceLeaf, host: Host) => View, show: (view: View) => void): Promise<void> {
	await revealPane(app, pane);
	for (const { view } of app.workspace.getLeavesOfType(pane)) if (view instanceof type) show(view);
}
