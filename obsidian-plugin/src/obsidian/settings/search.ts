import type { SettingDefinitionItem } from "obsidian";
import type { BridgeSettings } from "./bridge-settings";
import { closedToo } from "./closed";

/** How search behaves. */
export function search(bridge: BridgeSettings): SettingDefinitionItem[] {
	return [
		{
			type: "group",
			heading: "Search",
			items: [
				{
					name: "Patience",
					desc: "How long no key is pressed until meaning is asked, too. Words answer while you type.",
					control: { type: "slider", key: "patience", min: 0, max: 500, step: 20, displayFormat: (value) => `${value} ms` },
				},
				...closedToo(bridge),
				{
					name: "Notes that are read together",
					desc: "How much notes speak for each other that programs read together lately, in percent of what closeness in meaning counts. At 0, not at all.",
					control: { type: "slider", key: "bridge.read_together_percent", min: 0, max: 20, step: 1, displayFormat: (value) => `${value} %`, disabled: () => bridge.closed !== null },
				},
				{
					name: "Largest file",
					desc: "Files over so many MiB are not indexed; the pane that shows what is indexed names them.",
					control: { type: "number", key: "bridge.max_file_mb", min: 1, max: 4096, step: 1, disabled: () => bridge.closed !== null },
				},
			],
		},
	];
}
