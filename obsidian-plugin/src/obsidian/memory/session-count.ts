import { Menu } from "obsidian";
import { CLIENT } from "../../client/client";
import type { ListedSession } from "../../protocol/operations";
import { isOpen } from "../../core/connection";
import { AnswerOrder } from "../../core/answer-order";
import { countType } from "../../core/notes/note-labels";
import { type Host, MEMORY } from "../host";
import { makeStatusItem } from "../status-item";
import { showInPane } from "../panes";
import { MemoryView } from "./memory-view";

const MAX_SESSIONS = 100;
const SETTLE_MS = 300;
/** Sessions end without an event. */
const LOOK_MS = 60_000;

interface BriefedSession {
	readonly session: ListedSession;
	/** How many notes it was given. */
	readonly notes: number;
}

/**
 * Keep telling how many open sessions were given notes of the vault; a click lists them.
 *
 * @param bar An item of the status bar.
 * @returns A function that stops it.
 */
export function showSessionCount(host: Host, bar: HTMLElement): () => void {
	let told: readonly BriefedSession[] = [];
	let timer: number | undefined;
	const answers = new AnswerOrder();
	const sign = makeStatusItem(bar, "vaultside-told", () => {
		const { left, top } = bar.getBoundingClientRect();
		sessionMenu(host, told).showAtPosition({ x: left, y: top }, bar.doc);
	});
	bar.setAttr("aria-haspopup", "menu");
	const show = (found: readonly BriefedSession[]): void => {
		told = found;
		const { length } = found;
		sign("brain", length === 0 ? "" : String(length), `${countType("open session", length)} of agents ${length === 1 ? "was" : "were"} given notes`);
	};
	const soon = (): void => {
		window.clearTimeout(timer);
		timer = window.setTimeout(() => void ask(), SETTLE_MS);
	};
	const ask = async (): Promise<void> => {
		const isLate = answers.ask();
		const found = await findBriefed(host);
		if (isLate() || found === null) return;
		show(found);
		window.clearTimeout(timer);
		if (found.length > 0) timer = window.setTimeout(() => void ask(), LOOK_MS);
	};
	const undo = [
		host.connections.add((connection) => (isOpen(connection) ? soon() : show([]))),
		host.events.add(({ kind }) => {
			if (kind === "memory_given") soon();
		}),
		() => window.clearTimeout(timer),
	];
	show([]);
	return () => undo.forEach((stop) => stop());
}

async function findBriefed({ link }: Host): Promise<readonly BriefedSession[] | null> {
	const [open, given] = await Promise.all([link.call("list_sessions", { status: "active", limit: MAX_SESSIONS }), link.call("list_injections", { limit: MAX_SESSIONS })]);
	// A window that was let in by pairing may not know what agents were told.
	if (!open.ok || !given.ok) return null;
	const notes = new Map(given.result.sessions.map(({ session, items }) => [session, items.filter(({ tool }) => tool !== "").length]));
	return open.result.sessions.filter(({ client }) => client !== CLIENT).flatMap((session) => {
		const count = notes.get(session.id) ?? 0;
		return count === 0 ? [] : [{ session, notes: count }];
	});
}

function sessionMenu(host: Host, told: readonly BriefedSession[]): Menu {
	const menu = new Menu();
	for (const { session, notes } of told) {
		const name = session.client ?? "A program without a name";
		menu.addItem((item) => item.setTitle(`${name}: ${countType("note", notes)}`).setIcon("brain").onClick(() => void showInPane(host, MEMORY, MemoryView, (view) => view.showSessions())));
	}
	return menu;
}
