import { readdir, readFile } from "node:fs/promises";
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

const pane = (): Locator => obsidian.page.locator(".vaultside-pane:has(.vaultside-tidy)");
const says = (): Locator => pane().locator(".vaultside-say");
const row = (text: string): Locator => pane().getByRole("listitem").filter({ hasText: text });
const notes = (): Promise<string[]> => Promise.all(Object.keys(NOTES).map((path) => readFile(join(home.vault, path), "utf8")));

const plan = (): Promise<string> => readFile(join(home.vault, "Agents/Tidy/Plan.md"), "utf8");
const check = (name: string): Locator => pane().locator("details", { has: obsidian.page.locator("summary", { hasText: new RegExp(`^${name} \\(\\d+\\)$`) }) });

/** Show the pane, which says at once how much each check finds. */
async function shown(): Promise<void> {
	await open();
	await obsidian.state("ready");
	await obsidian.run("tidy");
	await check("Tags").waitFor();
}

/** Make a plan, unfold the checks that are looked at here, and have the app see the note. */
async function look(): Promise<void> {
	await shown();
	await pane().getByRole("button", { name: "Make a plan" }).click();
	await says().filter({ hasText: /findings\. Tick what is right/ }).waitFor();
	for (const name of ["Tags", "Missing links"]) await check(name).locator("summary").click();
	await obsidian.page.evaluate(() => window.app.vault.read__());
}

/** Press a button of a finding, which is there while the pointer is. */
async function press(finding: Locator, name: string | RegExp): Promise<void> {
	// Where the list is drawn anew meanwhile, the row under the pointer is another one.
	await expect.poll(async () => {
		await finding.hover();
		return finding.getByRole("button", { name }).click({ timeout: 5_000 }).then(() => true, () => false);
	}).toBe(true);
}

test("a plan is made, reviewed, applied and undone", async () => {
	await look();
	const tag = row("Rename the tag Tiling");
	expect(await plan()).not.toContain("- [x]");
	await picture(obsidian, "tidy", false);
	const all = pane().getByRole("checkbox", { name: "All of Missing links" });
	await all.check();
	await says().filter({ hasText: /^4 of/ }).waitFor();
	await all.uncheck();
	await says().filter({ hasText: /^\d+ findings\. Tick/ }).waitFor();
	expect(await pane().getByRole("button", { name: "Apply what is ticked…" }).count()).toBe(0);
	await tag.getByRole("checkbox").check();
	await says().filter({ hasText: /^1 of/ }).waitFor();
	expect((await plan()).match(/^- \[x\]/gm)).toHaveLength(1);
	const before = await notes();
	await pane().getByRole("button", { name: "Apply what is ticked…" }).click();
	await obsidian.page.getByRole("dialog").getByText("Tags: 1.").waitFor();
	await obsidian.page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
	await obsidian.page.locator(".notice", { hasText: "Tags: 1." }).waitFor();
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
	await press(tag, /^What would change: Rename the tag/);
	await tag.locator("ins").first().waitFor();
	expect(await tag.locator(".vaultside-renamed").innerText()).toContain("Clay");
	expect(await tag.locator("del").allInnerTexts()).toEqual(["Tiling"]);
	await picture(obsidian, "tidy-look", false);
	await press(tag, /^What would change/);
	await expect.poll(() => tag.locator("ins").count()).toBe(0);
	expect(await notes()).toEqual(before);
});

test("the keyboard stays on what it ticked", async () => {
	await look();
	const box = row("Rename the tag Tiling").getByRole("checkbox");
	const hasFocus = (): Promise<boolean> => box.evaluate((el) => el === el.ownerDocument.activeElement);
	await box.press("Space");
	await says().filter({ hasText: /^1 of/ }).waitFor();
	expect(await hasFocus()).toBe(true);
	await box.press("Space");
	await says().filter({ hasText: /Tick what is right/ }).waitFor();
	expect(await hasFocus()).toBe(true);
	// What can be done with it is there for the keyboard, too.
	await obsidian.page.keyboard.press("Tab");
	expect(await obsidian.page.evaluate(() => document.activeElement?.textContent)).toBe("Open");
});

