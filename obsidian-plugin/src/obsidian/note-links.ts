import { type App, MarkdownView, Notice, type PaneType, stripHeadingForLink, type TFile } from "obsidian";
import type { Hit, JudgeLinkArguments } from "../protocol/operations";
import { onLine } from "../core/link-query";
import { headings, type Placed } from "../core/place";
import { stripMarks } from "../core/markdown-text";
import type { Host } from "./host";

/** Open a hit at its line: in place, in a tab, a split or a window. */
export async function openHit(app: App, hit: Pick<Hit, "path" | "lines">, where: PaneType | boolean): Promise<void> {
	const file = fileOf(app, hit);
	if (file === null) return;
	await app.workspace.getLeaf(where).openFile(file, { active: true, eState: { line: hit.lines[0] - 1 } });
}

/** Write a link to a hit as it would be written in a note, showing its name unless something else is said. */
export function linkTo(app: App, hit: Placed, from: string, shown = ""): string | null {
	const file = app.vault.getFileByPath(hit.path);
	const heading = headings(hit).at(-1);
	return file && app.fileManager.generateMarkdownLink(file, from, heading === undefined ? "" : `#${stripHeadingForLink(heading)}`, shown);
}

/** Put a link to a hit where the cursor is, in the note that was edited last; words that are selected become the link. */
export function insertLink(app: App, hit: Placed): void {
	const edited = editedView(app);
	if (edited?.file == null) {
		new Notice("Open the note that the link should go into.");
		return;
	}
	const { editor } = edited;
	const selected = editor.getSelection();
	const link = linkTo(app, hit, edited.file.path, selected.includes("\n") ? "" : selected);
	if (link === null) return;
	editor.replaceSelection(onLine(link, editor.getLine(editor.getCursor("from").line)));
	editor.focus();
}

/** Copy something and say so. */
export async function copy(text: string | null): Promise<void> {
	if (text === null) return;
	// A window that is not in front may not.
	await activeWindow.navigator.clipboard.writeText(text);
	new Notice("Copied.");
}

/** The passage as plain text, with its source. */
export function quoteHit(app: App, hit: Hit): string {
	return `${stripMarks(hit.snippet)}\n\n${linkTo(app, hit, "") ?? hit.path}`;
}

/** The note that was edited last, though a side pane is active now. */
export function editedView(app: App): MarkdownView | null {
	const recent = app.workspace.getMostRecentLeaf()?.view;
	return recent instanceof MarkdownView ? recent : null;
}

function fileOf(app: App, hit: Pick<Hit, "path">): TFile | null {
	const file = app.vault.getFileByPath(hit.path);
	if (file === null) new Notice(`${hit.path} is no longer there.`);
	return file;
}

const MAX_TEXT_CHARS = 200;

/** Tell the bridge what became of a link, so that it learns; of a note that it does not know yet it cannot. */
export function judgeLink({ link }: Host, path: string, target: string, text: string, verdict: JudgeLinkArguments["verdict"]): void {
	const words = [...text.trim()].slice(0, MAX_TEXT_CHARS).join("");
	if (words !== "") void link.call("judge_link", { path, target, text: words, verdict });
}
