import { Menu } from "obsidian";
import { type Answer, explainRefusal } from "../../client/client";
import type { JudgeMemoryArguments, ListedMemory } from "../../protocol/operations";
import { PROPOSED } from "../changes/change-row";
import { Choice } from "../modals";
import type { Host } from "../host";
import { openHit } from "../note-links";
import { chooseAgent } from "./agent-denial";

const ENDS: readonly (readonly [expires: string, name: string])[] = [
	["7d", "in a week"],
	["30d", "in 30 days"],
	["90d", "in 90 days"],
	["365d", "in a year"],
];

const VERDICTS: readonly (readonly [verdict: JudgeMemoryArguments["verdict"], icon: string])[] = [
	["useful", "thumbs-up"],
	["wrong", "thumbs-down"],
	["stale", "hourglass"],
];

/** What the menu needs of its list. */
export interface MemoryMenuListener {
	/** The memories that may replace another. */
	readonly successors: () => readonly ListedMemory[];
	/** Something was done, or refused. */
	readonly onResult: (said: string, wrong: boolean) => void;
}

/** Offer what can be done with a memory. */
export function memoryMenu(host: Host, memory: ListedMemory, listener: MemoryMenuListener): Menu {
	const { link, app } = host;
	const { path, pinned } = memory;
	const menu = new Menu();
	const add = (title: string, icon: string, act: () => void): Menu => menu.addItem((item) => item.setTitle(title).setIcon(icon).onClick(act));
	const report = async (asked: Promise<Answer<"revise_memory" | "supersede_memory" | "forget_memory" | "judge_memory">>, said: string): Promise<void> => {
		const answer = await asked;
		if (!answer.ok) listener.onResult(explainRefusal(answer.error), true);
		else listener.onResult("state" in answer.result && answer.result.state === "proposed" ? PROPOSED : said, false);
	};
	add("Revise", "pencil", () => void openHit(app, { path, lines: [1, 1] }, false));
	add(pinned ? "Unpin" : "Pin", pinned ? "pin-off" : "pin", () => void report(link.call("revise_memory", { path, pinned: !pinned }), pinned ? "Unpinned." : "Pinned."));
	add("Replace by…", "replace", () => new Choice(host, "Replaced by…", listener.successors().filter((other) => other.path !== path), ({ title }) => title, ({ path: by }) => {
		void report(link.call("supersede_memory", { path: [path], by }), "Replaced.");
	}).open());
	menu.addSeparator();
	for (const [expires, name] of ENDS) add(`Expire ${name}`, "calendar-clock", () => void report(link.call("revise_memory", { path, expires }), `It expires ${name}.`));
	if (memory.expires !== null) add("Never expire", "calendar-off", () => void report(link.call("revise_memory", { path, expires: "" }), "It never expires."));
	menu.addSeparator();
	for (const [verdict, icon] of VERDICTS) add(`Mark as ${verdict}`, icon, () => void report(link.call("judge_memory", { path, verdict }), `Marked as ${verdict}.`));
	menu.addSeparator();
	add("Never tell an agent…", "eye-off", () => void chooseAgent(host, path, listener.onResult));
	add("Forget", "archive", () => void report(link.call("forget_memory", { path }), "Forgotten. Changes by agents can undo it."));
	return menu;
}
