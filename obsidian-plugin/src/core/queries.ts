/** Queries that were used, newest first, and those that are kept on top. */
export interface Queries {
	readonly recent: readonly string[];
	readonly pinned: readonly string[];
}

export const REMEMBERED = 12;

/** Remember that a query was of use. */
export function addQuery(queries: Queries, query: string): Queries {
	const text = query.trim();
	if (text === "" || queries.pinned.includes(text)) return queries;
	const recent = [text, ...queries.recent.filter((other) => other !== text)].slice(0, REMEMBERED);
	return { ...queries, recent };
}

/** Keep a query on top, or let it go back among the others. */
export function togglePin(queries: Queries, query: string): Queries {
	if (queries.pinned.includes(query)) {
		const others = queries.pinned.filter((other) => other !== query);
		return addQuery({ ...queries, pinned: others }, query);
	}
	return {
		pinned: [...queries.pinned, query],
		recent: queries.recent.filter((other) => other !== query),
	};
}

/** Forget a query. */
export function forgetQuery(queries: Queries, query: string): Queries {
	return {
		recent: queries.recent.filter((other) => other !== query),
		pinned: queries.pinned.filter((other) => other !== query),
	};
}
