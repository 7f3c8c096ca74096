import type { CheckedNotes, Hub, Operations, RuleViolation, StaleNote, StaleNotes } from "../../protocol/operations";
import { countType } from "../../core/notes/note-labels";
import { titleOf } from "../../core/place";
import { describeViolation } from "../../core/tidy/reports";
import type { Host } from "../host";
import { askNewNote } from "../notes/new-note";
import { showRow } from "../related/missing-row";
import { offerAction, showRefusal, undoChange } from "../notices";
import { addSmallLine } from "../lines";
import type { Answer, Report } from "./report-part";

type Insights = Operations["graph_insights"]["result"];
type Links = Operations["link_report"]["result"];
type History = Operations["graph_history"]["result"];
type Counted<Result> = Result & { readonly total: number };

/** How many rows the bridge lists of a part of the graph. */
const MAX_ROWS = 100;

function withTotal<Result>(answer: Answer<Result>, total: (result: Result) => number): Answer<Counted<Result>> {
	return answer.ok ? { ok: true, result: { ...answer.result, total: total(answer.result) } } : answer;
}

type Listed = Operations["list_tasks"]["result"];
type Task = Listed["tasks"][number];

/** Notes that break a rule of a schema note, or a convention of their folder. */
export function violations(host: Host): Report<RuleViolation, CheckedNotes> {
	return {
		name: "Rules that notes break",
		fetch: (limit) => host.link.call("check_notes", { limit }),
		rows: (result) => result.violations,
		show: (list, violation, refresh) => {
			const { path, line, name, share, schema_note: schema } = violation;
			showRow(list, host.app, {
				name: titleOf(path),
				path,
				line: line ?? 1,
				text: describeViolation(violation),
				more: schema === null ? [`${Math.round(100 * (share ?? 0))} % keep this`] : [`so says ${titleOf(schema)}`],
				acts: [{ text: "Never", label: `${titleOf(path)} may stay so`, act: () => dismiss(host, { kind: "violation", paths: [path], name }, "This", refresh) }],
			});
		},
	};
}

/** Links to notes that are not written; those that mean another note are in the plan. */
export function unwritten(host: Host): Report<Links["stubs"][number], Counted<Links>> {
	return {
		name: "Links to notes that are not written",
		most: MAX_ROWS,
		fetch: async (limit) => withTotal(await host.link.call("link_report", { limit }), ({ totals }) => totals.stubs),
		rows: ({ stubs }) => stubs,
		show: (list, { name, wanted, notes }) =>
			showRow(list, host.app, {
				name,
				path: notes[0] ?? "",
				text: notes.map(titleOf).join(", "),
				more: [`in ${countType("note", wanted)}`],
				acts: [{ text: "Write it…", label: `Write the note ${name}`, act: () => askNewNote(host, null, name) }],
			}),
	};
}

/** Notes that nothing links to, and that link to nothing. */
export function orphans(host: Host): Report<string, Counted<Insights>> {
	return {
		name: "Notes without links",
		most: MAX_ROWS,
		fetch: async (limit) => withTotal(await host.link.call("graph_insights", { parts: ["orphans"], limit }), ({ orphans }) => orphans?.total ?? 0),
		rows: (result) => result.orphans?.notes ?? [],
		show: (list, path, refresh) =>
			showRow(list, host.app, {
				name: titleOf(path),
				path,
				text: path,
				acts: [{ text: "Never", label: `${titleOf(path)} needs no links`, act: () => dismiss(host, { kind: "orphan", paths: [path] }, titleOf(path), refresh) }],
			}),
	};
}

/** Old notes that others lean on. */
export function staleNotes(host: Host): Report<StaleNote, StaleNotes> {
	return {
		name: "Old notes that others rely on",
		most: 100,
		fetch: (limit) => host.link.call("stale_notes", { limit }),
		rows: (result) => result.notes,
		show: (list, { path, title, age_days: days, why }) =>
			showRow(list, host.app, { name: title, path, text: `not modified for ${days.toLocaleString()} days`, more: why }),
	};
}

/** What is to be done, the most urgent first. */
export function tasks(host: Host): Report<Task, Listed> {
	return {
		name: "Open tasks",
		fetch: (limit) => host.link.call("list_tasks", { status: "open", sort: "due", limit }),
		rows: (result) => result.tasks,
		show: (list, task, refresh) =>
			showRow(list, host.app, {
				name: task.text,
				path: task.path,
				line: task.line,
				text: titleOf(task.path),
				more: task.due === null ? [] : [`due ${task.due}`],
				acts: [{ text: "Done", label: `${task.text} is done`, act: () => finish(host, task, refresh) }],
			}),
	};
}

/** The notes to which most others lead. */
export function hubs(host: Host): Report<Hub, Counted<Insights>> {
	return {
		name: "Best connected notes",
		most: MAX_ROWS,
		// Any note that has links is counted as one.
		fetch: async (limit) => withTotal(await host.link.call("graph_insights", { parts: ["hubs"], limit }), ({ totals }) => Math.min(totals.hubs ?? 0, MAX_ROWS)),
		rows: (result) => result.hubs ?? [],
		show: (list, { path, title, joined }) => showRow(list, host.app, { name: title, path, text: `connected with ${countType("note", joined)}` }),
	};
}

/** How the vault grew, week by week. */
export function growth(host: Host): Report<History["weeks"][number], Counted<History>> {
	return {
		name: "Growth by week",
		most: 52,
		fetch: async (weeks) => withTotal(await host.link.call("graph_history", { weeks }), (result) => result.weeks.length),
		rows: (result) => result.weeks,
		show: (list, { week, counts }) => {
			addSmallLine(list, `${week}: ${countType("note", counts.notes)}, ${countType("link", counts.links)}`, { role: "listitem" });
		},
	};
}

async function finish(host: Host, { path, line, text, digest }: Task, refresh: () => void): Promise<void> {
	const answer = await host.link.call("toggle_task", { path, line, text, digest: digest ?? null, status: "x" });
	if (!answer.ok) {
		showRefusal(answer.error);
		return;
	}
	const { change_id: change } = answer.result;
	refresh();
	if (change !== null) offerAction(`“${text}” is done.`, "Undo", () => void undoChange(host, change).then(refresh));
}

/** Leave a row out of its report from now on, and offer to list it again. */
async function dismiss({ link }: Host, row: Operations["dismiss"]["arguments"], said: string, refresh: () => void): Promise<void> {
	const answer = await link.call("dismiss", row);
	if (!answer.ok) {
		showRefusal(answer.error);
		return;
	}
	refresh();
	offerAction(`${said} is not listed again.`, "Undo", () => {
		void link.call("dismiss", { ...row, undo: true }).then((back) => {
			if (back.ok) refresh();
			else showRefusal(back.error);
		});
	});
}
