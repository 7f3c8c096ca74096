import { countType } from "../notes/note-labels";
import type { AppliedPlan, PlannedFinding, ShownPlan } from "../../protocol/operations";

/** What is ticked of a plan, as a sentence. */
export function summary({ findings, ticked, notices }: ShownPlan): string {
	const open = findings.filter(({ state }) => canApply(state)).length;
	const says = ticked > 0 ? `${ticked.toLocaleString()} of ${countType("finding", open)} ${ticked === 1 ? "is" : "are"} ticked.` : open > 0 ? `${countType("finding", open)}. Tick what is right; nothing changes until you apply it.` : "All of the plan is done.";
	return [says, ...notices].join(" ");
}

/** Whether a finding can still be applied. */
export function canApply(state: PlannedFinding["state"]): boolean {
	return state === "open" || state === "proposed";
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

/** What is done of a plan, check by check. */
export function describeApplied({ checks, files }: Pick<AppliedPlan, "checks" | "files">): string {
	const parts = checks.map(({ check, findings, dropped }) => {
		const left = dropped.length > 0 ? `, ${dropped.length.toLocaleString()} left out as ${dropped[0]?.why ?? ""}` : "";
		return `${checkTitle(check)}: ${findings.length.toLocaleString()}${left}.`.replace("..", ".");
	});
	return parts.length > 0 ? `${parts.join(" ")} ${countType("file", files)} in all.` : "Nothing is ticked.";
}
