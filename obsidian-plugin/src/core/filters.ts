import type { SearchArguments } from "../protocol/operations";

export type Kind = NonNullable<SearchArguments["types"]>[number];
export type Since = "day" | "week" | "month" | "year";

/** What narrows a search, each shown as a chip. */
export interface Filters {
	readonly folder: string | null;
	readonly tags: readonly string[];
	readonly types: readonly Kind[];
	readonly since: Since | null;
	/** What the property `type` names; they are also looked for among the notes of agents. */
	readonly noteTypes: readonly string[];
}

export const NONE: Filters = { folder: null, tags: [], types: [], since: null, noteTypes: [] };

const DAYS: Readonly<Record<Since, number>> = { day: 1, week: 7, month: 31, year: 366 };
const DAY_MS = 86_400_000;

export const SINCE: Readonly<Record<Since, string>> = {
	day: "Last day",
	week: "Last week",
	month: "Last month",
	year: "Last year",
};

/** Write the filters as arguments of a search at this moment, a time in milliseconds. */
export function filterArguments(filters: Filters, now: number): Omit<SearchArguments, "query" | "mode"> {
	return {
		...(filters.folder === null ? {} : { folder: filters.folder }),
		...(filters.tags.length === 0 ? {} : { tags: filters.tags }),
		...(filters.types.length === 0 ? {} : { types: filters.types }),
		...(filters.noteTypes.length === 0 ? {} : { properties: { type: filters.noteTypes }, among: "all" as const }),
		...(filters.since === null ? {} : { modified_after: new Date(now - DAYS[filters.since] * DAY_MS).toISOString() }),
	};
}

export interface Chip {
	readonly text: string;
	/** The filters without this one. */
	readonly without: Filters;
}

/** One chip for each thing that narrows. */
export function chips(filters: Filters): readonly Chip[] {
	const { folder, tags, types, since, noteTypes } = filters;
	return [
		...(folder === null ? [] : [{ text: `${folder}/`, without: { ...filters, folder: null } }]),
		...tags.map((tag) => ({ text: `#${tag}`, without: { ...filters, tags: tags.filter((other) => other !== tag) } })),
		...types.map((kind) => ({ text: kind, without: { ...filters, types: types.filter((other) => other !== kind) } })),
		...noteTypes.map((type) => ({ text: type, without: { ...filters, noteTypes: noteTypes.filter((other) => other !== type) } })),
		...(since === null ? [] : [{ text: SINCE[since], without: { ...filters, since: null } }]),
	];
}
