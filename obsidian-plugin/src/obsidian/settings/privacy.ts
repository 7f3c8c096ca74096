import { Notice, type Setting, type SettingDefinition, type SettingDefinitionItem } from "obsidian";
import { describeRule, type RuleName, withRule } from "../../core/settings/rules";
import { AddRule } from "./add-rule";
import { type BridgeSettings, closedRows } from "./bridge-settings";

interface Rule {
	readonly name: RuleName;
	readonly title: string;
	readonly says: string;
	readonly added: string;
	readonly removed: string;
}

const RULES: readonly Rule[] = [
	{
		name: "deny",
		title: "Hidden from every program",
		says: "Notes that seem missing to agents, to other programs and to this plugin's panes. What the index and the history kept of them is erased.",
		added: "Hidden, and erased from the index.",
		removed: "Shown again, and being read.",
	},
	{
		name: "exclude",
		title: "Not indexed",
		says: "Notes that no search finds. Programs that know them can read them all the same.",
		added: "Taken out of the index.",
		removed: "Being read into the index.",
	},
	{
		name: "readonly",
		title: "Never changed",
		says: "Notes that programs may read and not change, such as templates.",
		added: "No program changes these notes now.",
		removed: "Programs may change these notes again.",
	},
];

/** What is never read, and what is never given away or changed. */
export function privacy(bridge: BridgeSettings): SettingDefinitionItem[] {
	const trouble = bridge.known?.stored.problems ?? [];
	return [
		{
			type: "group",
			heading: "Privacy",
			items: [
				...closedRows(bridge),
				...trouble.map((problem): SettingDefinition => ({ name: "A line of the settings file was ignored", desc: `${problem}. It is in ${bridge.known?.stored.path ?? ""}.`, searchable: false })),
				...RULES.flatMap((rule) => [head(bridge, rule), ...rows(bridge, rule)]),
			],
		},
	];
}

function head(bridge: BridgeSettings, rule: Rule): SettingDefinition {
	return {
		name: rule.title,
		desc: `${rule.says} It holds at once, for every vault of this bridge.`,
		aliases: ["Exclude", "Private", "Ignore", rule.name],
		render: (setting) => {
			setting.addButton((button) =>
				button
					.setButtonText("Add…")
					.setTooltip(`Add to “${rule.title}”`)
					.setDisabled(bridge.closedReason !== null)
					.onClick(() => new AddRule(bridge, rule.title, rulesOf(bridge, rule), (glob) => saveRule(bridge, rule, withRule(rulesOf(bridge, rule), glob), rule.added)).open()),
			);
		},
	};
}

function rows(bridge: BridgeSettings, rule: Rule): SettingDefinition[] {
	return rulesOf(bridge, rule).map((glob) => {
		const checked = bridge.known?.globs.get(glob);
		return { name: glob, desc: checked === undefined ? "" : describeRule(checked), searchable: false, render: (setting) => row(setting, bridge, rule, glob) };
	});
}

function row(setting: Setting, bridge: BridgeSettings, rule: Rule, glob: string): void {
	setting.setClass("vaultside-rule");
	setting.addExtraButton((button) =>
		button
			.setIcon("trash-2")
			.setTooltip(`Remove ${glob}`)
			.setDisabled(bridge.closedReason !== null)
			.onClick(() => {
				const others = rulesOf(bridge, rule).filter((other) => other !== glob);
				void saveRule(bridge, rule, others, rule.removed);
			}),
	);
}

function rulesOf(bridge: BridgeSettings, { name }: Rule): readonly string[] {
	return bridge.known?.stored.list(name) ?? [];
}

async function saveRule(bridge: BridgeSettings, { name }: Rule, globs: readonly string[], done: string): Promise<void> {
	if (await bridge.change({ [name]: globs })) new Notice(done);
}
