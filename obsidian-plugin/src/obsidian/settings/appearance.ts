import type { SettingDefinitionItem } from "obsidian";

/** How the panes look. */
export function appearance(): SettingDefinitionItem[] {
	return [
		{
			type: "group",
			heading: "Appearance",
			items: [
				{
					name: "Notes at once",
					desc: "How many notes a search shows before “Show more”.",
					control: { type: "slider", key: "results", min: 5, max: 50, step: 5 },
				},
				{
					name: "Follow sections",
					desc: "Show related notes for the section that the cursor is in, not for the whole note.",
					control: { type: "toggle", key: "followSection" },
				},
				{
					name: "Graph colours",
					desc: "What the colours of the graph show.",
					control: { type: "dropdown", key: "graphColours", options: { community: "Communities", folder: "Folders", tag: "Tags", type: "Types", note_type: "Note types" } },
				},
				{
					name: "Show why",
					desc: "Say below each note why it is there.",
					control: { type: "toggle", key: "showWhy" },
				},
				{
					name: "Density",
					desc: "How closely notes are spaced in the panes.",
					control: { type: "dropdown", key: "density", options: { comfortable: "Comfortable", compact: "Compact" } },
				},
				{
					name: "Mark changes",
					desc: "Mark in open notes what was just changed through the bridge, until you edit there or press Escape.",
					control: { type: "toggle", key: "highlight" },
				},
				{
					name: "State in words",
					desc: "Show the state in words beside the icon in the status bar. Hovering shows it too.",
					control: { type: "toggle", key: "statusText" },
				},
				{
					name: "Ribbon icons",
					desc: "Show the icons for search, the graph and changes in the ribbon. The commands are there without them.",
					control: { type: "toggle", key: "ribbon" },
				},
			],
		},
	];
}
