import { countType } from "./notes/note-types";
import type { AppliedPlan, CountForecast, PlannedFinding, ShownPlan } from "../protocol/operations";

/** The counts that would differ, as one line. */
export function describeForecast(counts: readonly CountForecast[]): string {
	return counts.map(({ name, before, after }) => `${name === "dangling" ? "unresolved links" : name} ${before.toLocaleString()} → ${after.toLocaleString()}`).join(" · ");
}

/** What of a plan is ticked, and the counts if that is applied. */
export function summary({ findings, ticked, forecast, notices }: ShownPlan): string {
	return [`${ticked.toLocaleString()} of ${findings.length.toLocaleString()} ticked.`, describeForecast(forecast), ...notices].filter((text) => text !== "").join(" ");
}

/** The findings of a plan by the check that found them, in its order. */
export function byCheck(findings: readonly PlannedFinding[]): ReadonlyMap<string, readonly PlannedFinding[]> {
	const found = new Map<string, PlannedFinding[]>();
	for (const one of findings) found.set(one.check, [...(found.get(one.check) ?? []), one]);
	return found;
}

/** The name of a check as it reads. */
export function checkTitle(check: string): string {
	return check.charAt(0).toUpperCase() + check.slice(1).replaceAll("_", " ");
}

/** The line of a finding: its box, its words, the value that a person put into it, and its id. */
const LINE = /^([ \t]*(?:[-*+]|\d+[.)])[ \t]+\[)([ xX])(\][^\n]*?)( · instead: [^\n]*?)?([ \t]*\^(g\d+)[ \t]*\r?)$/gm;

function changeLines(text: string, ids: ReadonlySet<string>, ticked: boolean, value?: string): string {
	return text.replace(LINE, (line: string, start: string, _box: string, words: string, instead: string | undefined, end: string, id: string) => {
		const own = value === undefined ? instead : value && ` · instead: ${value}`;
		return ids.has(id) ? `${start}${ticked ? "x" : " "}${words}${own ?? ""}${end}` : line;
	});
}

/** The text of a plan with the boxes of some findings ticked or not; everything else stays. */
export function tickLines(text: string, ids: ReadonlySet<string>, ticked: boolean): string {
	return changeLines(text, ids, ticked);
}

/** The text of a plan with a finding ticked that writes another value; an empty one stands for what was proposed. */
export function writeValue(text: string, id: string, value: string): string {
	return changeLines(text, new Set([id]), true, value);
}

/** The id of each task in some lines of a plan, in their order; of a task that is no finding, undefined. */
export function taskIds(lines: readonly string[]): readonly (string | undefined)[] {
	return lines.flatMap((line) => {
		const task = /^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[.\][ \t](?:.*\^(g\d+)[ \t]*$)?/.exec(line);
		return task === null ? [] : [task[1]];
	});
}

/** Whether a line of a note is the first below its properties. */
export function isTop(lines: readonly string[], line: number): boolean {
	return /^---\n(?:(?!---).*\n)*---\s*$/.test(lines.slice(0, line).join("\n"));
}

/** What is done of a plan, check by check. */
export function describeApplied({ checks }: Pick<AppliedPlan, "checks">): string {
	const parts = checks.map(({ check, findings, dropped, files, forecast, state, error }) => {
		if (state === "failed") return `${checkTitle(check)}: ${error ?? ""}`;
		const left = dropped.length > 0 ? `, ${dropped.length.toLocaleString()} left out as ${dropped[0]?.why ?? ""}` : "";
		return `${checkTitle(check)}: ${findings.length.toLocaleString()} in ${countType("file", files)}${forecast.length > 0 ? `, ${describeForecast(forecast)}` : ""}${left}.`.replace("..", ".");
	});
	return parts.join(" ") || "Nothing is ticked.";
}
