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
