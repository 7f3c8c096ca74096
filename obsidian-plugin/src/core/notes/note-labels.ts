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

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** Say how long ago a time was, in at most a week's distance; else its day. */
export function age(time: string, now: number, locale?: string): string {
	const then = new Date(time);
	const passed = Math.max(0, now - then.getTime());
	if (passed < MINUTE_MS) return "just now";
	if (passed < HOUR_MS) return `${Math.floor(passed / MINUTE_MS)} min ago`;
	if (passed < DAY_MS) return `${Math.floor(passed / HOUR_MS)} h ago`;
	if (passed < WEEK_MS) return passed < 2 * DAY_MS ? "1 day ago" : `${Math.floor(passed / DAY_MS)} days ago`;
	return then.toLocaleDateString(locale, { dateStyle: "medium" });
}
