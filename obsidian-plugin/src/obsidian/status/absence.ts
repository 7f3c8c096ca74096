import { setIcon } from "obsidian";
import { dataFolder } from "../../client/places";
import { explainConnection, inWords } from "../../core/connection";
import { showCommand } from "../command";
import type { Host } from "../host";
import { programOf } from "../world";
import { addButton, addButtonRow } from "../button";

const PLACES = "What is where";
const INSTALL = ["uv tool install ./vaultside", "vaultside models install"];

/**
 * Show why there is no bridge and what to do, in place of a pane's content.
 *
 * @param unfolded The sections the user has opened, which stay open across redraws.
 */
export function showAbsence(el: HTMLElement, host: Host, unfolded: Set<string>): void {
	const { connection } = host.link;
	const page = el.createDiv({ cls: "vaultside-absence" });
	setIcon(page.createDiv({ cls: "vaultside-absence-icon" }), connection.is === "connecting" ? "loader" : "unplug");
	page.createEl("h4", { text: inWords(connection) });
	page.createEl("p", { text: explainConnection(connection), attr: { role: "status" } });
	if (connection.is === "connecting") return;
	if (connection.is === "off" && connection.why.kind === "not_installed") showInstallation(page);
	const buttons = addButtonRow(page);
	addButton(buttons, { text: "Look again", cls: "mod-cta" }, () => host.reconnect());
	if (connection.is === "off") void showPlaces(page, host, unfolded);
}

function showInstallation(page: HTMLElement): void {
	page.createEl("p", {
		text: "This plugin needs its companion, which you install yourself; nothing is ever downloaded for you. In a terminal, beside the folder of the project; pipx will do too:",
	});
	for (const command of INSTALL) showCommand(page, command);
	page.createEl("p", { text: "It is started with this window and ends with it." });
}

/** Tell what lies where, so that nobody has to search for it. */
async function showPlaces(page: HTMLElement, host: Host, unfolded: Set<string>): Promise<void> {
	const details = page.createEl("details");
	details.createEl("summary", { text: PLACES });
	details.open = unfolded.has(PLACES);
	details.addEventListener("toggle", () => void (details.open ? unfolded.add(PLACES) : unfolded.delete(PLACES)));
	const list = details.createEl("dl", { cls: "vaultside-facts" });
	const program = await programOf(host.settings);
	const facts: readonly (readonly [string, string])[] = [
		["Your notes", "Stay where they are. Nothing is sent anywhere but to 127.0.0.1."],
		["Program", program ?? "Not found; its place can be given in the settings."],
		["Index and models", host.settings.dataFolder || dataFolder(process.env)],
		["Token", "In memory; after pairing, in the app's secret storage."],
	];
	for (const [name, fact] of facts) {
		list.createEl("dt", { text: name });
		list.createEl("dd", { text: fact });
	}
}
