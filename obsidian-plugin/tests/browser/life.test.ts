import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Bridge, Home, PROGRAM } from "./bridge";
import { AppWindow, startBrowser } from "./window";

let browser: Browser;
let home: Home;
let open: AppWindow[];
let bridges: Bridge[];

beforeAll(async () => {
	browser = await startBrowser();
});
afterAll(() => browser.close());

beforeEach(async () => {
	[home, open, bridges] = [await Home.make(false), [], []];
});
afterEach(async () => {
	const faults = (await Promise.all(open.map((obsidian) => obsidian.close()))).flat();
	await Promise.all(bridges.map((bridge) => bridge.stop()));
	await home.remove();
	expect(faults).toEqual([]);
});

async function opened(given: Partial<Parameters<typeof AppWindow.open>[1]> = {}): Promise<AppWindow> {
	const obsidian = await AppWindow.open(browser, { base: home.vault, home: home.path, ...given });
	open.push(obsidian);
	return obsidian;
}

async function served(options: readonly string[] = []): Promise<Bridge> {
	const bridge = await Bridge.serve(home, options);
	bridges.push(bridge);
	return bridge;
}

/** Install the program where pipx would. */
async function installed(): Promise<void> {
	const folder = join(home.path, ".local", "bin");
	await mkdir(folder, { recursive: true });
	await symlink(PROGRAM, join(folder, "vault-bridge"));
}

const asked = (obsidian: AppWindow, operation: string): number => obsidian.node.requests.filter(({ url }) => url.endsWith(operation)).length;

test("without a bridge the pane tells what to install and what is where, and starts nothing", async () => {
	const obsidian = await opened();
	expect(await obsidian.state("off")).toBe("Bridge off");
	await obsidian.page.evaluate(() => window.plugin.onUserEnable?.());
	const page = obsidian.page.locator(".vault-bridge-absence");
	await page.getByText("pipx install .").waitFor();
	await page.locator("summary").click();
	await page.getByText(join(home.path, ".local/share/vault-bridge")).waitFor();
	await page.getByLabel("Copy pipx install .").click();
	expect(await obsidian.page.evaluate(() => navigator.clipboard.readText())).toBe("pipx install .");
	expect(obsidian.node.requests).toEqual([]);
	expect(obsidian.node.running).toEqual([]);
});

test("a bridge that is installed meanwhile is found in its usual place, started, and ended with the plugin", async () => {
	const obsidian = await opened();
	await obsidian.state("off");
	await installed();
	await obsidian.run("reconnect");
	await obsidian.state("ready");
	expect(obsidian.node.running).toHaveLength(1);
	const [child] = obsidian.node.running;
	const gone = new Promise((resolve) => child?.once("exit", resolve));
	expect(await obsidian.unload()).toMatchObject({ commands: 0, views: 0, listening: 0, ribbon: 0, statusBar: 0 });
	expect(await gone).toBe(0);
});

test("a bridge that the window started leaves when the window dies", async () => {
	await installed();
	const obsidian = await opened();
	await obsidian.state("ready");
	const [child] = obsidian.node.running;
	const gone = new Promise((resolve) => child?.once("exit", resolve));
	expect(await obsidian.close()).toEqual([]);
	open = [];
	expect(await gone).toBe(0);
});

test("a bridge that does not start says why, and is not started for ever", async () => {
	const folder = join(home.path, ".local", "bin");
	await mkdir(folder, { recursive: true });
	await writeFile(join(folder, "vault-bridge"), "#!/bin/sh\necho 'No module named bridge' >&2\nexit 1\n", { mode: 0o755 });
	const obsidian = await opened();
	await obsidian.run("status");
	await obsidian.page.locator(".vault-bridge-absence", { hasText: "No module named bridge" }).waitFor();
	await expect.poll(() => obsidian.page.evaluate(() => (window.plugin as unknown as { link: { failures: number } }).link.failures)).toBe(3);
	expect(obsidian.node.running).toEqual([]);
});

test("a running bridge is attached to, told of every file once, and left running", async () => {
	const bridge = await served();
	const obsidian = await opened();
	await obsidian.state("ready");
	expect(obsidian.node.running).toEqual([]);
	const told = obsidian.node.requests.filter(({ url }) => url.endsWith("/report_changes"));
	expect(told).toHaveLength(1);
	const { snapshot } = JSON.parse(told[0]?.body ?? "") as { snapshot: { path: string }[] };
	expect(snapshot.map(({ path }) => path)).toContain("Welcome.md");
	expect(await obsidian.unload()).toEqual({ commands: 0, views: 0, listening: 0, ribbon: 0, statusBar: 0, alive: 0, extensions: 0, suggests: 0, scopes: 0 });
	expect(obsidian.node.open).toBe(0);
	await bridge.call("status");
});

