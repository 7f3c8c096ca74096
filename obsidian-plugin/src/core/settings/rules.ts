import { countType } from "../notes/note-labels";
import type { CheckedGlob } from "../../protocol/operations";

/** The bridge's settings that are lists of globs. */
export type RuleName = "deny" | "exclude" | "readonly";

/** Write the glob for a folder and all that is in it; its name may hold what means something in a glob. */
export function folderGlob(folder: string): string {
	const clean = folder.replace(/^\/+|\/+$/g, "");
	return clean === "" ? "" : `${clean.replace(/[*?[]/g, "[$&]")}/**`;
}

/** The rules with one more; one that is there already is not there twice. */
export function withRule(rules: readonly string[], glob: string): readonly string[] {
	const clean = glob.trim();
	return clean === "" || rules.includes(clean) ? rules : [...rules, clean];
}

/** Say what a rule means now. */
export function describeRule({ problem, notes, first }: Pick<CheckedGlob, "problem" | "notes" | "first">): string {
	if (problem !== null) return `It ${problem}.`;
	if (notes === null) return "";
	if (notes === 0) return "No note now.";
	const more = notes - first.length;
	return `${countType("note", notes)}: ${first.join(", ")}${more > 0 ? ` and ${more.toLocaleString()} more` : ""}.`;
}

/** Say whether a glob may be put into the settings, and what it would do; the reason when it may not. */
export function judgeGlob(rules: readonly string[], checked: CheckedGlob | null): { readonly fits: boolean; readonly says: string } {
	if (checked === null) return { fits: false, says: "" };
	if (rules.includes(checked.glob.trim())) return { fits: false, says: "It is among the rules already." };
	return { fits: checked.problem === null, says: describeRule(checked) };
}
