import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { picture } from "./picture";
import { Bridge, Home, PROGRAM, SAMPLE } from "./bridge";
import { AppWindow } from "./window";

let home: Home;
let open: AppWindow[];
let bridges: Bridge[];


beforeEach(async () => {
	[home, open, bridges] = [await Home.make(false), [], []];
});
afterEach(async () => {
	const faults = (await Promise.all(open.map((obsidian) => obsidian.close()))).flat();
	await Promise.all(bridges.map((bridge) => bridge.stop()));
	await home.remove();
	expect(faults).toEqual([]);
});

async function opened(given: Partial<Parameters<typeof AppWindow.open>[0]> = {}): Promise<AppWindow> {
	const obsidian = await AppWindow.open({ base: home.vault, home: home.path, ...given });
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
	await symlink(PROGRAM, join(folder, "vaultside"));
}

/** Put an installer there that does what it is told: it links the program, as uv does, or fails. */
async function withInstaller(ends: string): Promise<void> {
	const folder = join(home.path, ".local", "bin");
	await mkdir(folder, { recursive: true });
	const script = ["#!/bin/sh", 'echo "$@" >> "$HOME/asked"', "echo Resolved 48 packages >&2", ends];
	await writeFile(join(folder, "uv"), `${script.join("\n")}\n`, { mode: 0o755 });
}

/** Whether this machine has an installer of its own where each window looks. */
const HAS_INSTALLER = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"].some((folder) => ["uv", "pipx"].some((name) => existsSync(join(folder, name))));

const asked = (obsidian: AppWindow, operation: string): number => obsidian.node.requests.filter(({ url }) => url.endsWith(operation)).length;

test("without a bridge the pane tells what to install and what is where, and starts nothing", async () => {
	const obsidian = await opened();
	expect(await obsidian.state("off")).toBe("Bridge off");
	await obsidian.page.evaluate(() => window.plugin.onUserEnable?.());
	const page = obsidian.page.locator(".vaultside-absence");
	await page.getByText("uv tool install vaultside").waitFor();
	if (!HAS_INSTALLER) await page.getByText("Neither uv nor pipx was found here").waitFor();
	await picture(obsidian, "first-run", false);
	await page.locator("summary").click();
	await page.getByText(join(home.path, ".local/share/vaultside")).waitFor();
	await page.getByLabel("Copy uv tool install vaultside").click();
	await expect.poll(() => obsidian.page.evaluate(() => navigator.clipboard.readText())).toBe("uv tool install vaultside");
	// It is shown anew when the bridge was looked for again, and what was unfolded stays so.
	await page.evaluate((el) => el.setAttribute("data-before", ""));
	await obsidian.page.getByRole("button", { name: "Look again" }).click();
	await expect.poll(() => page.getAttribute("data-before")).toBe(null);
	await obsidian.state("off");
	await page.getByText(join(home.path, ".local/share/vaultside")).waitFor();
	expect(obsidian.node.requests).toEqual([]);
	expect(obsidian.node.running).toEqual([]);
});

test("the installer that is there is run when the person says so, and Search is shown", async () => {
	await home.remove();
	home = await Home.embedded();
	await withInstaller(`while [ ! -e "$HOME/go" ]; do sleep 0.1; done; ln -s '${PROGRAM}' "$HOME/.local/bin/vaultside"`);
	const obsidian = await opened();
	await obsidian.state("off");
	await obsidian.run("status");
	await obsidian.page.getByRole("button", { name: "Install it for me" }).waitFor();
	await picture(obsidian, "first-run-uv", false);
	await obsidian.page.getByRole("button", { name: "Install it for me" }).click();
	await obsidian.page.getByText("This runs “uv tool install vaultside”, then “vaultside models install”.").waitFor();
	expect(existsSync(join(home.path, "asked"))).toBe(false);
	await obsidian.page.getByRole("button", { name: "Install", exact: true }).click();
	await obsidian.page.getByText("Resolved 48 packages").waitFor();
	await picture(obsidian, "first-run-installing", false);
	await writeFile(join(home.path, "go"), "");
	await obsidian.page.getByRole("combobox").waitFor();
	expect(await obsidian.state("ready")).toBe("Bridge ready");
	expect((await readFile(join(home.path, "asked"), "utf8")).trim()).toBe("tool install vaultside");
});

test("an installer that fails says why, and can be run again", async () => {
	await withInstaller("echo No solution found >&2; exit 1");
	const obsidian = await opened();
	await obsidian.state("off");
	await obsidian.run("status");
	for (const times of [1, 2]) {
		await obsidian.page.getByRole("button", { name: "Install it for me" }).click();
		await obsidian.page.getByRole("button", { name: "Install", exact: true }).click();
		await obsidian.page.getByText(/That failed:[^]*No solution found/).waitFor();
		await expect.poll(async () => (await readFile(join(home.path, "asked"), "utf8")).trim().split("\n").length).toBe(times);
	}
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
	await writeFile(join(folder, "vaultside"), "#!/bin/sh\necho 'No module named bridge' >&2\nexit 1\n", { mode: 0o755 });
	const obsidian = await opened();
	await obsidian.run("status");
	await obsidian.page.locator(".vaultside-absence", { hasText: "No module named bridge" }).waitFor();
	await expect.poll(() => obsidian.page.evaluate(() => (window.plugin as unknown as { link: { failures: number } }).link.failures), { timeout: 120_000 }).toBe(3);
	expect(obsidian.node.running).toEqual([]);
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
	const found = async (): Promise<string | undefined> => (await second.call<{ hits: { path: string }[] }>("search", { query: "nobody heard this", mode: "keyword" })).hits[0]?.path;
	await expect.poll(found).toBe("While away.md");
});

test("a window that opens while everything is being indexed says how far that is, and searches by words meanwhile", async () => {
	await home.remove();
	home = await Home.make(true, join(SAMPLE, "Bread"));
	const bridge = await served();
	await bridge.call("pause_indexing");
	const obsidian = await opened();
	await obsidian.state("ready");
	await bridge.call("resume_indexing");
	expect(await obsidian.state("indexing")).toMatch(/^Indexing \d+ %$/);
	await obsidian.run("search");
	await obsidian.page.getByRole("combobox").fill("bread");
	await obsidian.page.locator(".vaultside-hit").first().waitFor();
	await obsidian.page.locator('.vaultside-status-bar[data-state="ready"]').waitFor({ timeout: 500_000 });
}, 600_000);
