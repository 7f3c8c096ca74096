import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { Bridge, Home } from "./bridge";
import { uncut } from "./picture";
import { paired } from "./programs";
import { AppWindow, PLUGIN } from "./window";

const EVAL = process.env["VAULTSIDE_EVAL"] ?? join(PLUGIN, "..", "..", "shared", "eval");
const LODGE = join(EVAL, "links", "DawnVespero__TheBlackSunLodge");
const MANY = 300;

let home: Home | undefined;
let bridge: Bridge | undefined;
let obsidian: AppWindow | undefined;

afterEach(async () => {
	const faults = await obsidian?.close();
	await bridge?.stop();
	await home?.remove();
	[home, bridge, obsidian] = [undefined, undefined, undefined];
	expect(faults).toEqual([]);
});

async function opened(models: boolean, vault: string): Promise<[Home, Bridge, AppWindow]> {
	home = await Home.make(models, vault);
	bridge = await Bridge.serve(home);
	await bridge.readable();
	obsidian = await AppWindow.open({ base: home.vault, home: home.path });
	return [home, bridge, obsidian];
}

interface Told {
	readonly kind: string;
	readonly path: string;
	readonly from?: string;
}

test("a folder of 300 notes is renamed: told once and in order, and every note is found where it is now", async () => {
	const vault = await mkdtemp(join(tmpdir(), "vaultside-many-"));
	await mkdir(join(vault, "Journal", "Deep"), { recursive: true });
	for (let at = 0; at < MANY; at++) await writeFile(join(vault, "Journal", at % 2 === 0 ? "" : "Deep", `Day ${at}.md`), `# Day ${at}\n\nSeen: quokka${at}z.\n`);
	await writeFile(join(vault, "Index.md"), "[[Day 1]] and [[Day 2]]\n");
	const [, far, app] = await opened(false, vault);
	await rm(vault, { recursive: true });
	await app.state("ready");
	const reports = (): { changes?: Told[]; snapshot?: object[] }[] => app.node.requests.filter(({ url }) => url.endsWith("/report_changes")).map(({ body }) => JSON.parse(body) as object);
	await expect.poll(() => reports().length).toBe(1);
	const before = 1;
	const costs = await app.page.evaluate(async () => {
		const { vault: all } = window.app;
		const took: number[] = [];
		const trigger = all.trigger.bind(all);
		all.trigger = (name, ...given) => {
			const begun = performance.now();
			trigger(name, ...given);
			took.push(performance.now() - begun);
		};
		const folder = all.getFolderByPath("Journal");
		if (folder !== null) await all.rename(folder, "Diary");
		return took;
	});
	await expect.poll(() => reports().length).toBe(before + 1);
	const { changes = [], snapshot } = reports().at(-1) ?? {};
	expect(snapshot).toBeUndefined();
	expect(changes).toHaveLength(MANY);
	expect(new Set(changes.map(({ path }) => path)).size).toBe(MANY);
	expect(changes.every(({ kind, path, from }) => kind === "rename" && from === path.replace("Diary/", "Journal/"))).toBe(true);
	const total = async (folder: string): Promise<number> => (await far.call<{ total: number }>("find_notes", { folder, limit: 1 })).total;
	await expect.poll(() => total("Diary")).toBe(MANY);
	expect([await total("Journal"), await total("")]).toEqual([0, MANY + 1]);
	for (let at = 0; at < MANY; at++) {
		const { hits } = await far.call<{ hits: { path: string }[] }>("search", { query: `"quokka${at}z"`, mode: "keyword" });
		expect(hits.map(({ path }) => path)).toEqual([`Diary/${at % 2 === 0 ? "" : "Deep/"}Day ${at}.md`]);
	}
	expect(reports()).toHaveLength(before + 1);
	console.info(`${costs.length} events: the slowest took ${Math.max(...costs).toFixed(2)} ms in the app, all together ${costs.reduce((sum, one) => sum + one, 0).toFixed(1)} ms.`);
});

test.skipIf(!existsSync(LODGE))("a vault of 773 notes is searched, read and changed (needs the development data beside this checkout)", async () => {
	const [{ vault }, far, app] = await opened(true, LODGE);
	await app.page.locator(".vaultside-status-bar:is([data-state=ready], [data-state=indexing])").waitFor();
	const names = (await readdir(vault, { recursive: true })).filter((path) => path.endsWith(".md") && !path.startsWith("."));
	const titles = names.map((path) => path.split("/").at(-1)?.replace(/\.md$/, "") ?? "");
	const once = titles.filter((title) => titles.indexOf(title) === titles.lastIndexOf(title)).sort((one, other) => other.length - one.length);
	const foreign = once.find((title) => /[^\u0000-\u024f\u2000-\u206f]/u.test(title));
	const [longest = ""] = once;
	await app.run("search");
	for (const title of [longest, foreign, once[Math.floor(once.length / 2)]]) {
		if (title === undefined) continue;
		await app.page.getByRole("combobox").fill(title);
		await app.page.locator(".vaultside-hit-title").first().and(app.page.getByText(title, { exact: true })).waitFor();
		await app.page.locator(".vaultside-say", { hasText: /\d ms(?! …)/ }).waitFor();
		await uncut(app);
	}
	const note = names.find((path) => path.endsWith(`${longest}.md`)) ?? "";
	await app.page.evaluate(async (path) => {
		const file = window.app.vault.getFileByPath(path);
		if (file !== null) await window.app.workspace.getLeaf(false).openFile(file);
	}, note);
	for (const [pane, shown] of [["related", ".vaultside-hit"], ["status", ".vaultside-pane"], ["changes", ".vaultside-empty"]] as const) {
		await app.run(pane);
		await app.page.locator(`${shown}:visible`).first().waitFor();
		await uncut(app);
	}
	const disk = (): Promise<string> => readFile(join(vault, note), "utf8");
	const text = await disk();
	const quill = await paired(far, "Quill");
	await quill("edit_note", { path: note, edits: [{ op: "append", text: "Proposed by Quill.\n" }], reason: "To be accepted." });
	const row = app.page.locator(".vaultside-change", { hasText: "To be accepted." });
	await row.locator("summary").click();
	await row.getByRole("button", { name: "Accept", exact: true }).click();
	await expect.poll(disk).toContain("Proposed by Quill.");
	await expect.poll(() => app.page.locator(".vaultside-came").allInnerTexts()).toEqual(["Proposed by Quill."]);
	await uncut(app);
	await row.getByRole("button", { name: "Undo", exact: true }).click();
	await expect.poll(disk).toBe(text);
}, 600_000);
