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
					name: "Strictness",
					desc: "What happens to a change that would leave a note broken, such as a code block that nothing closes, or properties that cannot be read.",
					control: { type: "dropdown", key: "bridge.write_checks", options: { warn: "Make it and tell", strict: "Refuse it" }, disabled },
				},
				{
					name: "Files that ask",
					desc: "A change of more files than this needs your yes.",
					control: { type: "number", key: "bridge.confirm_files", min: 1, step: 1, validate: checkWhole, disabled },
				},
				{
					name: "Size that asks",
					desc: "A change of more KiB than this needs your yes.",
					control: { type: "number", key: "bridge.confirm_kb", min: 1, step: 1, validate: checkWhole, disabled },
				},
				{
					name: "Agents say yes",
					desc: "Let agents that cannot ask you agree for you.",
					control: { type: "toggle", key: "bridge.agents_confirm", disabled },
				},
				{
					name: "Room for undo",
					desc: "Earlier versions of notes are kept up to this many MiB; the oldest are deleted first.",
					control: { type: "number", key: "bridge.history_mb", min: 1, step: 1, validate: checkWhole, disabled },
				},
				{
					name: "Days for undo",
					desc: "Earlier versions are kept for at most this many days.",
					control: { type: "number", key: "bridge.history_days", min: 1, step: 1, validate: checkWhole, disabled },
				},
				{
					name: "Commit to git",
					desc: "Commit each change that is made through the bridge to the git repository that the vault is in, and only that.",
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
