import type { Operations } from "../../protocol/operations";
import { titleOf } from "../../core/place";
import type { Host } from "../host";
import { showRow } from "../related/missing-row";
import { offerAction, undo } from "../undoing";
import type { Report } from "./report-part";
import { sayRefusal } from "../say-refusal";

type Listed = Operations["list_tasks"]["result"];
type Task = Listed["tasks"][number];

/** What is to be done, the most urgent first. */
export function tasks(host: Host): Report<Task, Listed> {
	return {
		name: "Open tasks",
		empty: "Nothing is left to do.",
		fetch: (limit) => host.link.call("list_tasks", { status: "open", sort: "due", limit }),
		rows: (result) => result.tasks,
		show: (list, task, again) =>
			showRow(list, host.app, {
				name: task.text,
				path: task.path,
				line: task.line,
				text: titleOf(task.path),
				more: task.due === null ? [] : [`due ${task.due}`],
				acts: [{ text: "Done", label: `${task.text} is done`, act: () => finish(host, task, again) }],
			}),
	};
}

async function finish(host: Host, { path, line, text, digest }: Task, again: () => void): Promise<void> {
	const answer = await host.link.call("toggle_task", { path, line, text, digest: digest ?? null, status: "x" });
	if (!answer.ok) {
		sayRefusal(answer.error);
		return;
	}
	const { change_id: change } = answer.result;
	again();
	if (change !== null) offerAction(`“${text}” is done.`, "Undo", () => void undo(host, change).then(again));
}
