import type { ListedWorkflow, WorkflowOutcome, WorkflowStarter, WorkflowVariable } from "../../protocol/operations";
import { describeChange } from "../../core/tidy/reports";
import { titleOf } from "../../core/place";
import { parseValue, formatValue, describeOutcome } from "../../core/workflows";
import { ChangePreview } from "../changes/change-preview";
import { Choice } from "../modals";
import { checkConnection, showRefusal } from "../notices";
import type { Host } from "../host";
import { addSmallText } from "../lines";

/** Workflows listed to choose one. */
const MAX_WORKFLOWS = 200;

/** Ask which workflow is to be run, or which of the ready-made ones is to become one. */
export async function chooseWorkflow(host: Host): Promise<void> {
	if (!checkConnection(host)) return;
	const answer = await host.link.call("list_workflows", { limit: MAX_WORKFLOWS });
	if (!answer.ok) {
		showRefusal(answer.error);
		return;
	}
	const { workflows, starters } = answer.result;
	const describeWorkflow = ({ description, ...one }: ListedWorkflow | WorkflowStarter): string => ("path" in one ? `${titleOf(one.path)}: ${description}` : `New from ${one.name}: ${description}`);
	new Choice<ListedWorkflow | WorkflowStarter>(host, "Run a workflow…", [...workflows, ...starters], describeWorkflow, (one) => ("path" in one ? run(host, one) : begin(host, one))).open();
}

function begin(host: Host, { name: starter }: WorkflowStarter): void {
	new ChangePreview(host, {
		title: `New workflow from ${starter}`,
		asks: { label: "Name of the workflow", now: "" },
		verb: "Write",
		make: (name, dryRun) => host.link.call("author_workflow", { name, starter, dry_run: dryRun, confirm: true }),
		describe: describeChange,
		report: (name) => `The workflow “${name}” can be run.`,
	}).open();
}

/** Ask for the variables of a workflow, show what it does with them, and run it. */
function run(host: Host, { path, description, variables }: ListedWorkflow): void {
	const values: Record<string, WorkflowVariable["default"]> = {};
	new ChangePreview<WorkflowOutcome>(host, {
		title: titleOf(path),
		fields: (el, changed) => {
			el.createEl("p", { text: description, attr: { dir: "auto" } });
			for (const one of variables) {
				showField(el, one, (typed) => {
					if (typed === "") delete values[one.name];
					else values[one.name] = parseValue(one, typed);
					changed();
				});
			}
		},
		verb: "Run",
		make: (_, dryRun) => host.link.call("run_workflow", { path, variables: values, dry_run: dryRun, confirm: true }),
		describe: describeOutcome,
		report: (_, { output }) => output || `${titleOf(path)}: done.`,
	}).open();
}

function showField(el: HTMLElement, one: WorkflowVariable, onInput: (typed: string) => void): void {
	const { name, type, description, choices, required } = one;
	const row = el.createEl("label", { cls: "vaultside-field", text: name });
	if (description) addSmallText(row, description);
	const now = type === "yes-no" ? (one.default === true ? "yes" : "no") : formatValue(one.default);
	const options = type === "yes-no" ? ["no", "yes"] : choices;
	const attr = { "aria-label": name, dir: "auto", ...(required ? { required: "" } : {}) };
	if (options.length > 0) {
		const input = row.createEl("select", { attr });
		for (const value of options.includes(now) ? options : ["", ...options]) input.createEl("option", { text: value, value });
		input.value = now;
		input.addEventListener("change", () => onInput(input.value));
		return;
	}
	const input = type === "list" ? row.createEl("textarea", { text: now, placeholder: "one a line", attr }) : row.createEl("input", { type: "text", value: now, placeholder: type, attr });
	input.addEventListener("input", () => onInput(input.value.trim()));
}
