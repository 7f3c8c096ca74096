import { type App, setIcon } from "obsidian";
import type { ShownChange, ShownHunk, Words } from "../../protocol/operations";
import { today } from "../../core/history";
import { titleOf } from "../../core/place";
import { countFitting, toLines, type Line, unchangedBefore } from "../../core/diff";
import { openHit } from "../note-links";
import { addButton } from "../button";
import { addSmallLine } from "../lines";

const ROWS = 30;
const HUNKS = 12;
const SIGNS: Readonly<Record<Line["kind"], string>> = { same: "", removed: "−", added: "+", both: "±" };

/** What is done with each part of a change. */
export interface Parts {
	/** Adds to the head of a part what can be done with it. */
	readonly act: (head: HTMLElement, hunk: ShownHunk, name: string) => void;
}

/** Show what a change does, part by part. */
export function showHunks(el: HTMLElement, app: App, change: ShownChange, parts: Parts): void {
	if (change.hunks.length === 0) {
		// Such as a note that was moved: there is nothing to compare, and the bridge says it in words.
		for (const line of change.diff.split("\n").filter((text) => text !== "")) addSmallLine(el, line, { dir: "auto" });
		return;
	}
	const show = (hunks: readonly ShownHunk[]): void => hunks.forEach((hunk) => showHunk(el, app, change, hunk, parts));
	show(change.hunks.slice(0, HUNKS));
	const rest = change.hunks.slice(HUNKS);
	if (rest.length > 0) addMoreButton(el, `Show ${rest.length} more parts`, () => show(rest));
}

function showHunk(el: HTMLElement, app: App, change: ShownChange, hunk: ShownHunk, { act }: Parts): void {
	const path = today(change, hunk.path);
	const line = hunk[change.state === "applied" ? "after" : "before"][0] + unchangedBefore(hunk.words);
	const name = `${titleOf(path)}, line ${Math.max(line, 1)}`;
	const part = el.createDiv({ cls: "vaultside-hunk", attr: { role: "group", "aria-label": name } });
	const head = part.createDiv({ cls: "vaultside-hunk-head" });
	if (app.vault.getFileByPath(path) === null) head.createSpan({ cls: "vaultside-hunk-place", text: name, attr: { dir: "auto" } });
	else {
		addButton(head, { cls: "vaultside-hunk-place", text: name, attr: { dir: "auto", "aria-label": `Open ${name}` } }, () => openHit(app, { path, lines: [Math.max(line, 1), Math.max(line, 1)] }, false));
	}
	act(head, hunk, name);
	showWords(part, hunk.words);
}

/** Show words that stayed, went and came, line by line. */
export function showWords(part: HTMLElement, words: readonly Words[]): void {
	const all = toLines(words);
	const fit = countFitting(all, ROWS);
	const text = part.createDiv({ cls: "vaultside-diff" });
	for (const one of all.slice(0, fit)) showLine(text, one);
	if (fit < all.length) addMoreButton(part, `Show ${all.length - fit} more lines`, () => all.slice(fit).forEach((one) => showLine(text, one)));
}

function showLine(el: HTMLElement, line: Line): void {
	const row = el.createDiv({ cls: "vaultside-diff-line", attr: { "data-kind": line.kind } });
	row.createSpan({ cls: "vaultside-diff-sign", text: SIGNS[line.kind], attr: { "aria-hidden": "true" } });
	const text = row.createDiv({ attr: { dir: "auto" } });
	for (const { kind, text: words } of line.runs) {
		if (kind === "same") text.appendText(words);
		else text.createEl(kind === "removed" ? "del" : "ins", { text: words });
	}
}

function addMoreButton(el: HTMLElement, text: string, show: () => void): void {
	const button = el.createEl("button", { cls: "vaultside-more" });
	setIcon(button.createSpan(), "chevron-down");
	button.createSpan({ text });
	button.addEventListener("click", () => {
		button.remove();
		show();
	});
}
