import { type App, MarkdownView } from "obsidian";
import type { PanePlace } from "../../core/pane-follower";
import { sectionAt } from "../../core/sections";

/** Where the person is: the active note and, if asked for, the section that the cursor is in. */
export function currentPlace(app: App, bySection: boolean): PanePlace | null {
	const file = app.workspace.getActiveFile();
	if (file === null) return null;
	const view = app.workspace.getMostRecentLeaf()?.view;
	// There is no cursor where a note is only read.
	const edited = view instanceof MarkdownView && view.file === file && view.getMode() === "source" ? view.editor : null;
	const headings = bySection ? app.metadataCache.getFileCache(file)?.headings : undefined;
	if (edited === null || headings === undefined) return { path: file.path, section: null };
	const saved = headings.map(({ heading, level, position }) => ({ heading, level, line: position.start.line }));
	return { path: file.path, section: sectionAt(edited.getValue().split("\n"), edited.getCursor().line, saved) };
}

/**
 * Tell when the person may have gone to another note, or to another place in it.
 *
 * @param onChange Called with whether it is another leaf or file, else it is the cursor.
 * @returns A function that stops it.
 */
export function watchPlace(app: App, onChange: (far: boolean) => void): () => void {
	let doc: Document | null = null;
	const onMove = (): void => onChange(false);
	const leave = (): void => doc?.removeEventListener("selectionchange", onMove);
	// A note may be in a window of its own.
	const far = (): void => {
		leave();
		doc = app.workspace.getMostRecentLeaf()?.view.containerEl.doc ?? null;
		doc?.addEventListener("selectionchange", onMove);
		onChange(true);
	};
	const refs = [app.workspace.on("file-open", far), app.workspace.on("active-leaf-change", far)];
	far();
	return () => {
		leave();
		for (const ref of refs) app.workspace.offref(ref);
	};
}
