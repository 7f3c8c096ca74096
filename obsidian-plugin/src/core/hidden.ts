/** Related notes that are not shown beside a note, by the note. */
export type Hidden = Readonly<Record<string, readonly string[]>>;

/** Show a note no more beside another. */
export function hide(hidden: Hidden, beside: string, path: string): Hidden {
	return { ...hidden, [beside]: [...new Set([...(hidden[beside] ?? []), path])] };
}

/** Show again whatever was hidden beside a note. */
export function showAll(hidden: Hidden, beside: string): Hidden {
	return Object.fromEntries(Object.entries(hidden).filter(([note]) => note !== beside));
}
