import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { bridge, home, obsidian, open, vaultForEach } from "./stage";

const NOTES: Readonly<Record<string, string>> = {
	"Inbox/Firing.md": "# Firing\n\nIn the evening.\n",
	"Inbox/Clay.md": "# Clay\n\n#Tiling and clay. See [[Firing]].\n",
	"Inbox/Tiles.md": "# Tiles\n\n#tiling, #tiling/floor and [[Clay]].\n",
	"Inbox/Floor.md": "# Floor\n\nA floor of tiles, #tiling. See [[Tiles]].\n",
};

vaultForEach({
	after: async () => {
		for (const [path, text] of Object.entries(NOTES)) await bridge.call("create_note", { path, text, confirm: true });
		await bridge.call("wait_until_indexed", { path: "Inbox/Floor.md", what: "links" });
	},
});

const pane = (): Locator => obsidian.page.locator(".vaultside-pane:has(.vaultside-garden)");
const says = (): Locator => pane().locator(".vaultside-say");
const row = (text: string): Locator => pane().getByRole("listitem").filter({ hasText: text });
const notes = (): Promise<string[]> => Promise.all(Object.keys(NOTES).map((path) => readFile(join(home.vault, path), "utf8")));

async function plan(): Promise<string> {
	const [name] = await readdir(join(home.vault, "Agents/Tidy"));
	return readFile(join(home.vault, "Agents/Tidy", name ?? ""), "utf8");
}

/** Have the gardener look, and the app see the note. */
async function look(): Promise<void> {
	await open();
	await obsidian.state("ready");
	await obsidian.run("garden");
	await says().filter({ hasText: "Nothing is changed before you apply it." }).waitFor();
	await pane().getByRole("button", { name: "Look for what to tidy" }).click();
	await pane().getByRole("listitem").first().waitFor();
	await obsidian.page.evaluate(() => window.app.vault.read__());
}

