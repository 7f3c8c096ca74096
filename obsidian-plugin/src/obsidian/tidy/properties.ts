import type { ListedTag, ListedValue, PropertyFacts, PropertyReport } from "../../protocol/operations";
import { AnswerOrder } from "../../core/answer-order";
import { describeChange, parseLike, describeUse, valueText } from "../../core/tidy/reports";
import { explainRefusal } from "../../client/client";
import { ChangePreview } from "../changes/change-preview";
import { Choice } from "../modals";
import { checkConnection, showRefusal } from "../notices";
import type { Host } from "../host";
import type { Report } from "./report-part";
import { addButton } from "../button";
import { keepOpen } from "../rows";
import { addSmallText } from "../lines";

/** Properties and values listed to choose one. */
const MAX_CHOICES = 500;
const VALUES = 50;

/** The properties of the notes, with their values; each can be renamed everywhere. */
export function properties(host: Host): Report<PropertyFacts, PropertyReport> {
	return {
		name: "Properties",
		fetch: (limit) => host.link.call("property_report", { limit }),
		rows: (result) => result.properties,
		show: (list, property, refresh) => showProperty(list, host, property, refresh),
	};
}

function showProperty(list: HTMLElement, host: Host, property: PropertyFacts, refresh: () => void): void {
	const { name, problems } = property;
	const el = list.createDiv({ cls: "vaultside-missing", attr: { role: "listitem", "data-row": name } });
	el.createDiv({ cls: "vaultside-missing-title", text: name, attr: { dir: "auto" } });
	el.createDiv({ cls: "vaultside-hit-text", text: describeUse(property) });
	const why = el.createDiv({ cls: "vaultside-hit-why" });
	for (const problem of problems) why.createSpan({ text: problem, attr: { dir: "auto" } });
	const buttons = el.createDiv({ cls: "vaultside-missing-acts" });
	const show = addButton(buttons, { text: "Values", label: `Values of ${name}`, attr: { "aria-expanded": "false" } }, () => {
		const shown = el.querySelector(".vaultside-values");
		show.setAttr("aria-expanded", String(shown === null));
		if (shown === null) showValues(el, host, name);
		else shown.remove();
	});
	addButton(buttons, { text: "Rename…", label: `Rename ${name}` }, () => renameProperty(host, name, refresh));
}

function showValues(el: HTMLElement, host: Host, name: string): void {
	const values = el.createDiv({ cls: "vaultside-values", attr: { role: "list", "aria-label": `Values of ${name}` } });
	const newest = new AnswerOrder();
	const load = async (): Promise<void> => {
		const isLate = newest.ask();
		const answer = await host.link.call("property_report", { name, limit: VALUES });
		if (isLate()) return;
		values.empty();
		if (!answer.ok) values.setText(explainRefusal(answer.error));
		else for (const value of answer.result.values ?? []) showValue(values, host, name, value, () => void load());
	};
	keepOpen(values, () => {
		values.parentElement?.querySelector("[aria-expanded]")?.setAttr("aria-expanded", "true");
		void load();
	});
	void load();
}

function showValue(el: HTMLElement, host: Host, name: string, value: ListedValue, refresh: () => void): void {
	const row = el.createDiv({ cls: "vaultside-value", attr: { role: "listitem" } });
	row.createSpan({ text: valueText(value), attr: { dir: "auto" } });
	addSmallText(row, value.notes.toLocaleString());
	addButton(row, { text: "Change…", label: `Change ${valueText(value)}` }, () =>
		new ChangePreview(host, {
			title: `Change a value of ${name}`,
			asks: { label: "Value", now: String(value.value ?? "") },
			verb: "Change",
			make: (to, dryRun) => host.link.call("change_notes", { old: { [name]: value.value }, properties: { [name]: parseLike(value.value, to) }, dry_run: dryRun, confirm: true }),
			describe: describeChange,
			report: (to) => `“${valueText(value)}” is “${to}” now.`,
			onMade: refresh,
		}).open());
}

/** Ask for another name of a property, and show what changes before it does. */
export function renameProperty(host: Host, name: string, onMade?: () => void): void {
	new ChangePreview(host, {
		title: `Rename the property ${name}`,
		asks: { label: "Property", now: name },
		verb: "Rename",
		make: (to, dryRun) => host.link.call("change_notes", { rename: { [name]: to }, dry_run: dryRun, confirm: true }),
		describe: describeChange,
		report: (to) => `The property “${name}” is “${to}” now.`,
		...(onMade === undefined ? {} : { onMade }),
	}).open();
}

function renameTag(host: Host, tag: string): void {
	new ChangePreview(host, {
		title: `Rename #${tag}`,
		asks: { label: "Tag", now: tag },
		verb: "Rename",
		make: (to, dryRun) => host.link.call("change_notes", { rename_tags: { [tag]: to }, dry_run: dryRun, confirm: true }),
		describe: describeChange,
		report: (to) => `#${tag} is #${to.replace(/^#/, "")} now.`,
	}).open();
}

/** Ask which tag is to be renamed. */
export async function chooseTag(host: Host): Promise<void> {
	if (!checkConnection(host)) return;
	const answer = await host.link.call("list_tags", {});
	if (!answer.ok) showRefusal(answer.error);
	else new Choice<ListedTag>(host, "Rename a tag…", answer.result.tags, ({ tag, count }) => `#${tag} (${count.toLocaleString()})`, ({ tag }) => renameTag(host, tag)).open();
}

/** Ask which property is to be renamed. */
export async function chooseProperty(host: Host): Promise<void> {
	if (!checkConnection(host)) return;
	const answer = await host.link.call("property_report", { limit: MAX_CHOICES });
	if (!answer.ok) showRefusal(answer.error);
	else new Choice<PropertyFacts>(host, "Rename a property…", answer.result.properties, ({ name, notes }) => `${name} (${notes.toLocaleString()})`, ({ name }) => renameProperty(host, name)).open();
}