test("another value is written in place of the proposed one", async () => {
	await look();
	const tag = row("Rename the tag Tiling");
	await press(tag, /^Write another value/);
	const value = tag.getByRole("textbox", { name: "Value" });
	expect(await value.inputValue()).toBe("tiling");
	await value.fill("tiles");
	await picture(obsidian, "tidy-value", false);
	await value.press("Enter");
	await tag.filter({ hasText: "with “tiles” instead" }).waitFor();
	expect(await plan()).toMatch(/^- \[x\] Rename the tag `Tiling`.* · instead: tiles \^g\d+$/m);
	await pane().getByRole("button", { name: "Apply what is ticked…" }).click();
	await obsidian.page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
	await row("Rename the tag Tiling").getByText("Applied.").waitFor();
	expect((await notes()).join("").match(/#\w+/gi)).toEqual(["#tiles", "#tiles", "#tiles", "#tiles"]);
});

/** Tick a link in the plan's note, as another program may. */
async function tickElsewhere(): Promise<void> {
	await obsidian.page.evaluate(async () => {
		const { vault } = window.app;
		const file = vault.getMarkdownFiles().find(({ path }) => path.startsWith("Agents/Tidy/"));
		if (file !== undefined) await vault.process(file, (text) => text.replace("- [ ] In ", "- [x] In "));
	});
}

/** Have something else ticked, and wait until what shows it is drawn anew. */
async function redrawn(shows: Locator): Promise<void> {
	await shows.evaluate((el) => el.setAttribute("data-before", ""));
	await tickElsewhere();
	await expect.poll(() => shows.getAttribute("data-before")).toBe(null);
}

/** What is open in a row stays open when the row is drawn anew: what would change, and a value with what is typed, the focus and the cursor. */
async function staysOpen(tag: Locator): Promise<void> {
	await press(tag, /^What would change/);
	await expect.poll(() => tag.locator("ins").allInnerTexts()).toEqual(["tiling"]);
	await press(tag, /^Write another value/);
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
	await press(tag, /^What would change/);
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
	await tag.hover();
	await tag.getByRole("button", { name: /^What would change/ }).hover();
	await obsidian.page.mouse.down();
	const answered = new Set<string>();
	obsidian.node.meanwhile.answered = async (url) => void answered.add(url.split("/").at(-1) ?? "");
	await tickElsewhere();
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
	await press(tag, /^Write another value/);
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
	expect(await ticked()).toEqual([false]);
	await pane().getByRole("button", { name: "Always tick all of Missing links" }).click();
	const off = pane().getByRole("button", { name: "No longer tick all of Missing links" });
	await off.waitFor();
	expect(await pane().getByRole("checkbox", { name: "All of Missing links" }).isChecked()).toBe(true);
	expect(await ticked()).toEqual([true]);
	await off.click();
	// What is ticked stays so; only what is found from now on does not.
	await pane().getByRole("checkbox", { name: "All of Missing links" }).uncheck();
	await pane().getByRole("button", { name: "Always tick all of Missing links" }).waitFor();
	expect(await ticked()).toEqual([false]);
});

test("what is rejected is not proposed again", async () => {
	await look();
	const link = row("link “clay oven”");
	await link.getByRole("checkbox").check();
	await says().filter({ hasText: /^1 of/ }).waitFor();
	await press(link, /^Never/);
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
	await sign.press("Enter");
	await says().filter({ hasText: `${findings.length} findings. Tick` }).waitFor();
	await obsidian.page.evaluate(() => window.app.vault.read__());
	expect(await sign.isVisible()).toBe(false);
	// With the pane open, the next plan is shown there.
	await bridge.call("create_note", { path: "Inbox/Kiln.md", text: "# Kiln\n\n#Tiling of a kiln.\n", confirm: true });
	await bridge.call("wait_until_indexed", { path: "Inbox/Kiln.md", what: "links" });
	const next = await bridge.call<{ path: string; findings: unknown[] }>("plan_tidy", { checks: ["tags"], skip_checked: false });
	expect(next.findings.length).toBeLessThan(findings.length);
	await says().filter({ hasText: new RegExp(`^${next.findings.length} findings?\\. Tick`) }).waitFor();
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await pane().getByRole("button", { name: "Open the plan" }).click();
	await expect.poll(() => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path)).toBe(next.path);
	expect(await sign.isVisible()).toBe(false);
});

test("before there is a plan, what one would propose is counted and cannot be ticked", async () => {
	await shown();
	await says().filter({ hasText: "Make a plan to choose what is to be done." }).waitFor();
	await check("Tags").locator("summary").click();
	await row("Rename the tag Tiling").waitFor();
	expect(await pane().getByRole("checkbox").count()).toBe(0);
	await expect(readFile(join(home.vault, "Agents/Tidy/Plan.md"))).rejects.toThrow("ENOENT");
});

test("no second plan is made while one is", async () => {
	await shown();
	const make = pane().getByRole("button", { name: "Make a plan" });
	let asked = 0;
	obsidian.node.meanwhile.answered = async (url) => {
		if (url.endsWith("/plan_tidy")) asked += 1;
	};
	await make.evaluate((el) => {
		(el as HTMLButtonElement).click();
		(el as HTMLButtonElement).click();
	});
	await pane().getByRole("button", { name: "Open the plan" }).waitFor();
	expect(asked).toBe(1);
});

test("two notes that may be one can be merged the other way round", async () => {
	const text = "The loaf was baked in the cob oven after the second firing, with rye from the mill and a starter three days old. It kept for a week.\n";
	for (const name of ["First loaf", "First loaf 1"]) await bridge.call("create_note", { path: `Inbox/${name}.md`, text: `# ${name}\n\n${text}`, confirm: true });
	await bridge.call("wait_until_indexed", { path: "Inbox/First loaf 1.md", what: "links" });
	await look();
	await check("Duplicates").locator("summary").click();
	const pair = row("Merge First loaf");
	const merged = /^The other way round: Merge (.*) into (.*)$/.exec((await pair.locator("label").innerText()).replace(/^/, "The other way round: "));
	const [, one = "", other = ""] = merged ?? [];
	await press(pair, /^The other way round/);
	const dialog = obsidian.page.getByRole("dialog");
	await dialog.getByText(`Merge ${other} into ${one}`).waitFor();
	await dialog.getByRole("status").filter({ hasText: "files change." }).waitFor();
	await picture(obsidian, "tidy-merge", false);
	await dialog.getByRole("button", { name: "Merge", exact: true }).click();
	await obsidian.page.locator(".notice", { hasText: "is a part of" }).waitFor();
	expect((await readdir(join(home.vault, "Inbox"))).filter((name) => name.startsWith("First loaf"))).toEqual([`${one}.md`]);
});