test("a plan is made, reviewed, applied and undone", async () => {
	await look();
	const tag = row("Rename the tag Tiling");
	await picture(obsidian, "garden", false);
	const all = (check: string): Locator => pane().getByRole("checkbox", { name: `All of ${check}` });
	await all("Missing links").check();
	await says().filter({ hasText: /^8 of/ }).waitFor();
	await all("Missing links").uncheck();
	await says().filter({ hasText: /^1 of/ }).waitFor();
	await tag.getByRole("checkbox").uncheck();
	await says().filter({ hasText: /^0 of/ }).waitFor();
	await tag.getByRole("checkbox").check();
	await says().filter({ hasText: /^1 of/ }).waitFor();
	expect((await plan()).match(/^- \[x\]/gm)).toHaveLength(1);
	const before = await notes();
	await pane().getByRole("button", { name: "Apply what is ticked…" }).click();
	await obsidian.page.getByRole("dialog").getByText("Tags: 1 in").waitFor();
	await obsidian.page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
	await obsidian.page.locator(".notice", { hasText: "Tags: 1 in" }).waitFor();
	await expect.poll(async () => (await notes()).join("").match(/#Tiling/g)).toBe(null);
	await row("Rename the tag Tiling").getByText("Applied.").waitFor();
	await obsidian.page.getByRole("button", { name: "Undo" }).click();
	await obsidian.page.locator(".notice", { hasText: "Undone." }).waitFor();
	expect(await notes()).toEqual(before);
});

test("what a finding would change is shown in its row, and hidden again", async () => {
	await look();
	const tag = row("Rename the tag Tiling");
	const before = await notes();
	await tag.getByRole("button", { name: /^What would change: Rename the tag/ }).click();
	await tag.locator("ins").first().waitFor();
	expect(await tag.locator(".vaultside-renamed").innerText()).toContain("Clay");
	expect(await tag.locator("del").allInnerTexts()).toEqual(["Tiling"]);
	await picture(obsidian, "garden-look", false);
	await tag.getByRole("button", { name: /^What would change/ }).click();
	await expect.poll(() => tag.locator("ins").count()).toBe(0);
	expect(await notes()).toEqual(before);
});

test("the keyboard stays on what it ticked", async () => {
	await look();
	const box = row("Rename the tag Tiling").getByRole("checkbox");
	const hasFocus = (): Promise<boolean> => box.evaluate((el) => el === el.ownerDocument.activeElement);
	const ticked = async (): Promise<number> => parseInt(await says().innerText());
	const before = await ticked();
	await box.press("Space");
	await expect.poll(ticked).toBe(before - 1);
	expect(await hasFocus()).toBe(true);
	await box.press("Space");
	await expect.poll(ticked).toBe(before);
	expect(await hasFocus()).toBe(true);
});

test("another value is written in place of the proposed one", async () => {
	await look();
	const tag = row("Rename the tag Tiling");
	await tag.getByRole("checkbox").uncheck();
	await says().filter({ hasText: /^1 of/ }).waitFor();
	expect(await plan()).toMatch(/^- \[ \] Rename the tag `Tiling`/m);
	await tag.getByRole("button", { name: /^Write another value/ }).click();
	const value = tag.getByRole("textbox", { name: "Value" });
	expect(await value.inputValue()).toBe("tiling");
	await value.fill("tiles");
	await picture(obsidian, "garden-value", false);
	await value.press("Enter");
	await tag.filter({ hasText: "with “tiles” instead" }).waitFor();
	expect(await plan()).toMatch(/^- \[x\] Rename the tag `Tiling`.* · instead: tiles \^g\d+$/m);
	await pane().getByRole("button", { name: "Apply what is ticked…" }).click();
	await obsidian.page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
	await row("Rename the tag Tiling").getByText("Applied.").waitFor();
	expect((await notes()).join("").match(/#\w+/gi)).toEqual(["#tiles", "#tiles", "#tiles", "#tiles"]);
});

/** Untick the tag in the plan's note. */
async function untick(): Promise<void> {
	await obsidian.page.evaluate(async () => {
		const { vault } = window.app;
		const file = vault.getMarkdownFiles().find(({ path }) => path.startsWith("Agents/Tidy/"));
		if (file !== undefined) await vault.process(file, (text) => text.replace("- [x] Rename the tag `Tiling`", "- [ ] Rename the tag `Tiling`"));
	});
}

/** Untick the tag, and wait until what shows it is drawn anew. */
async function redrawn(shows: Locator): Promise<void> {
	await shows.evaluate((el) => el.setAttribute("data-before", ""));
	await untick();
	await expect.poll(() => shows.getAttribute("data-before")).toBe(null);
}

/** What is open in a row stays open when the row is drawn anew: what would change, and a value with what is typed, the focus and the cursor. */
async function staysOpen(tag: Locator): Promise<void> {
	await tag.getByRole("button", { name: /^What would change/ }).click();
	await expect.poll(() => tag.locator("ins").allInnerTexts()).toEqual(["tiling"]);
	await tag.getByRole("button", { name: /^Write another value/ }).click();
	const value = tag.getByRole("textbox", { name: "Value" });
	await value.press("End");
	await obsidian.page.keyboard.type("-work");
	await obsidian.page.keyboard.press("ArrowLeft");
	await redrawn(tag);
	await value.waitFor();
	expect(await value.evaluate((el) => el === el.ownerDocument.activeElement)).toBe(true);
	expect(await tag.locator("ins").allInnerTexts()).toEqual(["tiling"]);
	await obsidian.page.keyboard.type("-");
	expect(await value.inputValue()).toBe("tiling-wor-k");
	expect(await plan()).not.toMatch(/ · instead: .* \^g\d/);
	await obsidian.page.keyboard.press("Enter");
	await expect.poll(plan).toMatch(/^- \[x\] Rename the tag `Tiling`.* · instead: tiling-wor-k \^g\d+$/m);
	await expect.poll(() => value.count()).toBe(0);
	await expect.poll(() => tag.locator("ins").allInnerTexts()).not.toEqual(["tiling"]);
	await tag.getByRole("button", { name: /^What would change/ }).click();
	await expect.poll(() => tag.locator("ins").count()).toBe(0);
}

test("what is open in a row stays open while the plan is drawn anew", async () => {
	await look();
	await staysOpen(row("Rename the tag Tiling"));
});

test("a press counts though the plan changes while something is being pressed", async () => {
	await look();
	const tag = row("Rename the tag Tiling");
	await tag.evaluate((el) => el.setAttribute("data-before", ""));
	await tag.getByRole("button", { name: /^What would change/ }).hover();
	await obsidian.page.mouse.down();
	const answered = new Set<string>();
	obsidian.node.meanwhile.answered = async (url) => void answered.add(url.split("/").at(-1) ?? "");
	await untick();
	await expect.poll(() => [...answered]).toEqual(expect.arrayContaining(["show_plan", "tidy_rules"]));
	await obsidian.settled();
	expect(await tag.getAttribute("data-before")).toBe("");
	await obsidian.page.mouse.up();
	await expect.poll(() => tag.getAttribute("data-before")).toBe(null);
	await expect.poll(() => tag.locator("ins").allInnerTexts()).toEqual(["tiling"]);
});

test("what is typed in a row stays there though the bridge is away meanwhile", async () => {
	await look();
	const tag = row("Rename the tag Tiling");
	await tag.getByRole("button", { name: /^Write another value/ }).click();
	const value = tag.getByRole("textbox", { name: "Value" });
	await value.fill("tiles");
	await obsidian.page.evaluate(() => (window.plugin as unknown as { link: { close: () => void } }).link.close());
	await obsidian.state("off");
	await value.waitFor({ state: "detached" });
	await obsidian.run("reconnect");
	await value.waitFor();
	expect(await value.inputValue()).toBe("tiles");
});

test("all that a check finds is ticked from now on, until that is taken back", async () => {
	await look();
	const ticked = async (): Promise<(boolean | undefined)[]> => {
		const { findings } = await bridge.call<{ findings: { check: string; ticked: boolean }[] }>("plan_tidy", { checks: ["missing_links"], skip_checked: false, dry_run: true });
		return [...new Set(findings.map((one) => one.ticked))];
	};
	expect(await ticked()).toContain(false);
	await pane().getByRole("button", { name: "Always tick all of Missing links" }).click();
	const off = pane().getByRole("button", { name: "No longer tick all of Missing links" });
	await off.waitFor();
	expect(await pane().getByRole("checkbox", { name: "All of Missing links" }).isChecked()).toBe(true);
	expect(await ticked()).toEqual([true]);
	await off.click();
	await pane().getByRole("button", { name: "Always tick all of Missing links" }).waitFor();
	expect(await ticked()).toContain(false);
});

test("what is rejected is not proposed again", async () => {
	await look();
	const link = row("link “clay oven”");
	await link.getByRole("button", { name: "Never" }).click();
	await expect.poll(() => link.getByRole("checkbox").isChecked()).toBe(false);
	const { findings } = await bridge.call<{ findings: { text: string }[] }>("plan_tidy", { skip_checked: false, dry_run: true });
	expect(findings.map(({ text }) => text).join("\n")).not.toContain("“clay oven”");
});

test("a plan that is made unasked is told until it is looked at", async () => {
	await open();
	await obsidian.state("ready");
	const sign = obsidian.page.locator(".vaultside-plan");
	expect(await sign.isVisible()).toBe(false);
	const { findings } = await bridge.call<{ findings: unknown[] }>("plan_tidy", {});
	await sign.waitFor();
	expect(await sign.innerText()).toBe(String(findings.length));
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await sign.press("Enter");
	await pane().getByRole("listitem").first().waitFor();
	expect(await pane().getByRole("listitem").count()).toBe(findings.length);
	expect(await sign.isVisible()).toBe(false);
	// With the pane open, the next plan is shown there.
	await bridge.call("create_note", { path: "Inbox/Kiln.md", text: "# Kiln\n\n#Tiling of a kiln.\n", confirm: true });
	await bridge.call("wait_until_indexed", { path: "Inbox/Kiln.md", what: "links" });
	const next = await bridge.call<{ path: string; findings: unknown[] }>("plan_tidy", { checks: ["tags"], skip_checked: false });
	expect(next.findings.length).toBeLessThan(findings.length);
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await expect.poll(() => pane().getByRole("listitem").count()).toBe(next.findings.length);
	await pane().getByRole("button", { name: "Open the plan" }).click();
	await expect.poll(() => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path)).toBe(next.path);
	expect(await sign.isVisible()).toBe(false);
});

const note = (): Locator => obsidian.page.locator(".markdown-preview-sizer");
const line = (text: string): Locator => note().locator("li.task-list-item").filter({ hasText: text });
const controls = (): Promise<number> => note().locator(".vaultside-plan").count();

/** Open the plan in the reading view. */
async function read(path: string): Promise<void> {
	await obsidian.page.evaluate(async (at) => {
		const { vault, workspace } = window.app;
		await vault.read__();
		const file = vault.getFileByPath(at);
		const leaf = workspace.getLeaf();
		if (file !== null) await leaf.openFile(file);
		await leaf.view?.setState({ mode: "preview" }, {});
	}, path);
}

/** Make a plan and read its note. */
async function readPlan(): Promise<string> {
	const { path } = await bridge.call<{ path: string }>("plan_tidy", { confirm: true });
	await open();
	await obsidian.state("ready");
	await read(path);
	await note().getByRole("button", { name: "Apply what is ticked…" }).waitFor();
	return path;
}

test("a plan is reviewed and applied inside of its note", async () => {
	await readPlan();
	const top = note().locator(".vaultside-plan").first();
	await top.getByText(/^2 of \d+ ticked\./).waitFor();
	await picture(obsidian, "garden-note", false);
	// Every finding has a card, each check a box for all, and the note a head.
	const findings = await note().locator("li.task-list-item").count();
	expect(await note().locator("li.task-list-item > .vaultside-plan").count()).toBe(findings);
	expect(await note().locator("h2").count()).toBe(await note().getByRole("checkbox", { name: /^All of/ }).count());
	await note().getByRole("checkbox", { name: "All of Missing links" }).check();
	await top.getByText(/^8 of/).waitFor();
	await note().getByRole("checkbox", { name: "All of Missing links" }).uncheck();
	await top.getByText(/^1 of/).waitFor();
	// The box of a finding is the app's own.
	const tag = line("Rename the tag Tiling");
	await tag.locator(".task-list-item-checkbox").click();
	await top.getByText(/^0 of/).waitFor();
	expect(await top.getByRole("button").count()).toBe(0);
	await tag.locator(".task-list-item-checkbox").click();
	await top.getByText(/^1 of/).waitFor();
	const before = await notes();
	await tag.getByRole("button", { name: /^What would change/ }).click();
	await tag.locator("ins").first().waitFor();
	await picture(obsidian, "garden-note-look", false);
	expect(await notes()).toEqual(before);
	await top.getByRole("button", { name: "Apply what is ticked…" }).click();
	await obsidian.page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
	await tag.getByText("Applied.").waitFor();
	expect((await notes()).join("").match(/#Tiling/g)).toBe(null);
	await obsidian.page.getByRole("button", { name: "Undo" }).click();
	await tag.getByRole("button", { name: /^What would change/ }).waitFor();
	expect(await notes()).toEqual(before);
});

test("inside of the note another value is written, a finding rejected, and a check always ticked", async () => {
	await readPlan();
	const tag = line("Rename the tag Tiling");
	await tag.getByRole("button", { name: /^Write another value/ }).click();
	const value = tag.getByRole("textbox", { name: "Value" });
	await value.fill("tiles");
	const always = note().getByRole("button", { name: "Always tick all of Missing links" });
	await always.evaluate((el) => el.setAttribute("data-before", ""));
	await value.press("Enter");
	await tag.getByText("instead: tiles").waitFor();
	expect(await plan()).toMatch(/^- \[x\] Rename the tag `Tiling`.* · instead: tiles \^g\d+$/m);
	await expect.poll(() => always.getAttribute("data-before")).toBe(null);
	await always.click();
	await note().getByRole("button", { name: "No longer tick all of Missing links" }).waitFor();
	await line("“clay oven”").getByRole("button", { name: "Never" }).click();
	await expect.poll(plan).toMatch(/^- \[ \] .*“clay oven”/m);
});

test("inside of the note, too, what is open stays open while its section is rendered again", async () => {
	await readPlan();
	await staysOpen(line("Rename the tag Tiling"));
});

test("a person's own lines get no card, and each card stays with its line", async () => {
	const path = await readPlan();
	await obsidian.page.evaluate(async (at) => {
		const file = window.app.vault.getFileByPath(at);
		const own = "- [ ] my own\n\t- [x] below it\n- [ ] Rename the tag";
		if (file !== null) await window.app.vault.process(file, (text) => text.replace(/^- \[x\] Rename the tag/m, own).replace("## Missing links", "## My links"));
	}, path);
	await line("my own").first().waitFor();
	const tag = line("Rename the tag Tiling");
	await tag.getByRole("button", { name: /^What would change: Rename the tag Tiling/ }).waitFor();
	expect(await note().locator("li:has-text('my own') .vaultside-plan").count()).toBe(0);
	expect(await note().getByRole("checkbox", { name: "All of Missing links" }).count()).toBe(0);
	expect(await note().getByRole("checkbox", { name: "All of Tags" }).count()).toBe(1);
});

test("a plan that was moved says why nothing can be done, and is as before when it is back", async () => {
	const path = await readPlan();
	const move = (from: string, to: string): Promise<void> =>
		obsidian.page.evaluate(async ([one, other]) => {
			const file = window.app.vault.getFileByPath(one);
			if (file !== null) await window.app.vault.rename(file, other);
		}, [from, to] as const);
	await move(path, "Plan.md");
	await note().getByText("is not among the plans").waitFor();
	expect(await note().getByRole("button").count()).toBe(0);
	await move("Plan.md", path);
	await note().getByRole("button", { name: "Apply what is ticked…" }).waitFor();
});

test("without the bridge the note is plain, and its cards are back with it", async () => {
	await readPlan();
	await obsidian.page.evaluate(() => (window.plugin as unknown as { link: { close: () => void } }).link.close());
	await expect.poll(controls).toBe(0);
	await line("Rename the tag Tiling").locator(".task-list-item-checkbox").click();
	await expect.poll(plan).toMatch(/^- \[ \] Rename the tag `Tiling`/m);
	expect(await controls()).toBe(0);
	await obsidian.run("reconnect");
	await note().getByRole("button", { name: "Apply what is ticked…" }).waitFor();
	await note().getByText(/^1 of \d+ ticked\./).waitFor();
});

test("a plan of another device says so, and other notes stay as they are", async () => {
	const path = await readPlan();
	const text = (await plan()).replace(/^plan: .*$/m, "plan: 0123456789abcdef");
	await writeFile(join(home.vault, "Agents/Tidy/Other.md"), text);
	await read("Agents/Tidy/Other.md");
	await note().getByText("is not a plan of the gardener that was made here").waitFor();
	expect(await note().getByRole("button").count()).toBe(0);
	await writeFile(join(home.vault, "Tasks.md"), text.replace("type: tidy-plan", "type: note"));
	await read("Tasks.md");
	expect(await controls()).toBe(0);
	await read(path);
	await note().getByRole("button", { name: "Apply what is ticked…" }).waitFor();
	const { processors } = await obsidian.unload();
	expect([processors, await controls()]).toEqual([0, 0]);
});
