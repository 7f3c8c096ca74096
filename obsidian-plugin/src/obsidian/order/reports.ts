import type { CheckedNotes, MergeSuggestion, MergeSuggestions, NameProspect, NameProspects, RuleViolation, StaleNote, StaleNotes } from "../../protocol/operations";
import { changes, mergeReasons, prospectReasons, toldApart, describeViolation } from "../../core/order/reports";
import { titleOf } from "../../core/place";
import { LookFirst } from "../changes/look-first";
import type { Host } from "../host";
import { askNewNote } from "../notes/new-note";
import { open } from "../opening";
import { showRow } from "../related/missing-row";
import type { Report } from "./report-part";
import { dismiss } from "./settle";
import { sayRefusal } from "../say-refusal";

/** Pairs of notes that may be one: looked at, merged, or never named again. */
export function merges(host: Host): Report<MergeSuggestion, MergeSuggestions> {
	return {
		name: "Notes that may be one",
		empty: "No two notes look like one.",
		most: 200,
		fetch: (limit) => host.link.call("merge_suggestions", { limit }),
		rows: (result) => result.pairs,
		show: (list, pair, again) => {
			const { path, into } = pair;
			const [one, other] = toldApart(path, into);
			showRow(list, host.app, {
				name: one,
				path,
				text: `and ${other}`,
				more: mergeReasons(pair),
				acts: [
					{ text: "Open the other", label: `Open ${other}`, act: () => open(host.app, { path: into, lines: [1, 1] }, false) },
					{ text: `Keep ${one}…`, label: `Merge ${other} into ${one}`, act: () => merge(host, into, path, again) },
					{ text: `Keep ${other}…`, label: `Merge ${one} into ${other}`, act: () => merge(host, path, into, again) },
					{ text: "Not the same", label: `${one} and ${other} are not the same`, act: () => dismiss(host, { kind: "merge", paths: [path, into] }, "This pair", again) },
				],
			});
		},
	};
}

async function merge(host: Host, path: string, into: string, again: () => void): Promise<void> {
	const read = await host.link.call("read_note", { path, max_chars: 1 });
	if (!read.ok) {
		sayRefusal(read.error);
		return;
	}
	const { digest } = read.result;
	const [one, other] = toldApart(path, into);
	new LookFirst(host, {
		title: `Merge ${one} into ${other}`,
		verb: "Merge",
		make: (_, dryRun) => host.link.call("merge_notes", { path, into, digest, dry_run: dryRun, confirm: true }),
		says: changes,
		done: () => `${one} is a part of ${other} now.`,
		made: again,
	}).open();
}

/** Notes that break a rule of a schema note, or a convention of their folder. */
export function violations(host: Host): Report<RuleViolation, CheckedNotes> {
	return {
		name: "Rules that notes break",
		empty: "Every note keeps the rules of its folder.",
		fetch: (limit) => host.link.call("check_notes", { limit }),
		rows: (result) => result.violations,
		show: (list, violation, again) => {
			const { path, line, name, share, schema_note: schema } = violation;
			showRow(list, host.app, {
				name: titleOf(path),
				path,
				line: line ?? 1,
				text: describeViolation(violation),
				more: schema === null ? [`${Math.round(100 * (share ?? 0))} % keep this`] : [`so says ${titleOf(schema)}`],
				acts: [{ text: "Leave it so", label: `${titleOf(path)} may stay so`, act: () => dismiss(host, { kind: "violation", paths: [path], name }, "This", again) }],
			});
		},
	};
}

/** Names that several notes say and no note has. */
export function prospects(host: Host): Report<NameProspect, NameProspects> {
	return {
		name: "Names without a note",
		empty: "Every name that several notes say has a note.",
		most: 200,
		fetch: (limit) => host.link.call("find_prospects", { limit }),
		rows: (result) => result.prospects,
		show: (list, prospect, again) => {
			const { name, examples } = prospect;
			showRow(list, host.app, {
				name,
				path: examples[0] ?? "",
				text: examples.map(titleOf).join(", "),
				more: prospectReasons(prospect),
				acts: [
					{ text: "Write it…", label: `Write the note ${name}`, act: () => askNewNote(host, null, name) },
					{ text: "Needs no note", label: `${name} needs no note`, act: () => dismiss(host, { kind: "prospect", name }, `“${name}”`, again) },
				],
			});
		},
	};
}

/** Old notes that others lean on. */
export function staleNotes(host: Host): Report<StaleNote, StaleNotes> {
	return {
		name: "Old notes that others rely on",
		empty: "No note that others link to is old.",
		most: 100,
		fetch: (limit) => host.link.call("stale_notes", { limit }),
		rows: (result) => result.notes,
		show: (list, { path, title, age_days: days, why }) =>
			showRow(list, host.app, { name: title, path, text: `not modified for ${days.toLocaleString()} days`, more: why }),
	};
}
