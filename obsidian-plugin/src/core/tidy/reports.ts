import type { ListedValue, PropertyFacts, RuleViolation, Written } from "../../protocol/operations";
import { titleOf } from "../place";

/** The titles of two notes; their paths, if they have the same one. */
export function distinctTitles(path: string, other: string): readonly [string, string] {
	const name: (path: string) => string = titleOf(path) === titleOf(other) ? (whole) => whole.replace(/\.md$/, "") : titleOf;
	return [name(path), name(other)];
}

/** What a note has, and what it should have. */
export function describeViolation({ kind, name, found, expected }: Pick<RuleViolation, "kind" | "name" | "found" | "expected">): string {
	const wanted = expected.join(", ");
	switch (kind) {
		case "required":
			return `lacks the property ${name}`;
		case "type":
			return `${name} is ${found}, not ${wanted}`;
		case "values":
			return `${name} is “${found}”, not one of ${wanted}`;
		case "condition":
			return `is not so: ${wanted}`;
		case "tag":
			return `lacks the tag #${name}`;
		case "name":
			return `is not named like ${name}`;
		case "heading":
			return `lacks the heading ${name}`;
		case "link":
			return `has no link to ${name}`;
	}
}

/** How a property is used. */
export function describeUse({ notes, share, types }: Pick<PropertyFacts, "notes" | "share" | "types">): string {
	return `${Object.keys(types).join(", ")} · ${notes.toLocaleString()} notes, ${Math.round(100 * share)} %`;
}

/** A value as it reads. */
export function valueText({ value }: Pick<ListedValue, "value">): string {
	return value === null || value === "" ? "(empty)" : String(value);
}

/** A typed text as a value of the type that another has: a number stays one. */
export function parseLike(value: ListedValue["value"], text: string): ListedValue["value"] {
	if (typeof value === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
	if (typeof value === "boolean" && (text === "true" || text === "false")) return text === "true";
	return text;
}

/** What a change of many files does besides what it shows. */
export function describeChange({ files, warnings, ...more }: Pick<Written, "files" | "warnings"> & { readonly skipped?: readonly unknown[]; readonly named_in?: readonly string[] }): string {
	const left = more.skipped?.length ?? 0;
	const named = more.named_in?.length ?? 0;
	return [
		files === 1 ? "1 file changes." : `${files.toLocaleString()} files change.`,
		...(left > 0 ? [`${left.toLocaleString()} ${left === 1 ? "note has it too and cannot be changed on its own" : "notes have it too and cannot be changed on their own"}.`] : []),
		...(named > 0 ? [`${named.toLocaleString()} ${named === 1 ? "query or base names" : "queries or bases name"} it and stay as they are.`] : []),
		...warnings,
	].join(" ");
}

type Effect = Pick<Written, "links_rewritten" | "links_broken" | "files" | "warnings">;

/** Say what else follows when something is renamed. */
export function describeRename({ links_rewritten: links, links_broken: broken, files, warnings }: Effect): string {
	const others = files - 1;
	const where = others > 0 ? `, in ${others === 1 ? "1 other file" : `${others.toLocaleString()} other files`}` : "";
	const said = links === 0 ? "No link follows." : links === 1 ? `1 link follows${where}.` : `${links.toLocaleString()} links follow${where}.`;
	const lost = broken.map(({ path, line, text }) => `This leaves a link unresolved: ${text} in ${path}, line ${line}.`);
	return [said, ...lost, ...warnings].join(" ");
}
