import { FORMS, VERSION } from "../protocol/operations";
import type { Outdated } from "./connection";

export interface Spoken {
	readonly name: string;
	readonly form: string;
}

/**
 * Say which of the two must be updated; null when they understand each other.
 *
 * @param spoken What the bridge can do.
 * @param version The bridge's version.
 */
export function findOutdated(spoken: readonly Spoken[], version: string): Outdated | null {
	const forms = new Map(spoken.map((operation) => [operation.name, operation.form]));
	if (Object.entries(FORMS).every(([name, form]) => forms.get(name) === form)) return null;
	return compare(version, VERSION) > 0 ? "plugin" : "bridge";
}

/** Compare two versions number by number: below 0 when the first is older. */
export function compare(one: string, other: string): number {
	const [left, right] = [numbers(one), numbers(other)];
	for (let at = 0; at < Math.max(left.length, right.length); at++) {
		const difference = (left[at] ?? 0) - (right[at] ?? 0);
		if (difference !== 0) return difference;
	}
	return 0;
}

function numbers(version: string): readonly number[] {
	return version.split(".").map((part) => Number.parseInt(part, 10) || 0);
}
