import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Bridge, Home, MODELS } from "./bridge";
import { picture } from "./picture";
import { paired, pairing } from "./programs";
import { AppWindow } from "./window";

let home: Home;
let bridge: Bridge | null;
let obsidian: AppWindow;

beforeEach(async () => {
	[home, bridge] = [await Home.make(false), null];
});
afterEach(async () => {
	const faults = await obsidian.close();
	await bridge?.stop();
	await home.remove();
	expect(faults).toEqual([]);
});

type Given = Partial<Parameters<typeof AppWindow.open>[0]>;

async function serve(): Promise<Bridge> {
	bridge = await Bridge.serve(home);
	await bridge.readable();
	return bridge;
}

async function opened(given: Given = {}): Promise<void> {
	obsidian = await AppWindow.open({ base: home.vault, home: home.path, ...given });
}

/** Show the settings, with everything that the bridge keeps. */
async function settings(given: Given = {}): Promise<Bridge> {
	const served = bridge ?? (await serve());
	await opened(given);
	await obsidian.state("ready");
	await show();
	await row("Hidden from every program").getByRole("button", { name: "Add to “Hidden from every program”" }).and(obsidian.page.locator(":enabled")).waitFor();
	return served;
}

const show = (): Promise<void> => obsidian.page.evaluate(() => window.plugin.tabs[0]?.show__());
const row = (name: string): Locator => obsidian.page.locator(".setting-item", { has: obsidian.page.locator(".setting-item-name").getByText(name, { exact: true }) });
const notice = (text: string | RegExp): Locator => obsidian.page.locator(".notice", { hasText: text });
const found = async (query: string): Promise<string[]> => {
	const { hits } = (await bridge?.call<{ hits: { path: string }[] }>("search", { query, mode: "keyword" })) ?? { hits: [] };
	return hits.map(({ path }) => path);
};

/** Add a rule by what is typed, and choose the folder that is offered for it. */
async function add(rule: string, text: string, folder?: string): Promise<void> {
	await obsidian.page.getByRole("button", { name: `Add to “${rule}”` }).click();
	await obsidian.page.getByRole("searchbox", { name: "Folder or pattern" }).fill(text);
	if (folder !== undefined) await obsidian.page.locator(".suggestion-item").getByText(folder, { exact: true }).click();
}

