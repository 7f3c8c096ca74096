import type { ListedChange } from "../protocol/operations";
import { titleOf } from "./place";

/** Changes of one program in one go, the newest first. */
export interface Group {
	readonly client: string;
	readonly session: string | null;
	readonly changes: readonly ListedChange[];
}

/** Put together what one program did in one session; the session of the newest change first. */
export function groupChanges(changes: readonly ListedChange[]): readonly Group[] {
	const groups: { client: string; session: string | null; changes: ListedChange[] }[] = [];
	const open = new Map<string, (typeof groups)[number]>();
	for (const change of changes) {
		const client = change.client ?? "A program without a name";
		const key = JSON.stringify([client, change.session]);
		const group = open.get(key) ?? { client, session: change.session, changes: [] };
		if (group.changes.length === 0) groups.push(group);
		group.changes.push(change);
		open.set(key, group);
	}
	return groups;
}

/** How many changes of a group undoing its session would turn back, as far as the list tells. */
export function inForce({ session, changes }: Group): number {
	if (session === null) return 0;
	return changes.filter(({ state, undoes, operation }) => state === "applied" && undoes.length === 0 && operation !== "redo_change").length;
}

/** Say what an operation does, before the name of a note: "Edit note". */
export function labelOf(operation: string): string {
	const words = operation.replaceAll("_", " ");
	return words.charAt(0).toUpperCase() + words.slice(1);
}

export interface Standing {
	readonly text: string;
	readonly icon: string;
}

const STANDINGS: Readonly<Record<ListedChange["state"], Standing>> = {
	proposed: { text: "Proposed", icon: "hourglass" },
	applied: { text: "Made", icon: "check" },
	rejected: { text: "Rejected", icon: "x" },
	expired: { text: "Given up", icon: "clock" },
	undone: { text: "Undone", icon: "undo-2" },
	conflict: { text: "Needs a look", icon: "alert-triangle" },
};

/** Say what became of a change. */
export function describeState({ state }: Pick<ListedChange, "state">): Standing {
	return STANDINGS[state];
}

/** Say when something was, with the day unless it is today. */
export function formatTime(time: string, now: Date, locale?: string): string {
	const then = new Date(time);
	const today = then.toDateString() === now.toDateString();
	return then.toLocaleString(locale, today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

/** Say which notes are meant, by their names. */
export function nameNotes(paths: readonly string[]): string {
	const [first, ...others] = paths.map(titleOf);
	return others.length === 0 ? (first ?? "") : `${first ?? ""} and ${others.length} more`;
}

/** How a file of a change is called today, as far as that is known. */
export function today(change: { readonly paths: readonly string[]; readonly now: readonly string[] }, path: string): string {
	return change.paths.length === change.now.length ? (change.now[change.paths.indexOf(path)] ?? path) : path;
}

/** Say how many proposals wait; nothing when none does. */
export function countWaiting(count: number, most: number): string {
	return count === 0 ? "" : count > most ? `${most}+` : String(count);
}
