import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { bridge, type Given, home, obsidian as current, open, vaultForEach } from "./stage";
import type { AppWindow } from "./window";

vaultForEach();

async function opened(given: Given = {}): Promise<AppWindow> {
	await open(given);
	return current;
}

const asked = (obsidian: AppWindow, operation: string): number => obsidian.node.requests.filter(({ url }) => url.endsWith(operation)).length;

test("a running bridge is attached to, told of every file once, and left running", async () => {
	const obsidian = await opened();
	await obsidian.state("ready");
	expect(obsidian.node.running).toEqual([]);
	await expect.poll(() => asked(obsidian, "/report_changes")).toBe(1);
	const told = obsidian.node.requests.find(({ url }) => url.endsWith("/report_changes"));
	const { snapshot } = JSON.parse(told?.body ?? "") as { snapshot: { path: string }[] };
	expect(snapshot.map(({ path }) => path)).toContain("Welcome.md");
	expect(await obsidian.unload()).toEqual({ commands: 0, views: 0, listening: 0, ribbon: 0, statusBar: 0, alive: 0, extensions: 0, processors: 0, suggests: 0, scopes: 0 });
	await expect.poll(() => obsidian.node.open).toBe(0);
	expect(asked(obsidian, "/report_changes")).toBe(1);
	await bridge.call("status");
});

test("no secret is kept in the plugin's data", async () => {
	const obsidian = await opened();
	await obsidian.state("ready");
	await obsidian.page.evaluate(() => (window.plugin as unknown as { saveSettings: () => Promise<void> }).saveSettings());
	const stored = await obsidian.page.evaluate(() => window.app.stored);
	expect(stored).toContain("queries");
	expect(stored).not.toContain(bridge.token);
});

test("a wrong token is refused once and not tried again", async () => {
	const obsidian = await opened({ settings: { address: bridge.url }, secrets: { "vaultside-token": "wrong" } });
	expect(await obsidian.state("refused")).toBe("Bridge refuses");
	const before = obsidian.node.requests.length;
	await obsidian.run("status");
	await obsidian.page.getByText("rejects the token").waitFor();
	expect(obsidian.node.requests).toHaveLength(before);
	await obsidian.page.evaluate(() => window.app.secretStorage.setSecret("vaultside-token", ""));
	await obsidian.page.getByRole("button", { name: "Look again" }).click();
	await obsidian.state("ready");
});

test("pairing takes a right code and no wrong one, and keeps the token in the secret storage", async () => {
	const obsidian = await opened({ settings: { start: false, address: bridge.url, dataFolder: join(home.path, "nowhere") } });
	await obsidian.state("off");
	await obsidian.page.evaluate(() => window.plugin.tabs[0]?.show__());
	const { code } = await bridge.call<{ code: string }>("open_pairing");
	const field = obsidian.page.getByPlaceholder("123456");
	await field.fill(code === "000000" ? "000001" : "000000");
	await obsidian.page.getByRole("button", { name: "Pair" }).click();
	await obsidian.page.locator(".notice", { hasText: "The code is wrong" }).waitFor();
	await field.fill(code);
	await obsidian.page.getByRole("button", { name: "Pair" }).click();
	await obsidian.page.locator(".notice", { hasText: "Paired." }).waitFor();
	await obsidian.state("ready");
	const secret = await obsidian.page.evaluate(() => window.app.secretStorage.getSecret("vaultside-token"));
	expect(secret).toMatch(/\S{20,}/);
	expect(await obsidian.page.evaluate(() => window.app.stored)).not.toContain(secret);
});

test("a bridge that speaks otherwise says what to update", async () => {
	const source = await readFile(join(import.meta.dirname, "../../main.js"), "utf8");
	const { form } = /search:"(?<form>[0-9a-f]{12})"/.exec(source)?.groups ?? {};
	expect(form).toBeDefined();
	const obsidian = await opened({ source: source.replace(String(form), "000000000000") });
	expect(await obsidian.state("incompatible")).toBe("Update the bridge");
	const before = obsidian.node.requests.length;
	await obsidian.run("status");
	await obsidian.page.getByText("older than this plugin").waitFor();
	await obsidian.page.getByText(/^(uv tool|pipx) upgrade vaultside$/).waitFor();
	await picture(obsidian, "first-run-old", false);
	expect(obsidian.node.requests).toHaveLength(before);
});

test("changes are told together and in order, and a moved folder file by file", async () => {
	const obsidian = await opened();
	await obsidian.state("ready");
	await expect.poll(() => asked(obsidian, "/report_changes")).toBe(1);
	await obsidian.page.evaluate(async () => {
		const { vault } = window.app;
		const note = await vault.create("Draft.md", "one");
		for (let at = 0; at < 50; at++) await vault.modify(note, `text ${at}`);
		await vault.rename(note, "Final.md");
		await vault.modify(note, "the last word on quokkas");
		const folder = vault.getFolderByPath("Bread");
		if (folder !== null) await vault.rename(folder, "Baking");
	});
	type Told = { kind: string; path: string; from?: string };
	const told = (): Told[] => {
		const reports = obsidian.node.requests.filter(({ url }) => url.endsWith("/report_changes")).slice(1);
		return reports.flatMap(({ body }) => (JSON.parse(body) as { changes: Told[] }).changes);
	};
	const paths = async (): Promise<Set<string>> => new Set((await bridge.call<{ notes: { path: string }[] }>("find_notes", { folder: "Baking", limit: 500 })).notes.map(({ path }) => path));
	const toldAs = (): Set<string> => new Set(told().map(({ path }) => path).filter((path) => path.startsWith("Baking/")));
	// The bridge sees by itself, too, what is moved, and the window may need several calls to tell it.
	await expect.poll(async () => (await bridge.call<{ total: number }>("find_notes", { folder: "Bread" })).total).toBe(0);
	const known = async (): Promise<boolean> => toldAs().has("Baking/Science/Staling.md") && [...toldAs()].sort().join() === [...(await paths())].sort().join();
	await expect.poll(known).toBe(true);
	const changes = told();
	const mine = changes.filter(({ path }) => !path.startsWith("Baking/"));
	const collapsed = mine.filter((change, at) => JSON.stringify(change) !== JSON.stringify(mine[at - 1]));
	expect(collapsed).toEqual([
		{ kind: "upsert", path: "Draft.md" },
		{ kind: "rename", path: "Final.md", from: "Draft.md" },
		{ kind: "upsert", path: "Final.md" },
	]);
	expect(mine.length).toBeLessThan(50);
	const moved = changes.filter(({ path }) => path.startsWith("Baking/"));
	expect(moved.every(({ kind, from }) => kind === "rename" && from?.startsWith("Bread/") === true)).toBe(true);
	const found = async (): Promise<string | undefined> => (await bridge.call<{ hits: { path: string }[] }>("search", { query: "quokkas", mode: "keyword" })).hits[0]?.path;
	await expect.poll(found).toBe("Final.md");
});
