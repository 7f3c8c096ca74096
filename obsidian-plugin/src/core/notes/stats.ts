import type { VaultStatus } from "../../protocol/operations";
import { age } from "./age";
import { countType } from "./note-types";

/** Types that are counted by name. */
const NAMED = 4;

/** Say what a vault holds and how current its index is: "47 notes · 12 journals · indexed 2 min ago". */
export function describeStats({ notes, types = {}, pending, indexed }: VaultStatus, now: number): string {
	const named = Object.entries(types).slice(0, NAMED).map(([type, count]) => countType(type, count));
	const left = pending.keyword > 0 ? [`${pending.keyword.toLocaleString()} to index`] : indexed == null ? [] : [`indexed ${age(indexed, now)}`];
	return [countType("note", notes), ...named, ...left].join(" · ");
}
