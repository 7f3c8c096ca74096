import { access, constants, readFile, realpath, stat } from "node:fs/promises";
import { homedir, platform } from "node:os";
import { delimiter, join, resolve } from "node:path";
import type { Address } from "./client";

export const PROGRAM = "vaultside";

/** Return where the bridge keeps its data on this computer, as the bridge itself decides it. */
export function dataFolder(env: Readonly<Record<string, string | undefined>>): string {
	const named = env["VAULTSIDE_DATA_DIR"];
	if (named) return resolve(named);
	const system = platform();
	if (system === "darwin") return join(homedir(), "Library", "Application Support", PROGRAM);
	if (system === "win32") return join(env["LOCALAPPDATA"] ?? join(homedir(), "AppData", "Local"), PROGRAM);
	return join(env["XDG_DATA_HOME"] || join(homedir(), ".local", "share"), PROGRAM);
}

/** Return the id by which the bridge knows the vault in a folder. */
export async function vaultId(folder: string): Promise<string> {
	const path = new TextEncoder().encode(await realpath(folder));
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", path));
	return Array.from(digest.slice(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return where the bridge of a vault listens, as it told in its runtime file; null when none runs. */
export async function findRunning(data: string, vault: string): Promise<Address | null> {
	try {
		const told: unknown = JSON.parse(await readFile(join(data, "run", `${vault}.json`), "utf8"));
		const { url, token, pid } = told as Record<string, unknown>;
		if (typeof url !== "string" || typeof token !== "string" || typeof pid !== "number") return null;
		// Where a dead bridge listened another program may listen now, which must not see the token.
		return isLoopback(url) && isAlive(pid) ? { url, token, vault } : null;
	} catch {
		return null;
	}
}

/**
 * Return the token by which the bridge at an address lets settings be changed; null when it gives none away.
 *
 * It stands apart from the runtime file, as agents are handed what stands there.
 */
export async function ownersToken(data: string, vault: string, url: string): Promise<string | null> {
	try {
		const told: unknown = JSON.parse(await readFile(join(data, "vaults", vault, "owner.json"), "utf8"));
		const { url: where, token } = told as Record<string, unknown>;
		return where === url && typeof token === "string" ? token : null;
	} catch {
		return null;
	}
}

/** Whether an address is on this computer; no other ever gets a token. */
export function isLoopback(url: string): boolean {
	try {
		const { protocol, hostname } = new URL(url);
		return protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
	} catch {
		return false;
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}

/**
 * Find an installed program: on the PATH, and where pipx, uv, pip and their own installers put things, as an app that was
 * started from the dock does not know the shell's PATH.
 */
export async function findProgram(env: Readonly<Record<string, string | undefined>>, name = PROGRAM): Promise<string | null> {
	const windows = platform() === "win32";
	const homes = windows
		? [join(env["APPDATA"] ?? "", "Python", "Scripts"), join(homedir(), ".local", "bin"), join(homedir(), ".cargo", "bin")]
		: [join(homedir(), ".local", "bin"), join(homedir(), ".cargo", "bin"), "/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"];
	const folders = [...(env["PATH"] ?? "").split(delimiter), ...homes].filter((folder) => folder !== "");
	for (const folder of new Set(folders)) {
		const file = join(folder, windows ? `${name}.exe` : name);
		if (await isProgram(file)) return file;
	}
	return null;
}

/** Whether a file can be run. */
export async function isProgram(file: string): Promise<boolean> {
	try {
		await access(file, constants.X_OK);
		return (await stat(file)).isFile();
	} catch {
		return false;
	}
}
