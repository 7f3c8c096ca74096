import { MarkdownView, Notice, type Plugin } from "obsidian";
import type { ShownChange, ShownHunk } from "../../protocol/operations";
import type { BridgeEvent } from "../../protocol/events";
import { today } from "../../core/history";
import type { Host } from "../host";
import { Highlight } from "./highlight";
import { showRefusal } from "../notices";

/** Changes that are looked through for one that left something. */
const MAX_CHANGES = 5;

/** Mark in open notes what was just changed through the bridge, and on a command what was changed last. */
export function registerLastChange(plugin: Plugin & Host): void {
	const highlight = new Highlight();
	plugin.registerEditorExtension(highlight.extension);
	plugin.register(plugin.events.add((event) => void highlightChange(plugin, highlight, event)));
	plugin.register(() => highlight.stop());
	plugin.addCommand({
		id: "last-change",
		name: "Show the last change in this note",
		checkCallback: (checking) => {
			const path = plugin.app.workspace.getActiveViewOfType(MarkdownView)?.file?.path;
			if (path !== undefined && !checking) void reveal(plugin, highlight, path);
			return path !== undefined;
		},
	});
}

async function highlightChange(host: Host, highlight: Highlight, event: BridgeEvent): Promise<void> {
	if (event.kind !== "change_recorded" || event.state !== "applied" || !host.settings.highlight) return;
	const open = event.paths.filter((path) => highlight.isOpen(path));
	if (open.length === 0) return;
	const answer = await host.link.call("show_change", { change_id: event.change });
	if (answer.ok) for (const path of open) highlight.expect(path, hunksOf(answer.result, path));
}

async function reveal(host: Host, highlight: Highlight, path: string): Promise<void> {
	const listed = await host.link.call("list_changes", { path, state: "applied", limit: MAX_CHANGES });
	if (!listed.ok) {
		showRefusal(listed.error);
		return;
	}
	for (const { id } of listed.result.changes) {
		const shown = await host.link.call("show_change", { change_id: id });
		if (shown.ok && highlight.reveal(path, hunksOf(shown.result, path))) return;
	}
	new Notice(listed.result.changes.length === 0 ? "Nothing was changed in this note through the bridge." : "Nothing is left in this note of what was changed last.");
}

/** What a change did to a note, by the name that it has today. */
function hunksOf(change: ShownChange, path: string): readonly ShownHunk[] {
	return change.hunks.filter((hunk) => !hunk.undone && [hunk.path, today(change, hunk.path)].includes(path));
}
