import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { type Given, bridge, home, obsidian, oneBridge, open, serve } from "./stage";

const STARTER = "Bread/Starters/Sourdough starter.md";
const LOG = "Ferments/Ferment log.md";

oneBridge(true);

/** Open the pane beside a note. */
async function beside(path: string, given: Given = {}): Promise<void> {
	await open(given);
	await obsidian.state("ready");
	await obsidian.run("related");
	if (path !== "") await read(path);
}

async function read(path: string): Promise<void> {
	await obsidian.page.evaluate(async (name) => {
		const file = window.app.vault.getFileByPath(name);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, path);
}

/** Put a note on the disk, and wait until the bridge knows it. */
async function write(path: string, text: string): Promise<void> {
	await writeFile(join(home.vault, path), text);
	await bridge.call("report_changes", { changes: [{ kind: "upsert", path }] });
	await bridge.call("wait_until_indexed", { path, what: "links" });
}

const disk = (path: string): Promise<string> => readFile(join(home.vault, path), "utf8");
const part = (name: string): Locator => obsidian.page.getByRole("listbox", { name, exact: true });
const titles = (name: string): Promise<string[]> => part(name).locator(".vaultside-hit-title").allTextContents();
const head = (): Promise<string> => obsidian.page.locator(".vaultside-head-title").innerText();
const scope = (): Promise<string> => obsidian.page.locator(".vaultside-scope").innerText();
const button = (name: string | RegExp): Locator => obsidian.page.getByRole("button", { name, exact: typeof name === "string" });
const fold = (name: string): Locator => obsidian.page.locator("summary", { hasText: name });
const missing = (text: string): Locator => obsidian.page.getByRole("listitem").filter({ hasText: text });

/** What was asked about related notes. */
function asked(): { path: string; line?: number }[] {
	return obsidian.node.requests.filter(({ url }) => url.endsWith("/related_notes")).map(({ body }) => JSON.parse(body) as { path: string; line?: number });
}

/** Click into a line of the note that is open. */
async function click(text: string): Promise<void> {
	await obsidian.page.locator(".cm-line", { hasText: text }).first().click();
}

test("they follow the active note, tell linked from unlinked, and stay when pinned", async () => {
	await beside("");
	await obsidian.page.getByText("No note is open").waitFor();
	await read(STARTER);
	await expect.poll(() => titles("Not linked yet")).not.toEqual([]);
	const { links, backlinks } = await bridge.call<Record<"links" | "backlinks", { path: string }[]>>("note_links", { path: STARTER });
	const names = new Set([...links, ...backlinks].map(({ path }) => path.split("/").pop()?.replace(/\.md$/, "")));
	expect((await titles("Linked")).every((title) => names.has(title))).toBe(true);
	expect((await titles("Not linked yet")).some((title) => names.has(title))).toBe(false);
	await button(/^Pin/).click();
	await read("Welcome.md");
	expect(await head()).toBe("Sourdough starter");
	await write(STARTER, `${await disk(STARTER)}\nMore.\n`);
	await expect.poll(() => asked().filter(({ path }) => path === STARTER).length).toBeGreaterThan(1);
	expect(await head()).toBe("Sourdough starter");
	expect(asked().filter(({ path }) => path === "Welcome.md")).toEqual([]);
	await button(/^Pin/).click();
	await expect.poll(head).toBe("Welcome");
});

test("they follow the section that the cursor is in, and ask once for each", async () => {
	await beside(STARTER);
	await click("Wild yeasts");
	await expect.poll(scope).toContain("Related to § What lives in there");
	await expect.poll(() => asked().at(-1)).toMatchObject({ path: STARTER, line: 19 });
	const count = asked().length;
	await click("What lives in there");
	await click("Equal weights");
	await expect.poll(scope).toContain("Related to § Sourdough starter");
	await expect.poll(() => asked().length).toBe(count + 1);
	await button("Whole note").click();
	await expect.poll(scope).toContain("Related to the whole note");
	await click("Forgotten at the back");
	expect(JSON.parse(await obsidian.page.evaluate(() => window.app.stored))).toMatchObject({ followSection: false });
	await button("Follow sections").click();
	await expect.poll(scope).toContain("Related to § Feeding");
	await expect.poll(() => asked().slice(count + 1).map(({ line }) => line)).toEqual([undefined, 43]);
});

test("paused, they ask for nothing and keep what is shown", async () => {
	await beside(STARTER);
	await expect.poll(() => titles("Not linked yet")).not.toEqual([]);
	const before = await titles("Not linked yet");
	await button(/^Pause/).click();
	await obsidian.page.getByText("Paused.").waitFor();
	const count = asked().length;
	await read("Welcome.md");
	await write(STARTER, `${await disk(STARTER)}\nStill more.\n`);
	expect([await head(), await titles("Not linked yet")]).toEqual(["Sourdough starter", before]);
	await button(/^Pause/).click();
	await expect.poll(head).toBe("Welcome");
	await expect.poll(() => asked().slice(count).map(({ path }) => path)).toEqual(["Welcome.md"]);
});

test("nothing jumps while somebody is in the pane", async () => {
	await beside(STARTER);
	await expect.poll(() => titles("Not linked yet")).not.toEqual([]);
	const first = part("Not linked yet");
	await first.focus();
	await obsidian.page.evaluate(async () => {
		const file = window.app.vault.getFileByPath("Welcome.md");
		if (file !== null) await window.app.workspace.getLeaf().openFile(file, { active: false });
	});
	await obsidian.page.getByText("Updates resume when you leave this list.").waitFor();
	expect(await head()).toBe("Sourdough starter");
	await first.blur();
	await expect.poll(head).toBe("Welcome");
});

test("behind another pane they ask for nothing until they are in front again", async () => {
	await beside(STARTER);
	await expect.poll(() => titles("Not linked yet")).not.toEqual([]);
	const count = asked().length;
	await obsidian.run("search");
	await obsidian.page.getByRole("combobox").waitFor();
	await read("Index.md");
	await read("Welcome.md");
	await obsidian.run("related");
	await expect.poll(head).toBe("Welcome");
	await expect.poll(() => asked().slice(count).map(({ path }) => path)).toEqual(["Welcome.md"]);
});

test("a file can be shown that is not the active one", async () => {
	await beside("Welcome.md");
	await expect.poll(head).toBe("Welcome");
	await obsidian.page.evaluate(async (path) => {
		const file = window.app.vault.getFileByPath(path);
		await (window.plugin as unknown as { showRelated: (file: unknown) => Promise<void> }).showRelated(file);
	}, STARTER);
	await expect.poll(head).toBe("Sourdough starter");
	expect(await button(/^Pin/).getAttribute("aria-pressed")).toBe("true");
});

test("a note can be hidden beside one note, and shown again", async () => {
	await beside(STARTER);
	await expect.poll(() => titles("Not linked yet")).not.toEqual([]);
	const [first = ""] = await titles("Not linked yet");
	await part("Not linked yet").locator(".vaultside-hit", { hasText: first }).first().click({ button: "right" });
	await obsidian.page.getByRole("menuitem", { name: "Hide beside this note" }).click();
	await expect.poll(() => titles("Not linked yet")).not.toContain(first);
	await expect.poll(() => obsidian.page.evaluate(() => window.app.stored)).toContain(STARTER);
	await fold("Hidden here (1)").click();
	await button(`Show ${first} again`).click();
	await expect.poll(() => titles("Not linked yet")).toContain(first);
	expect(await fold("Hidden here").isVisible()).toBe(false);
});

test("why a note is here can be shown and put away", async () => {
	await beside(STARTER);
	const why = part("Not linked yet").locator(".vaultside-hit-why").first();
	await why.waitFor();
	expect(await why.innerText()).toMatch(/says|close in meaning/);
	await button("Show why each note is here").click();
	await expect.poll(() => why.isVisible()).toBe(false);
	expect(JSON.parse(await obsidian.page.evaluate(() => window.app.stored))).toMatchObject({ showWhy: false });
});

test("the keyboard goes through both lists, opens a note in a tab, and has its menu", async () => {
	await beside(STARTER);
	await expect.poll(() => titles("Linked")).not.toEqual([]);
	const [unlinked, linked] = [part("Not linked yet"), part("Linked")];
	await button(/^Pause/).focus();
	await obsidian.page.keyboard.press("Tab");
	while (!(await unlinked.evaluate((el) => el === document.activeElement))) await obsidian.page.keyboard.press("Tab");
	const count = (await titles("Not linked yet")).length;
	for (let at = 1; at < count; at++) await obsidian.page.keyboard.press("ArrowDown");
	const last = await unlinked.getAttribute("aria-activedescendant");
	expect(await obsidian.page.locator(`[id="${last}"] .vaultside-hit-title`).innerText()).toBe((await titles("Not linked yet")).at(-1));
	await obsidian.page.keyboard.press("ArrowDown");
	expect(await linked.evaluate((el) => el === document.activeElement)).toBe(true);
	expect(await obsidian.page.locator(".vaultside-hit.is-selected .vaultside-hit-title").allInnerTexts()).toEqual([(await titles("Linked"))[0]]);
	await obsidian.page.keyboard.press("ContextMenu");
	await obsidian.page.getByRole("menuitem", { name: "Hide beside this note" }).waitFor();
	await obsidian.page.keyboard.press("Control+Enter");
	await expect.poll(() => obsidian.page.evaluate(() => window.app.workspace.getLeavesOfType("markdown").length)).toBe(2);
});

test("a suggested link is made in the note, down to the bytes, and undone", async () => {
	await write("Seeds.md", "# Seeds\n\nThe broad beans and the Garlic came up.\n");
	await beside("Seeds.md");
	const before = await disk("Seeds.md");
	await fold("Suggested links").click();
	await button("Link “Garlic” to Garlic").click();
	await expect.poll(() => disk("Seeds.md")).toBe(before.replace("Garlic", "[[Garlic]]"));
	await obsidian.page.locator(".notice", { hasText: "“Garlic” links to Garlic." }).waitFor();
	await expect.poll(() => button("Link “Garlic” to Garlic").count()).toBe(0);
	await button("Undo").click();
	await expect.poll(() => disk("Seeds.md")).toBe(before);
	await button("Link “Garlic” to Garlic").waitFor();
});

test("of all suggested links one can be left out, and the others are one change", async () => {
	await write("Beds.md", "# Beds\n\n🌱 Pumpkins stand beside Broad beans.\n\nTomatoes wait for the Polytunnel and for Garlic.\n");
	await beside("Beds.md");
	await fold("Suggested links").click();
	await button("Review all…").click();
	const dialog = obsidian.page.getByRole("dialog");
	await dialog.getByRole("checkbox").first().waitFor();
	const count = await dialog.getByRole("checkbox").count();
	expect(count).toBeGreaterThan(2);
	expect(await dialog.locator("del").allInnerTexts()).toContain("Pumpkins");
	expect(await dialog.locator("ins").allInnerTexts()).toContain("[[Pumpkins]]");
	await dialog.getByRole("checkbox", { name: /to Garlic/ }).uncheck();
	await dialog.getByRole("button", { name: `Make ${count - 1} links` }).click();
	await expect.poll(() => disk("Beds.md")).toContain("[[Pumpkins]] stand beside [[Broad beans]].");
	expect(await disk("Beds.md")).toContain("for Garlic.");
	// The window writes first, and then tells the bridge that it did.
	await expect.poll(() => bridge.call("list_changes", { limit: 1 })).toMatchObject({ changes: [{ operation: "apply_links", paths: ["Beds.md"] }] });
	await expect.poll(() => fold("Suggested links (1)").count()).toBe(1);
});

test("what is typed and not saved yet is saved before a link is made of it, and nothing of it is lost", async () => {
	await write("Typed.md", "# Typed\n\nThe Garlic came up.\n");
	await beside("Typed.md");
	await fold("Suggested links").click();
	await button("Link “Garlic” to Garlic").waitFor();
	await click("The Garlic came up.");
	await obsidian.page.keyboard.press("Home");
	await obsidian.page.keyboard.type("Late, but still: ");
	await button("Link “Garlic” to Garlic").click();
	await expect.poll(() => disk("Typed.md")).toBe("# Typed\n\nLate, but still: The [[Garlic]] came up.\n");
});

test("what was dismissed is never suggested there again, by a bridge that was restarted either", async () => {
	await write("Plot.md", "# Plot\n\nThe Garlic came up beside the Pumpkins.\n");
	await beside("Plot.md");
	await fold("Suggested links").click();
	await button("Do not suggest to link “Garlic” to Garlic here").click();
	await expect.poll(() => button("Link “Garlic” to Garlic").count()).toBe(0);
	await button("Undo").click();
	await button("Do not suggest to link “Garlic” to Garlic here").click();
	await expect.poll(() => button("Link “Garlic” to Garlic").count()).toBe(0);
	await bridge.stop();
	await serve();
	await expect.poll(() => obsidian.node.requests.some(({ url }) => url === `${bridge.url}/api/suggest_links`)).toBe(true);
	await button("Link “Pumpkins” to Pumpkins").waitFor();
	expect(await button("Link “Garlic” to Garlic").count()).toBe(0);
});

test("a note that only says the name is linked there after it was shown", async () => {
	await write("Heard.md", "# Heard\n\nFirst a word.\n\nThen the Kitab al-Filaha, they say.\n");
	await beside("Reading/Kitab al-Filaha.md");
	await fold("Mentioned without a link").click();
	await missing("Heard").getByRole("button", { name: "Link “Kitab al-Filaha” in Heard" }).click();
	const dialog = obsidian.page.getByRole("dialog");
	await dialog.getByRole("checkbox").waitFor();
	expect(await dialog.locator("ins").allInnerTexts()).toEqual(["[[Kitab al-Filaha]]"]);
	expect(await disk("Heard.md")).not.toContain("[[");
	await dialog.getByRole("button", { name: "Make 1 link" }).click();
	await expect.poll(() => disk("Heard.md")).toBe("# Heard\n\nFirst a word.\n\nThen the [[Kitab al-Filaha]], they say.\n");
	await expect.poll(() => missing("Heard").count()).toBe(0);
});

/** Each picture: what is done to come to it. */
const PICTURES: Readonly<Record<string, (given: Given) => Promise<void>>> = {
	related: async (given) => {
		await beside(STARTER, given);
		await click("Rye works best");
		await expect.poll(scope).toContain("§");
		await expect.poll(() => titles("Not linked yet")).not.toEqual([]);
	},
	"related-suggested": async (given) => {
		await beside(LOG, given);
		await fold("Suggested links").click();
		await missing("→").first().waitFor();
	},
	"related-preview": async (given) => {
		await beside(LOG, given);
		await fold("Suggested links").click();
		await button("Review all…").click();
		await obsidian.page.getByRole("dialog").getByRole("checkbox").first().waitFor();
	},
	"related-mentioned": async (given) => {
		await beside("Garden/Plants/Pumpkins.md", { ...given, settings: { showWhy: false, hidden: { "Garden/Plants/Pumpkins.md": ["Garden/Plants/Tomatoes.md", "Bread/Recipes/馒头.md"] } } });
		await fold("Mentioned without a link").click();
		await missing("Pumpkins").first().waitFor();
		await fold("Hidden here (2)").waitFor();
		await button(/^Pause/).click();
	},
	"related-narrow": async (given) => {
		await beside("", given);
		await obsidian.page.addStyleTag({ content: ".workspace-split.mod-sidedock { width: 240px }" });
		await read("Names.md");
		await fold("Suggested links").click();
		await missing("→").first().waitFor();
		await button(/^Pin/).click();
	},
};

test.each(Object.keys(PICTURES))("nothing of %s is cut off, in light and in dark", async (name) => {
	await write("خبز عربي طويل جدا في اسمه.md", "# خبز\n\nالخبز العربي من طحين وماء وملح.\n");
	await write("A name that is far too long for a narrow pane and goes on and on.md", "# Long\n\nBread, and nothing but bread.\n");
	await write("Names.md", "# Names\n\n面包和馒头 beside 馒头 again. الخبز العربي لذيذ. A name that is far too long for a narrow pane and goes on and on is here.\n");
	for (const dark of [false, true]) {
		if (dark) await obsidian.close();
		await PICTURES[name]?.({ dark });
		await picture(obsidian, name, dark);
	}
});
