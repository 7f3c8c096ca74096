import type { SettingDefinition, SettingDefinitionItem } from "obsidian";
import type { Setting } from "../../protocol/operations";
import { choices, settingSections } from "../../core/settings/stored-settings";
import { type BridgeSettings, closedToo } from "./bridge-settings";

/** A group for each feature of the bridge that has settings. */
export function features(bridge: BridgeSettings): SettingDefinitionItem[] {
	return settingSections(bridge.known?.stored.all ?? []).map(({ heading, settings }) => ({
		type: "group",
		heading,
		items: [...closedToo(bridge), ...settings.map((setting) => row(bridge, setting))],
	}));
}

function row(bridge: BridgeSettings, setting: Setting): SettingDefinition {
	const { name, title, meaning, restart, type } = setting;
	const key = `bridge.${name}`;
	const disabled = (): boolean => bridge.closedReason !== null;
	const options = choices(setting);
	const desc = restart ? `${meaning} Takes effect after a restart of the bridge.` : meaning;
	if (type === "true or false") return { name: title, desc, control: { type: "toggle", key, disabled } };
	if (type === "integer") return { name: title, desc, control: { type: "number", key, step: 1, disabled } };
	if (type === "string") return { name: title, desc, control: { type: "text", key, disabled } };
	if (options.length > 0) {
		return { name: title, desc, control: { type: "dropdown", key, options: Object.fromEntries(options.map((value) => [value, value])), disabled } };
	}
	return { name: title, desc: `${desc} One a line.`, control: { type: "textarea", key, rows: 2, disabled } };
}