test("a folder that is left out is found no more, is counted, and is found again without the rule", async () => {
	await settings();
	expect(await found("frost dates")).toContain("Garden/Frost dates.md");
	await add("Not indexed", "gard", "Garden");
	await obsidian.page.getByText(/^Garden\/\*\* · \d+ notes: Garden\//).waitFor();
	await obsidian.page.getByRole("button", { name: "Add", exact: true }).click();
	await notice("Taken out of the index.").waitFor();
	await expect.poll(() => found("frost dates")).not.toContain("Garden/Frost dates.md");
	expect(await row("Garden/**").locator(".setting-item-description").innerText()).toMatch(/^\d+ notes: Garden\/.* more\.$/);
	await obsidian.page.getByRole("button", { name: "Remove Garden/**" }).click();
	await notice("Being read into the index.").waitFor();
	await expect.poll(() => found("frost dates")).toContain("Garden/Frost dates.md");
	await expect.poll(() => row("Garden/**").count()).toBe(0);
});

test("what is hidden seems missing at once, and a rule that cannot be understood is refused with the reason", async () => {
	const served = await settings();
	await add("Hidden from every program", "[a");
	await obsidian.page.locator(".modal .mod-warning", { hasText: "without its `]`" }).waitFor();
	expect(await obsidian.page.getByRole("button", { name: "Add", exact: true }).isEnabled()).toBe(false);
	await obsidian.page.getByRole("searchbox").fill("*frost dates*");
	await obsidian.page.getByText(/^\*frost dates\* · 1 note: Garden\/Frost dates\.md\.$/).waitFor();
	await obsidian.page.getByRole("searchbox").press("Enter");
	await notice("Hidden, and erased").waitFor();
	await expect(served.call("read_note", { path: "Garden/Frost dates.md" })).rejects.toThrow("note_not_found");
	expect(await readFile(join(home.data, "settings.toml"), "utf8")).toContain('deny = ["*frost dates*"]');
	await row("*frost dates*").getByText("1 note: Garden/Frost dates.md.").waitFor();
});

test("a program's changes wait until it is trusted, and it can be shut out", async () => {
	await serve();
	const quill = await paired(bridge as Bridge, "Quill");
	await settings();
	const edit = (): Promise<{ state: string }> => quill("edit_note", { path: "Welcome.md", edits: [{ op: "append", text: "By Quill.\n" }] });
	expect((await edit()).state).toBe("proposed");
	const choice = obsidian.page.getByLabel("Changes by Quill");
	expect(await choice.inputValue()).toBe("propose");
	await choice.selectOption("apply");
	await expect.poll(async () => (await edit()).state).toBe("applied");
	expect(await readFile(join(home.vault, "Welcome.md"), "utf8")).toContain("By Quill.");
	await obsidian.page.getByLabel("Changes by Quill").selectOption("propose");
	await expect.poll(async () => (await edit()).state).toBe("proposed");
	await obsidian.page.getByRole("button", { name: "Shut out Quill" }).click();
	await obsidian.page.getByRole("button", { name: "Shut out", exact: true }).click();
	await notice("Quill is shut out.").waitFor();
	await expect(edit()).rejects.toThrow("unauthorized");
	await row("No program is let in yet").waitFor();
});

test("a program is let in by the code that the settings show", async () => {
	const served = await settings();
	await obsidian.page.getByRole("button", { name: "Show a code" }).click();
	const code = obsidian.page.locator(".vaultside-code", { hasText: /^\d{6}$/ });
	await code.waitFor();
	const answer = await fetch(`${served.url}/api/pair`, { method: "POST", body: JSON.stringify({ code: await code.innerText(), client: "Pen" }) });
	expect(answer.status).toBe(200);
	await row("Pen").getByText("May read and write").waitFor();
});

test("strictness is heeded by the next change, and a number that cannot be is refused", async () => {
	const served = await settings();
	const write = (): Promise<unknown> => served.call("create_note", { path: "Open.md", text: "```\nnot closed\n", dry_run: true });
	expect(((await write()) as { warnings: string[] }).warnings.length).toBeGreaterThan(0);
	await obsidian.page.getByLabel("Changes that break a note").selectOption("strict");
	await expect.poll(() => write().then(() => "", String)).toContain("The note would be wrong afterwards");
	const files = obsidian.page.getByLabel("Ask before changing many files");
	await files.fill("0");
	await files.press("Tab");
	await row("Ask before changing many files").getByRole("alert").getByText("A whole number, at least 1.").waitFor();
	expect(await readFile(join(home.data, "settings.toml"), "utf8")).not.toContain("confirm_files");
});

test("a list is written a line each", async () => {
	await settings();
	const never = obsidian.page.getByLabel("Notes to leave alone");
	await never.fill("Archive/**\nOld, but kept/**\n");
	await never.press("Tab");
	await expect.poll(() => readFile(join(home.data, "settings.toml"), "utf8")).toContain('never = ["Archive/**", "Old, but kept/**"]');
});

test("without a bridge its settings say why they cannot be changed, and can be as soon as it is there", async () => {
	await opened();
	await obsidian.state("off");
	await show();
	const add = obsidian.page.getByRole("button", { name: "Add to “Not indexed”" });
	await obsidian.page.getByText("which is not connected").waitFor();
	expect(await add.isEnabled()).toBe(false);
	expect(await obsidian.page.getByLabel("Changes that break a note").isEnabled()).toBe(false);
	expect(obsidian.node.requests).toEqual([]);
	await obsidian.page.getByRole("button", { name: "Look again" }).waitFor();
	await serve();
	// It is looked for by itself, too.
	await obsidian.state("ready");
	await expect.poll(() => add.isEnabled()).toBe(true);
	await expect.poll(() => obsidian.page.getByText("Cannot be changed now").count()).toBe(0);
	await obsidian.page.getByRole("button", { name: "Look again" }).waitFor({ state: "hidden" });
});

test("what is changed elsewhere is shown, and a line that is not understood is told", async () => {
	await settings();
	await expect.poll(() => obsidian.page.getByLabel("Changes that break a note").inputValue()).toBe("warn");
	await writeFile(join(home.data, "settings.toml"), 'write_checks = "strict"\nconfirm_fles = 3\n');
	await expect.poll(() => obsidian.page.getByLabel("Changes that break a note").inputValue()).toBe("strict");
	await row("A line of the settings file was ignored").getByText("did you mean `confirm_files`?").waitFor();
});

test("a paired window sees the bridge's settings and may not change them", async () => {
	const served = await serve();
	await opened({ settings: { address: served.url }, secrets: { "vaultside-token": await pairing(served, "Obsidian plugin") } });
	await obsidian.state("ready");
	await show();
	await obsidian.page.getByText("let in by pairing").waitFor();
	await expect.poll(() => obsidian.page.getByLabel("Changes that break a note").inputValue()).toBe("warn");
	expect(await obsidian.page.getByLabel("Changes that break a note").isEnabled()).toBe(false);
	const asked = obsidian.node.requests.filter(({ url }) => url.endsWith("/read_settings")).map(({ body }) => body);
	expect(asked.filter((body) => body.includes('"clients":true') || body.includes('"globs"'))).toEqual([]);
	expect(asked.length).toBeGreaterThan(0);
});

test("another place of the bridge takes effect without a restart", async () => {
	await settings();
	await obsidian.page.getByLabel("Data folder").fill(join(home.path, "nowhere"));
	await obsidian.page.getByLabel("Data folder").press("Tab");
	await obsidian.state("off");
	await obsidian.page.getByLabel("Data folder").fill("");
	await obsidian.page.getByLabel("Data folder").press("Tab");
	await obsidian.state("ready");
});

test("the panes look as the settings say, at once", async () => {
	await settings();
	await obsidian.run("search");
	const pane = obsidian.page.locator(".vaultside-pane").first();
	await obsidian.page.getByLabel("Density").selectOption("compact");
	await expect.poll(() => pane.evaluate((el) => el.className)).toContain("is-compact");
	await obsidian.page.getByLabel("Show why", { exact: true }).uncheck();
	await expect.poll(() => pane.evaluate((el) => el.className)).toContain("is-without-why");
	await obsidian.page.getByLabel("Ribbon icons").uncheck();
	await expect.poll(() => obsidian.page.locator(".side-dock-ribbon-action").first().isVisible()).toBe(false);
	await obsidian.page.getByLabel("State in words").uncheck();
	await obsidian.page.locator(".vaultside-status-bar span:not(.status-bar-item-icon)").first().waitFor({ state: "hidden" });
	await obsidian.page.getByLabel("Notes at once").fill("5");
	await obsidian.page.evaluate(() => window.plugin.tabs[0]?.hide());
	await obsidian.page.getByRole("combobox", { name: "Search" }).fill("bread");
	await expect.poll(() => obsidian.page.locator(".vaultside-hit").count()).toBe(5);
});

test("panes that are open take up whether sections are followed, whether it is said why, and the graph's colours", async () => {
	await settings();
	await obsidian.page.evaluate(() => window.plugin.tabs[0]?.hide());
	await obsidian.run("related");
	await obsidian.run("graph");
	await obsidian.page.evaluate(async () => {
		const file = window.app.vault.getFileByPath("Welcome.md");
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	});
	await obsidian.page.locator(".vaultside-graph-dot").first().waitFor();
	await show();
	await obsidian.page.getByLabel("Graph colours").selectOption("type");
	await obsidian.page.getByLabel("Follow sections").uncheck();
	await obsidian.page.getByRole("checkbox", { name: "Show why" }).uncheck();
	await obsidian.page.evaluate(() => window.plugin.tabs[0]?.hide());
	await expect.poll(() => obsidian.page.locator(".vaultside-graph-group-name").allInnerTexts()).toContain("Notes");
	await obsidian.run("related");
	await obsidian.page.getByText("Related to the whole note").waitFor();
	expect(await obsidian.page.getByRole("button", { name: "Show why each note is here" }).getAttribute("aria-pressed")).toBe("false");
	expect(await obsidian.page.locator(".vaultside-hit-why:visible").count()).toBe(0);
});

/** A home whose notes are few, with the model under two names. */
async function twoModels(): Promise<Home> {
	const vault = await mkdtemp(join(tmpdir(), "vaultside-few-"));
	await mkdir(join(vault, ".obsidian"));
	for (const name of ["Rye", "Oats", "Spelt"]) await writeFile(join(vault, `${name}.md`), `# ${name}\n\nA grain for bread.\n`);
	const small = await Home.make(false, vault);
	await rm(vault, { recursive: true });
	const models = await small.linkModel();
	for (const name of await readdir(models)) {
		const twin = join(models, name.replace("all-minilm-l6-v2", "twin"));
		if (!name.endsWith(".json")) await symlink(join(MODELS, name), twin);
		else await writeFile(twin, (await readFile(join(MODELS, name), "utf8")).replaceAll("all-minilm-l6-v2", "twin").replaceAll("all-MiniLM-L6-v2", "The twin"));
	}
	return small;
}

test("another model that is here is used, and one that is not says what to type", async () => {
	await home.remove();
	home = await twoModels();
	const served = await serve();
	await served.settled();
	await settings();
	await row("all-MiniLM-L6-v2").getByText("in use").waitFor();
	await row("Multilingual E5 small").getByText("vaultside models install multilingual-e5-small").waitFor();
	expect(await row("Multilingual E5 small").innerText()).toContain("MIT");
	await obsidian.page.getByRole("button", { name: "Use The twin" }).click();
	await row("The twin").getByText("in use").waitFor();
	// The one before answers until the other has embedded everything.
	const answering = async (): Promise<string | undefined> => (await served.call<{ vaults: { model: { id: string } }[] }>("status")).vaults[0]?.model.id;
	await expect.poll(answering).toBe("twin");
	await expect.poll(() => row("Search by meaning").innerText()).toContain("Every passage can be found by meaning.");
});

test("how far the index is stays as it was read last, though everything was asked before and is answered after that", async () => {
	await home.remove();
	home = await twoModels();
	const served = await serve();
	await served.settled();
	await settings();
	await served.call("pause_indexing");
	await served.call("create_note", { path: "Barley.md", text: "# Barley\n\nA grain for soup.\n" });
	await row("Search by meaning").getByText("Embedding is paused.").waitFor();
	let release = (): void => {};
	const held = new Promise<void>((resolve) => (release = resolve));
	const asked = new Promise<void>((resolve) => {
		obsidian.node.meanwhile.answered = async (url, body) => {
			if (!url.endsWith("/read_settings") || !body.includes('"globs"')) return;
			resolve();
			await held;
		};
	});
	await writeFile(join(home.data, "settings.toml"), 'exclude = ["Garden/**"]\n');
	await asked;
	await served.call("resume_indexing");
	await row("Search by meaning").getByText("Every passage can be found by meaning.").waitFor();
	release();
	await row("Garden/**").waitFor();
	expect(await row("Search by meaning").innerText()).toContain("Every passage can be found by meaning.");
});

test("how far the index is is told although the settings were drawn anew before it was asked", async () => {
	await home.remove();
	home = await twoModels();
	await (await serve()).settled();
	await settings();
	let release = (): void => {};
	const held = new Promise<void>((resolve) => (release = resolve));
	obsidian.node.meanwhile.answered = async (url, body) => {
		if (url.endsWith("/read_settings") && body.includes('"globs"')) await held;
	};
	const embedded = obsidian.page.evaluate(
		() =>
			new Promise<void>((resolve) => {
				const { events } = window.plugin as unknown as { events: { add: (hear: (event: { kind: string; pending: { vectors: number } }) => void) => void } };
				events.add(({ kind, pending }) => kind === "index_progress" && pending.vectors === 0 && resolve());
			}),
	);
	await obsidian.page.getByRole("button", { name: "Use The twin" }).click();
	await embedded;
	release();
	await row("The twin").getByText("in use").waitFor();
	await row("Search by meaning").getByText("Every passage can be found by meaning.").waitFor();
});

test("nothing of the settings is cut off, in light and in dark", async () => {
	await serve();
	await paired(bridge as Bridge, "Quill");
	await paired(bridge as Bridge, "An agent with quite a long name for the list of clients");
	await bridge?.call("status");
	await writeFile(join(home.data, "settings.toml"), 'deny = ["Private/**"]\nexclude = ["Garden/**", "مسودات/**"]\nreadonly = ["Templates/**"]\napply_clients = ["Quill"]\n');
	for (const dark of [false, true]) {
		if (dark) await obsidian.close();
		await settings({ dark });
		await row("Garden/**").waitFor();
		const tab = obsidian.page.locator(".vertical-tab-content");
		await picture(obsidian, "settings", dark);
		for (const heading of ["Privacy", "Model", "Chat model", "Agents"]) {
			await tab.locator(".setting-item-heading", { hasText: new RegExp(`^${heading}$`) }).evaluate((el) => el.scrollIntoView({ block: "start" }));
			await picture(obsidian, `settings-${heading.toLowerCase().replace(" ", "-")}`, dark);
		}
		await add("Not indexed", "Bread");
		await obsidian.page.getByText(/^Bread\/\*\* · \d+ notes/).waitFor();
		await picture(obsidian, "settings-rule", dark);
		await obsidian.page.keyboard.press("Escape");
	}
});
