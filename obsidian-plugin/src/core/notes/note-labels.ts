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

/** Say how many there are of something: "1 note", "8 links". It takes our own words; how one of a vault is written for several nobody knows. */
export function countType(word: string, count: number): string {
	return `${count.toLocaleString()} ${word}${count === 1 ? "" : "s"}`;
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
