import { type App, type Editor, type MarkdownFileInfo, MarkdownView, type TFile } from "obsidian";
import { titleOf } from "../../core/place";
import { describeRename } from "../../core/tidy/reports";
import { headingAt } from "../../core/sections";
import { type PreviewedChange, ChangePreview } from "../changes/change-preview";
import { checkConnection, showRefusal } from "../notices";
import type { Host } from "../host";

/** The heading that the cursor is in, with those above it; none when it is in none, or in one that is not saved yet. */
export function headingHere(app: App, editor: Editor, file: TFile): readonly string[] {
	const headings = app.metadataCache.getFileCache(file)?.headings ?? [];
	const saved = headings.map(({ heading, level, position }) => ({ heading, level, line: position.start.line }));
	return headingAt(editor.getValue().split("\n"), editor.getCursor().line, saved);
}

/** Ask for another text of the heading that the cursor is in, and show what follows before it does. */
export async function renameHeading(host: Host, editor: Editor, { file }: MarkdownView | MarkdownFileInfo): Promise<void> {
	const chain = file === null ? [] : headingHere(host.app, editor, file);
	if (file === null || chain.length === 0 || !checkConnection(host)) return;
	// Links may stand in any note, and the bridge changes the files.
	for (const { view } of host.app.workspace.getLeavesOfType("markdown")) if (view instanceof MarkdownView) await view.save();
	const read = await host.link.call("read_note", { path: file.path, max_chars: 1 });
	if (read.ok) new ChangePreview(host, renameChange(host, file.path, chain, read.result.digest)).open();
	else showRefusal(read.error);
}

function renameChange(host: Host, path: string, chain: readonly string[], digest: string): PreviewedChange {
	const now = chain.at(-1) ?? "";
	return {
		title: `Rename a heading in ${titleOf(path)}`,
		asks: { label: "Heading", now },
		verb: "Rename",
		// What is confirmed was shown before.
		make: (to, dryRun) => host.link.call("rename_heading", { path, heading: chain.join(" > "), to, digest, dry_run: dryRun, confirm: true }),
		describe: describeRename,
		report: (to, result) => `“${now}” is “${to}” now. ${describeRename(result)}`,
	};
}
