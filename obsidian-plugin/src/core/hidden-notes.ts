/** Related notes that are not shown beside a note, by the note. */
export type HiddenNotes = Readonly<Record<string, readonly string[]>>;

/** Show a note no more beside another. */
export function hide(hidden: HiddenNotes, beside: string, path: string): HiddenNotes {
	return { ...hidden, [beside]: [...new Set([...(hidden[beside] ?? []), path])] };
}

/** Show a note beside another again. */
export function unhide(hidden: HiddenNotes, beside: string, path: string): HiddenNotes {
	const { [beside]: here = [], ...others } = hidden;
	const left = here.filter((other) => other !== path);
	return left.length === 0 ? others : { ...others, [beside]: left };
}
