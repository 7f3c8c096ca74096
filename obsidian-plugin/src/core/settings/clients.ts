import type { ListedClient } from "../../protocol/operations";

/** Stands for every client in a setting. */
const ALL = "*";

/**
 * The list of a setting, with a client in it or not.
 *
 * @param names As the setting has them.
 * @param client Whom it is about.
 * @param everybody Every client there is, so that a setting that names all can name all but one.
 */
export function setClient(names: readonly string[], client: string, everybody: readonly string[], named: boolean): readonly string[] {
	if (named) return names.includes(ALL) || names.some((name) => isSameName(name, client)) ? names : [...names, client];
	const some = names.includes(ALL) ? everybody : names;
	return some.filter((name) => !isSameName(name, client));
}

const MAY: Readonly<Record<ListedClient["scopes"][number], string>> = { read: "read", write: "write", admin: "change settings" };

/** Say what a client may do, and since when and until when it was here. */
export function describeClient({ scopes, created, last_used: last }: ListedClient, locale?: string): string {
	const may = scopes.length === 0 ? "May do nothing" : `May ${joinWords(scopes.map((scope) => MAY[scope]))}`;
	return [may, `let in ${day(created, locale)}`, last === null ? "never here yet" : `last here ${day(last, locale)}`].join(" · ");
}

function joinWords(words: readonly string[]): string {
	return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}

function day(time: string, locale?: string): string {
	// A bare date is a day of the person's own calendar, not midnight in Greenwich.
	const then = new Date(/^\d{4}-\d\d-\d\d$/.test(time) ? `${time}T00:00` : time);
	return then.toLocaleDateString(locale, { dateStyle: "medium" });
}

function isSameName(one: string, other: string): boolean {
	return one.toLowerCase() === other.toLowerCase();
}
