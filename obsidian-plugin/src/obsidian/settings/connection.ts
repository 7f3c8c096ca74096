import { Notice, type Setting, type SettingDefinitionItem } from "obsidian";
import { pair } from "../../client/client";
import { isLoopback } from "../../client/discovery";
import { explainConnection, inWords, isOpen } from "../../core/connection";
import type { Host } from "../host";
import { send } from "../environment";
import { TOKEN } from "./settings";
import { showRefusal } from "../notices";

/** What the bridge lists a paired window as; another name than that of a window which needs no pairing. */
const PAIRED = "Obsidian plugin";

/** Settings that say which bridge is meant. */
export const RESTARTS: ReadonlySet<string> = new Set(["start", "program", "dataFolder", "address"]);

/** How the bridge is found. */
export function connection(host: Host, look: () => () => void): SettingDefinitionItem[] {
	return [
		{
			type: "group",
			heading: "Connection",
			items: [
				{ name: "State", desc: "Whether a bridge answers, and what to do when none does.", render: (setting) => state(setting, host, look) },
				{
					name: "Start the bridge",
					desc: "Start the installed bridge when none runs for this vault, and end it with this window.",
					control: { type: "toggle", key: "start" },
				},
				{
					name: "Program",
					desc: "Full path of vaultside, if it is not found automatically.",
					control: { type: "text", key: "program", placeholder: "Found automatically" },
				},
				{
					name: "Data folder",
					desc: "Where the bridge keeps its index and its settings, where it is not the usual place.",
					control: { type: "text", key: "dataFolder", placeholder: "The usual place" },
				},
				{
					name: "Address",
					desc: "Only for a bridge that this window cannot find, such as one in a container. Leave empty to find it automatically.",
					control: {
						type: "text",
						key: "address",
						placeholder: "http://127.0.0.1:34111",
						validate: (value: string) => (value === "" || isLoopback(value) ? undefined : "Only an address on this computer."),
					},
				},
				{
					name: "Code",
					desc: "Six digits that “vaultside pair” shows, for a bridge at an address. The token it gives is kept in the app's secret storage.",
					render: (setting) => showPairing(setting, host),
				},
			],
		},
	];
}

/** Tell how things stand, in place, for as long as the row is there. */
function state(setting: Setting, host: Host, look: () => () => void): () => void {
	let again: HTMLElement | null = null;
	setting.addButton((button) => {
		again = button.setButtonText("Look again").onClick(() => host.reconnect()).buttonEl;
	});
	setting.descEl.setAttrs({ role: "status" });
	const show = (): void => {
		const { connection: now } = host.link;
		setting.setName(inWords(now)).setDesc(explainConnection(now));
		again?.toggle(!isOpen(now) && now.is !== "connecting");
	};
	show();
	const undo = [host.connections.add(show), look()];
	return () => undo.forEach((stop) => stop());
}

function showPairing(setting: Setting, host: Host): void {
	let code = "";
	setting.addText((text) => text.setPlaceholder("123456").onChange((value) => (code = value.replace(/\D/g, ""))));
	setting.addButton((button) => button.setButtonText("Pair").setCta().onClick(() => pairWith(host, code)));
}

async function pairWith(host: Host, code: string): Promise<void> {
	const { address } = host.settings;
	if (!isLoopback(address)) {
		new Notice("Give the address of the bridge first.");
		return;
	}
	const got = await pair(send, address, code, PAIRED);
	if (typeof got !== "string") {
		showRefusal(got);
		return;
	}
	host.app.secretStorage.setSecret(TOKEN, got);
	new Notice("Paired.");
	host.reconnect();
}
