import type { SettingDefinitionItem } from "obsidian";
import { explainOutOfRange } from "../../core/settings/stored-settings";
import { type BridgeSettings, closedToo } from "./bridge-settings";

/** How notes are changed, whoever asks for it. */
export function writeAccessRows(bridge: BridgeSettings): SettingDefinitionItem[] {
	const disabled = (): boolean => bridge.closedReason !== null;
	const checkWhole = (value: number): string | undefined => explainOutOfRange(value, 1);
	return [
		{
			type: "group",
			heading: "Writing",
			items: [
				...closedToo(bridge),
				{
					name: "Changes that break a note",
					desc: "Such as a code block that nothing closes, or properties that cannot be read.",
					control: { type: "dropdown", key: "bridge.write_checks", options: { warn: "Make it and tell", strict: "Refuse it" }, disabled },
				},
				{
					name: "Ask before changing many files",
					desc: "A change of more files than this waits for your yes.",
					control: { type: "number", key: "bridge.confirm_files", min: 1, step: 1, validate: checkWhole, disabled },
				},
				{
					name: "Ask before changing much text",
					desc: "So does one of more kilobytes than this.",
					control: { type: "number", key: "bridge.confirm_kb", min: 1, step: 1, validate: checkWhole, disabled },
				},
				{
					name: "Agents may agree for you",
					desc: "Agents that cannot ask you agree to large changes themselves.",
					control: { type: "toggle", key: "bridge.agents_confirm", disabled },
				},
				{
					name: "Room for undo",
					desc: "Earlier versions of notes take at most this many megabytes.",
					control: { type: "number", key: "bridge.history_mb", min: 1, step: 1, validate: checkWhole, disabled },
				},
				{
					name: "Days for undo",
					desc: "They are kept for at most this many days.",
					control: { type: "number", key: "bridge.history_days", min: 1, step: 1, validate: checkWhole, disabled },
				},
				{
					name: "Commit to git",
					desc: "Commit each change made through the bridge, and only that, to the vault's git repository.",
					control: { type: "toggle", key: "bridge.git_commit", disabled },
				},
				{
					name: "Deleted notes",
					desc: "They go where Obsidian puts them: Settings, Files and links, Deleted files.",
				},
			],
		},
	];
}
