import type { Disk, LeftOut, UsageReport, VaultStatus } from "../../protocol/operations";
import { type Connection, explainConnection, inWords } from "../connection";

/** A fact and what it is called. */
export type Fact = readonly [name: string, text: string];

/** What the index holds of a vault, how far it is and what it takes, without what there is nothing to say of. */
export function facts(vault: VaultStatus, version: string, disk: Disk | null): readonly Fact[] {
	const { embedding, model, pending } = vault;
	const speed = embedding === null ? "" : `, ${rate(embedding.per_second)} a second, ${duration(embedding.seconds_left)} left`;
	return [
		["Notes", count(vault.notes)],
		["Passages", count(vault.passages)],
		...(pending.keyword > 0 ? [["Still to read", count(pending.keyword)] as const] : []),
		...(model !== null && pending.vectors > 0 ? [["Still to embed", `${count(pending.vectors)} passages${speed}`] as const] : []),
		["Model", modelInUse(vault)],
		["Index", vault.disk === null ? "…" : bytes(vault.disk.index)],
		["Kept for undo", vault.disk === null ? "…" : bytes(vault.disk.history)],
		["Free disk", disk === null ? "…" : bytes(disk.free)],
		["Bridge", version],
	];
}

function modelInUse({ model, model_known, model_setup }: VaultStatus): string {
	if (model !== null) return model.id;
	if (model_setup) return model_setup.message;
	return model_known === false ? "Not known yet" : "None: search is by words only";
}

/** Say how things stand, in a sentence. */
export function describeConnection(connection: Connection): string {
	return `${inWords(connection)}. ${explainConnection(connection)}`;
}

/** Files that are left out for one reason. */
export interface Group {
	readonly reason: string;
	readonly count: number;
	readonly paths: readonly string[];
	/** How many more there are; nothing when none. */
	readonly more: string;
}

/** What is left out by its reasons, and how much of it no reason here names. */
export function groups({ count: all, reasons }: LeftOut): { readonly groups: readonly Group[]; readonly more: string } {
	const told = reasons.map(({ reason, count: held, first }) => ({ reason, count: held, paths: first, more: andMore(held - first.length) }));
	return { groups: told, more: andMore(all - told.reduce((sum, group) => sum + group.count, 0)) };
}

/** Say how many more there are; nothing when none. */
export function andMore(left: number): string {
	return left > 0 ? `and ${count(left)} more` : "";
}

/** Say how calls ended lately. */
export function errors({ days, total, errors: kinds }: UsageReport): string {
	const calls = total.calls === 1 ? "1 call" : `${count(total.calls)} calls`;
	if (total.errors === 0) return `${calls} in ${days} days, none failed.`;
	const which = kinds.map(({ code, calls: times }) => `${code.replaceAll("_", " ")} ${count(times)}`).join(", ");
	return `${calls} in ${days} days, ${count(total.errors)} failed: ${which}. Half took at most ${Math.max(1, Math.round(total.p50_ms))} ms.`;
}

/** Write a number as the person's language does. */
export function count(number: number): string {
	return number.toLocaleString();
}

/** Write bytes in the unit that suits them. */
export function bytes(number: number): string {
	const units = ["B", "KB", "MB", "GB", "TB"];
	const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(number, 1)) / 3)));
	const value = number / 1000 ** step;
	return `${value.toLocaleString(undefined, { maximumFractionDigits: value < 10 && step > 0 ? 1 : 0 })} ${units[step] ?? ""}`;
}

/** Say how long something takes, no finer than anybody wants to know. */
export function duration(seconds: number): string {
	if (seconds < 10) return "a few seconds";
	if (seconds < 90) return `about ${Math.round(seconds / 10) * 10} seconds`;
	if (seconds < 5400) return `about ${Math.round(seconds / 60)} minutes`;
	return `about ${Math.round(seconds / 3600)} hours`;
}

function rate(perSecond: number): string {
	return perSecond.toLocaleString(undefined, { maximumFractionDigits: perSecond < 10 ? 1 : 0 });
}
