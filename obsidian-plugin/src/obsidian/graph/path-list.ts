import { type App, Keymap, setIcon } from "obsidian";
import type { GraphPath, GraphStep } from "../../protocol/operations";
import { titleOf } from "../../core/place";
import { stripLine } from "../../core/markdown-text";
import { openHit } from "../note-links";
import { openNote } from "./menus";
import { addButton } from "../button";

/** Below the picture of a way: each step with the sentence that links; of several ways the one that was chosen. */
export function showPaths(el: HTMLElement, app: App, ways: readonly GraphPath[], chosen: number, choose: (at: number | null) => void): void {
	el.empty();
	const way = ways[chosen];
	if (way === undefined) return;
	const head = el.createDiv({ cls: "vaultside-head" });
	const ends = `${titleOf(way.notes[0] ?? "")} → ${titleOf(way.notes.at(-1) ?? "")}`;
	head.createDiv({ cls: "vaultside-graph-ends", text: ends, attr: { dir: "auto", title: ends } });
	for (const at of ways.length > 1 ? ways.keys() : []) {
		const label = `Path ${at + 1} of ${ways.length}`;
		addButton(head, { cls: "clickable-icon", text: String(at + 1), attr: { "aria-label": label, "aria-pressed": String(at === chosen) } }, () => choose(at));
	}
	const close = head.createEl("button", { cls: "clickable-icon", attr: { "aria-label": "Close the path" } });
	setIcon(close, "x");
	close.addEventListener("click", () => choose(null));
	const list = el.createEl("ol", { cls: "vaultside-graph-steps" });
	for (const step of way.steps) showStep(list, app, step);
}

function showStep(list: HTMLElement, app: App, step: GraphStep): void {
	const { source, target, note, line, text } = step;
	const row = list.createEl("li").createEl("button", { cls: "vaultside-graph-step" });
	// An arrow that points back: the sentence stands in the note that the step leads to.
	const arrow = note === target ? "←" : "→";
	row.createDiv({ cls: "vaultside-graph-step-ends", text: `${titleOf(source)} ${arrow} ${titleOf(target)}`, attr: { dir: "auto" } });
	if (text !== "") row.createDiv({ cls: "vaultside-graph-sentence", text: stripLine(text), attr: { dir: "auto" } });
	row.addEventListener("click", (event) => {
		const where = Keymap.isModEvent(event);
		if (note !== null && line !== null) void openHit(app, { path: note, lines: [line, line] }, where);
		else void openNote(app, target, where);
	});
}
