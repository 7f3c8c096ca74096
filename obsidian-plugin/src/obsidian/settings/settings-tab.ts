import { type App, Notice, type Plugin, PluginSettingTab, type Setting, type SettingDefinitionItem } from "obsidian";
import { pair } from "../../bridge/client";
import { isLoopback } from "../../bridge/places";
import { explained, inWords } from "../../core/connection";
import type { Host } from "../host";
import { TOKEN } from "./settings";
import { send } from "../world";

/** What the bridge lists a paired window as; another name than that of a window which needs no pairing. */
const PAIRED = "Obsidian plugin";

/** The settings, each with a sentence. */
export class SettingsTab extends PluginSettingTab {
	private code = "";

	constructor(
		app: App,
		plugin: Plugin,
		private readonly host: Host,
	) {
		super(app, plugin);
	}

	override getSettingDefinitions(): SettingDefinitionItem[] {
		const { connection } = this.host.link;
		return [
			{ name: inWords(connection), desc: explained(connection), render: (setting) => this.again(setting) },
			{
				type: "group",
				heading: "Connection",
				items: [
					{
						name: "Start the bridge",
						desc: "Start the installed bridge when none runs for this vault, and end it with this window.",
						control: { type: "toggle", key: "start" },
					},
					{
						name: "Program",
						desc: "Full path of vault-bridge, where it is not found by itself.",
						control: { type: "text", key: "program", placeholder: "Found by itself" },
					},
					{
						name: "Data folder",
						desc: "Where the bridge keeps its index, where it is not the usual place.",
						control: { type: "text", key: "dataFolder", placeholder: "The usual place" },
					},
				],
			},
			{
				type: "group",
				heading: "Pairing",
				items: [
					{
						name: "Address",
						desc: "Only for a bridge that this window cannot find, such as one in a container. Empty to find it by itself.",
						control: {
							type: "text",
							key: "address",
							placeholder: "http://127.0.0.1:34111",
							validate: (value: string) => (value === "" || isLoopback(value) ? undefined : "Only an address on this computer."),
						},
					},
					{
						name: "Code",
						desc: "Six digits that “vault-bridge pair” shows. The token it gives is kept in the app's secret storage.",
						render: (setting) => this.pairing(setting),
					},
				],
			},
			{
				type: "group",
				heading: "Search",
				items: [
					{
						name: "Patience",
						desc: "Milliseconds after the last key until meaning is asked; words are asked at each key.",
						control: { type: "slider", key: "patience", min: 0, max: 500, step: 20 },
					},
				],
			},
		];
	}

	private again(setting: Setting): void {
		setting.addButton((button) => button.setButtonText("Look again").onClick(() => this.host.reconnect()));
	}

	private pairing(setting: Setting): void {
		setting.addText((text) => text.setPlaceholder("123456").onChange((value) => (this.code = value.replace(/\D/g, ""))));
		setting.addButton((button) => button.setButtonText("Pair").setCta().onClick(() => this.pair()));
	}

	private async pair(): Promise<void> {
		const { settings } = this.host;
		if (!isLoopback(settings.address)) {
			new Notice("Give the address of the bridge first.");
			return;
		}
		const got = await pair(send, settings.address, this.code, PAIRED);
		if (typeof got !== "string") {
			new Notice(`${got.message} ${got.hint}`);
			return;
		}
		this.app.secretStorage.setSecret(TOKEN, got);
		new Notice("Paired.");
		this.host.reconnect();
	}
}