test("no secret is kept in the plugin's data", async () => {
	const bridge = await served();
	const obsidian = await opened();
	await obsidian.state("ready");
	await obsidian.page.evaluate(() => (window.plugin as unknown as { keep: () => Promise<void> }).keep());
	const stored = await obsidian.page.evaluate(() => window.app.stored);
	expect(stored).toContain("queries");
	expect(stored).not.toContain(bridge.token);
});

test("a wrong token is refused once and not tried again", async () => {
	const bridge = await served();
	const obsidian = await opened({ settings: { address: bridge.url }, secrets: { "vault-bridge-token": "wrong" } });
	expect(await obsidian.state("refused")).toBe("Bridge refuses");
	const before = obsidian.node.requests.length;
	await obsidian.run("status");
	await obsidian.page.getByText("rejects the token").waitFor();
	expect(obsidian.node.requests).toHaveLength(before);
	await obsidian.page.evaluate(() => window.app.secretStorage.setSecret("vault-bridge-token", ""));
	await obsidian.page.getByRole("button", { name: "Look again" }).click();
	await obsidian.state("ready");
});

test("pairing takes a right code and no wrong one, and keeps the token in the secret storage", async () => {
	const bridge = await served();
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
	const secret = await obsidian.page.evaluate(() => window.app.secretStorage.getSecret("vault-bridge-token"));
	expect(secret).toMatch(/\S{20,}/);
	expect(await obsidian.page.evaluate(() => window.app.stored)).not.toContain(secret);
});

test("a bridge that dies is looked for, found again, and told what it missed", async () => {
	const first = await served();
	const obsidian = await opened();
	await obsidian.state("ready");
	await first.stop("SIGKILL");
	expect(await obsidian.state("off")).toBe("Bridge off");
	await obsidian.page.evaluate(async () => {
		await window.app.vault.create("While away.md", "Nobody heard this.\n");
	});
	const before = asked(obsidian, "/report_changes");
	const second = await served();
	await obsidian.state("ready");
	await expect.poll(() => asked(obsidian, "/report_changes")).toBe(before + 1);
	const { hits } = await second.call<{ hits: { path: string }[] }>("search", { query: "nobody heard this", mode: "keyword" });
	expect(hits[0]?.path).toBe("While away.md");
});

test("a bridge that speaks otherwise says what to update", async () => {
	const source = await readFile(join(import.meta.dirname, "../../main.js"), "utf8");
	const { form } = /search:"(?<form>[0-9a-f]{12})"/.exec(source)?.groups ?? {};
	expect(form).toBeDefined();
	await served();
	const obsidian = await opened({ source: source.replace(String(form), "000000000000") });
	expect(await obsidian.state("incompatible")).toBe("Update the bridge");
	const before = obsidian.node.requests.length;
	await obsidian.run("status");
	await obsidian.page.getByText("older than this plugin").waitFor();
	expect(obsidian.node.requests).toHaveLength(before);
});

test("a window that opens while everything is being indexed says how far that is, and searches by words meanwhile", async () => {
	await home.remove();
	home = await Home.make(true);
	const bridge = await served();
	await bridge.call("pause_indexing");
	const obsidian = await opened();
	await obsidian.state("ready");
	await bridge.call("resume_indexing");
	expect(await obsidian.state("indexing")).toMatch(/^Indexing \d+ %$/);
	await obsidian.run("search");
	await obsidian.page.getByRole("combobox").fill("bread");
	await obsidian.page.locator(".vault-bridge-hit").first().waitFor();
	await obsidian.page.locator('.vault-bridge-status-bar[data-state="ready"]').waitFor({ timeout: 100_000 });
}, 180_000);

test("changes are told together and in order, and a moved folder file by file", async () => {
	const bridge = await served();
	const obsidian = await opened();
	await obsidian.state("ready");
	const before = asked(obsidian, "/report_changes");
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
		const reports = obsidian.node.requests.filter(({ url }) => url.endsWith("/report_changes")).slice(before);
		return reports.flatMap(({ body }) => (JSON.parse(body) as { changes: Told[] }).changes);
	};
	await expect.poll(() => told().some(({ path }) => path === "Baking/Science/Staling.md")).toBe(true);
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
	await expect.poll(async () => (await bridge.call<{ total: number }>("find_notes", { folder: "Bread" })).total).toBe(0);
	const { notes } = await bridge.call<{ notes: { path: string }[] }>("find_notes", { folder: "Baking", limit: 500 });
	expect(new Set(notes.map(({ path }) => path))).toEqual(new Set(moved.map(({ path }) => path)));
	const { hits } = await bridge.call<{ hits: { path: string }[] }>("search", { query: "quokkas", mode: "keyword" });
	expect(hits[0]?.path).toBe("Final.md");
});
