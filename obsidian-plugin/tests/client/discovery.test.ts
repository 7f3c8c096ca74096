import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { dataFolder, findProgram, isLoopback, ownersToken, findRunning, vaultId } from "../../src/client/discovery";

let folder: string;
beforeEach(async () => {
	folder = await realpath(await mkdtemp(join(tmpdir(), "vaultside-")));
});
afterEach(() => rm(folder, { recursive: true }));

test.each([
	["http://127.0.0.1:8420", true],
	["http://localhost:1", true],
	["http://[::1]:1", true],
	["https://127.0.0.1:1", false],
	["http://127.0.0.1.example.org", false],
	["http://user@example.org", false],
	["127.0.0.1:1", false],
	["", false],
])("%s is on this computer: %s", (url, is) => {
	expect(isLoopback(url)).toBe(is);
});

test("a vault has one id by whichever name it is reached", async () => {
	await mkdir(join(folder, "Notes"));
	await symlink(join(folder, "Notes"), join(folder, "Link"));
	const id = await vaultId(join(folder, "Notes"));
	expect(id).toMatch(/^[0-9a-f]{16}$/);
	expect(await vaultId(join(folder, "Link"))).toBe(id);
});

test.runIf(process.platform === "linux")("the data folder is where the bridge puts it", () => {
	expect(dataFolder({ XDG_DATA_HOME: "/data" })).toBe("/data/vaultside");
	expect(dataFolder({})).toBe(join(homedir(), ".local/share/vaultside"));
	expect(dataFolder({ XDG_DATA_HOME: "/data", VAULTSIDE_DATA_DIR: "/mine" })).toBe("/mine");
});

describe("the runtime file", () => {
	const told = { url: "http://127.0.0.1:1", token: "t", pid: process.pid, version: "1", schema: 1 };
	const write = async (content: unknown): Promise<void> => {
		await mkdir(join(folder, "run"), { recursive: true });
		await writeFile(join(folder, "run", "v.json"), JSON.stringify(content));
	};

	test("says where the bridge is", async () => {
		await write(told);
		expect(await findRunning(folder, "v")).toEqual({ url: told.url, token: "t", vault: "v" });
	});

	test.each([
		["of a process that is gone", { ...told, pid: 2 ** 22 - 3 }],
		["that leads elsewhere", { ...told, url: "http://example.org" }],
		["that is something else", [1, 2]],
		["without a token", { ...told, token: undefined }],
	])("%s is none", async (_, content) => {
		await write(content);
		expect(await findRunning(folder, "v")).toBeNull();
	});

	test("that is absent is none", async () => {
		expect(await findRunning(folder, "v")).toBeNull();
	});
});

test("the program is found on the path, and only one that can be run", async () => {
	const [first, second] = [join(folder, "first"), join(folder, "second")];
	for (const place of [first, second]) {
		await mkdir(place);
		await writeFile(join(place, "vaultside"), "#!/bin/sh\n");
	}
	await chmod(join(second, "vaultside"), 0o755);
	expect(await findProgram({ PATH: `${first}:${second}` })).toBe(join(second, "vaultside"));
});

test("the token for settings is taken only where it belongs to the bridge that answers", async () => {
	await mkdir(join(folder, "vaults", "id"), { recursive: true });
	const owner = (): Promise<string | null> => ownersToken(folder, "id", "http://127.0.0.1:1");
	expect(await owner()).toBeNull();
	await writeFile(join(folder, "vaults", "id", "owner.json"), JSON.stringify({ url: "http://127.0.0.1:2", token: "key" }));
	expect(await owner()).toBeNull();
	await writeFile(join(folder, "vaults", "id", "owner.json"), JSON.stringify({ url: "http://127.0.0.1:1", token: "key" }));
	expect(await owner()).toBe("key");
	await writeFile(join(folder, "vaults", "id", "owner.json"), "{");
	expect(await owner()).toBeNull();
});
