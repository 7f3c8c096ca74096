import { type App, FileSystemAdapter, requestUrl } from "obsidian";
import type { Address, Send } from "../client/client";
import type { Environment } from "../client/link";
import { dataFolder, findProgram, isLoopback, isProgram, ownersToken, findRunning, vaultId } from "../client/discovery";
import type { Sidecar } from "../client/sidecar";
import { followEvents } from "../client/stream";
import { streamCall } from "../client/stream-call";
import type { Absence } from "../core/connection";
import { type Settings, TOKEN } from "./settings/settings";

/** By the app itself: no Origin, no CORS. */
export const send: Send = async ({ url, method, headers, body }) => {
	const answer = await requestUrl({ url, method, headers, throw: false, ...(body === undefined ? {} : { body }) });
	return { status: answer.status, text: answer.text };
};

/** What the app and the machine are to the link. */
export function createEnvironment(app: App, settings: () => Settings, sidecar: Sidecar): Environment {
	return { send, followEvents, stream: streamCall, random: Math.random, findBridge: () => findBridge(app, settings(), sidecar) };
}

/** Find the bridge of this vault: the one that was paired with, one that runs, or one that can be started. */
async function findBridge(app: App, settings: Settings, sidecar: Sidecar): Promise<Address | Absence> {
	const folder = vaultFolder(app);
	if (folder === null) return { kind: "failed", reason: "This vault is not a folder on this computer." };
	const vault = await vaultId(folder);
	const token = app.secretStorage.getSecret(TOKEN);
	if (settings.address !== "" && token !== null && token !== "") {
		if (isLoopback(settings.address)) return { url: settings.address, token, vault, paired: true };
		return { kind: "failed", reason: "The address in the settings is not on this computer." };
	}
	const data = settings.dataFolder || dataFolder(process.env);
	const addOwner = async (address: Address): Promise<Address> => ({ ...address, owner: await ownersToken(data, vault, address.url) });
	const found = await findRunning(data, vault);
	if (found !== null) return addOwner(found);
	if (!settings.start) return { kind: "not_running" };
	const program = await programOf(settings);
	if (program === null) return { kind: "not_installed" };
	try {
		return await addOwner(await sidecar.start(program, folder, vault, settings.dataFolder || null));
	} catch (error) {
		return { kind: "failed", reason: `The bridge did not start. ${error instanceof Error ? error.message : ""}`.trim() };
	}
}

/** Where the vault lies; null when it is not on a disk. */
export function vaultFolder(app: App): string | null {
	return app.vault.adapter instanceof FileSystemAdapter ? app.vault.adapter.getBasePath() : null;
}

/** The program that is started: the one that was chosen, else the one that is found. */
export async function programOf(settings: Settings): Promise<string | null> {
	if (settings.program === "") return findProgram(process.env);
	return (await isProgram(settings.program)) ? settings.program : null;
}
