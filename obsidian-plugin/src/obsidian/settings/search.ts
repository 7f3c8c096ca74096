import type { SettingDefinitionItem } from "obsidian";
import { type BridgeSettings, closedToo } from "./bridge-settings";

/** How search behaves. */
export function search(bridge: BridgeSettings): SettingDefinitionItem[] {
	return [
		{
			type: "group",
			heading: "Search",
			items: [
				{
					name: "Patience",
					desc: "How long to wait after the last key before searching by meaning.",
					control: { type: "slider", key: "patience", min: 0, max: 500, step: 20, displayFormat: (value) => `${value} ms` },
				},
				...closedToo(bridge),
				{
					name: "Notes that are read together",
					desc: "How much notes that programs read together support each other, in percent. 0 is off.",
					control: { type: "slider", key: "bridge.read_together_percent", min: 0, max: 20, step: 1, displayFormat: (value) => `${value} %`, disabled: () => bridge.closedReason !== null },
				},
				{
					name: "Largest file",
					desc: "Files over this many megabytes are not indexed.",
					control: { type: "number", key: "bridge.max_file_mb", min: 1, max: 4096, step: 1, disabled: () => bridge.closedReason !== null },
				},
			],
		},
	];
}
