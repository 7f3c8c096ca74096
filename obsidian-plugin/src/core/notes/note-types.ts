const ICONS: Readonly<Record<string, string>> = {
	journal: "notebook-pen",
	decision: "scale",
	module: "box",
	pattern: "shapes",
	bug: "bug",
	snippet: "scissors",
	memory: "brain",
	handoff: "forward",
	meeting: "users",
	person: "user",
	project: "folder-kanban",
};

/** The icon of a note, by the type that its property names. */
export function typeIcon(type: string): string {
	return ICONS[type] ?? (type === "" ? "file-text" : "file-type");
}

/** Say how many notes there are of a type: "1 journal", "8 memories". */
export function countType(type: string, count: number): string {
	return `${count.toLocaleString()} ${count === 1 ? type : plural(type)}`;
}

/** The English plural; a word that does not end in a Latin letter stays as it is. */
export function plural(word: string): string {
	if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
	if (/(?:s|x|z|ch|sh)$/.test(word)) return `${word}es`;
	return /[a-z]$/.test(word) ? `${word}s` : word;
}
