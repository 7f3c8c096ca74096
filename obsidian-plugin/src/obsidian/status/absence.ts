import { setIcon } from "obsidian";
import { findInstaller } from "../../client/installer";
import { dataFolder } from "../../client/discovery";
import { type Connection, explainConnection, inWords } from "../../core/connection";
import { showCommand } from "../lines";
import type { Host } from "../host";
import { programOf } from "../environment";
import { addButton, addButtonRow } from "../button";
import { Confirm } from "../modals";
import type { Doing } from "./installation";

const PLACES = "What is where";
const SIZES = "Packages of about 700 MB and a model of 90 MB are fetched; your notes stay here.";
const INSTALLERS: readonly (readonly [string, string])[] = [
	["uv", "https://docs.astral.sh/uv/getting-started/installation/"],
	["pipx", "https://pipx.pypa.io/stable/installation/"],
];

/**
 * Show why there is no bridge and what to do, in place of a pane's content.
 *
 * @param unfolded The sections the user has opened, which stay open across redraws.
 */
export function showAbsence(el: HTMLElement, host: Host, unfolded: Set<string>): void {
	const { installation, link: { connection } } = host;
	const page = el.createDiv({ cls: "vaultside-absence" });
	if (installation.line !== null) {
		showProgress(page, installation.line);
		return;
	}
	setIcon(page.createDiv({ cls: "vaultside-absence-icon" }), connection.is === "connecting" ? "loader" : "unplug");
	page.createEl("h4", { text: inWords(connection) });
	page.createEl("p", { text: explainConnection(connection), attr: { role: "status" } });
	if (connection.is === "connecting") return;
	const lacking = findLacking(connection);
	if (lacking !== null) void showInstallation(page.createDiv({ cls: "vaultside-install" }), host, lacking);
	const buttons = addButtonRow(page);
	addButton(buttons, { text: "Look again", cls: lacking === null ? "mod-cta" : "" }, () => host.reconnect());
	if (connection.is === "off") void showPlaces(page, host, unfolded);
}

/** What would bring a bridge that fits. */
function findLacking(connection: Connection): Doing | null {
	if (connection.is === "off" && connection.why.kind === "not_installed") return "install";
	return connection.is === "incompatible" && connection.update === "bridge" ? "upgrade" : null;
}

function showProgress(page: HTMLElement, line: string): void {
	setIcon(page.createDiv({ cls: "vaultside-absence-icon" }), "download");
	page.createEl("h4", { text: "Installing…" });
	page.createEl("progress", { attr: { "aria-label": "Installing" } });
	page.createEl("p", { text: line, attr: { role: "status" } });
}

/** Show the commands that install or upgrade the bridge, and offer to run them where that can be done. */
async function showInstallation(el: HTMLElement, host: Host, doing: Doing): Promise<void> {
	const { installation } = host;
	const installer = await findInstaller(process.env);
	if (doing === "install") {
		el.createEl("p", { text: "This plugin needs its companion, a program of its own; nothing is fetched unless you ask for it. In a terminal:" });
	}
	const commands = installation.commands(installer?.name ?? "uv", doing);
	for (const command of commands) showCommand(el, command);
	if (installation.failure !== "") el.createEl("p", { text: `That failed: ${installation.failure}`, attr: { role: "alert" } });
	if (installer === null) {
		const missing = el.createEl("p", { text: "Neither uv nor pipx was found here; get one of them first: " });
		for (const [name, href] of INSTALLERS) missing.createEl("a", { text: name, href, cls: "external-link" }).after(" ");
		return;
	}
	const says = `This runs ${commands.map((one) => `“${one}”`).join(", then ")}. ${doing === "install" ? SIZES : ""}`;
	const act = { install: ["Install it for me", "Install"], upgrade: ["Update it for me", "Update"] } as const;
	const [offer, yes] = act[doing];
	const ask = new Confirm(host.app, `${yes} Vaultside?`, says, yes, () => installation.run(host, installer, doing), false);
	addButton(addButtonRow(el), { text: offer, cls: "mod-cta" }, () => ask.open());
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
