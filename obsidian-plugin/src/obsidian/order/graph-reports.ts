import { countType } from "../../core/notes/note-types";
import type { Hub, Operations } from "../../protocol/operations";
import { titleOf } from "../../core/place";
import type { Host } from "../host";
import { askNewNote } from "../notes/new-note";
import { showRow } from "../related/missing-row";
import type { Answer, Report } from "./report-part";
import { dismiss } from "./settle";
import { addSmallLine } from "../small-line";

type Insights = Operations["graph_insights"]["result"];
type Links = Operations["link_report"]["result"];
type History = Operations["graph_history"]["result"];
type Counted<Result> = Result & { readonly total: number };

/** How many rows the bridge lists of a part of the graph. */
const MAX_ROWS = 100;

function withTotal<Result>(answer: Answer<Result>, total: (result: Result) => number): Answer<Counted<Result>> {
	return answer.ok ? { ok: true, result: { ...answer.result, total: total(answer.result) } } : answer;
}

/** Links to names that no note has: each with the note that it may mean. */
export function lostLinks(host: Host): Report<Links["broken"][number] | Links["stubs"][number], Counted<Links>> {
	return {
		name: "Links that lead nowhere",
		empty: "Every link leads to a note.",
		most: MAX_ROWS,
		fetch: async (limit) => withTotal(await host.link.call("link_report", { limit }), ({ totals }) => totals.broken + totals.stubs),
		rows: ({ broken, stubs }) => [...broken, ...stubs],
		show: (list, { name, wanted, notes, ...more }) => {
			const meant = "meant" in more ? more.meant : null;
			showRow(list, host.app, {
				name,
				path: meant ?? notes[0] ?? "",
				text: notes.map(titleOf).join(", "),
				more: [`in ${countType("note", wanted)}`, ...(meant === null ? [] : [`perhaps ${titleOf(meant)}`])],
				acts: [{ text: "Write it…", label: `Write the note ${name}`, act: () => askNewNote(host, null, name) }],
			});
		},
	};
}

/** Notes that nothing links to, and that link to nothing. */
export function orphans(host: Host): Report<string, Counted<Insights>> {
	return {
		name: "Notes without links",
		empty: "Every note is linked.",
		most: MAX_ROWS,
		fetch: async (limit) => withTotal(await host.link.call("graph_insights", { parts: ["orphans"], limit }), ({ orphans }) => orphans?.total ?? 0),
		rows: (result) => result.orphans?.notes ?? [],
		show: (list, path, again) =>
			showRow(list, host.app, {
				name: titleOf(path),
				path,
				text: path,
				acts: [{ text: "Needs none", label: `${titleOf(path)} needs no links`, act: () => dismiss(host, { kind: "orphan", paths: [path] }, titleOf(path), again) }],
			}),
	};
}

/** The notes to which most others lead. */
export function hubs(host: Host): Report<Hub, Counted<Insights>> {
	return {
		name: "Best connected notes",
		empty: "No note is linked.",
		most: MAX_ROWS,
		fetch: async (limit) => withTotal(await host.link.call("graph_insights", { parts: ["hubs"], limit }), ({ totals }) => totals.hubs ?? 0),
		rows: (result) => result.hubs ?? [],
		show: (list, { path, title, joined }) => showRow(list, host.app, { name: title, path, text: `connected with ${countType("note", joined)}` }),
	};
}

/** How the vault grew, week by week. */
export function growth(host: Host): Report<History["weeks"][number], Counted<History>> {
	return {
		name: "Growth by week",
		empty: "Nothing is recorded yet.",
		most: 52,
		fetch: async (weeks) => withTotal(await host.link.call("graph_history", { weeks }), (result) => result.weeks.length),
		rows: (result) => result.weeks,
		show: (list, { week, counts }) => {
			addSmallLine(list, `${week}: ${countType("note", counts.notes)}, ${countType("link", counts.links)}`, { role: "listitem" });
		},
	};
}
