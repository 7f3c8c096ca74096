import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { bridge, type Given, home, obsidian, oneBridge, open } from "./stage";

oneBridge(true);

async function opened(pane: string, given: Given = {}): Promise<void> {
	await open(given);
	await obsidian.state("ready");
	await obsidian.run(pane);
}

async function searching(query: string, given: Given = {}): Promise<void> {
	await opened("search", given);
	if (query !== "") await type(query);
}

async function read(path: string): Promise<void> {
	await obsidian.page.evaluate(async (name) => {
		const file = window.app.vault.getFileByPath(name);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, path);
}

async function type(query: string): Promise<void> {
	await obsidian.page.getByRole("combobox").fill(query);
	await obsidian.page.locator(".vaultside-say", { hasText: /\d ms(?! …)/ }).waitFor();
}

const titles = (): Promise<string[]> => obsidian.page.locator(".vaultside-hit-title").allTextContents();
const shown = (): Promise<string> => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path ?? "");

test("a question finds the passage, marks its words and says why", async () => {
	await searching("why does bread go hard in the fridge");
	const first = obsidian.page.locator(".vaultside-hit").first();
	expect(await first.locator(".vaultside-hit-title").innerText()).toBe("Staling");
	expect(await first.locator("mark").allInnerTexts()).toContain("bread");
	expect(await first.locator(".vaultside-hit-why").innerText()).toContain("close in meaning");
	expect(await first.locator(".vaultside-hit-place").innerText()).toContain("Bread/Science");
});

test("words are asked at each key, and meaning only of what stands there in the end", async () => {
	// Longer than it takes to press a key on a machine that is busy.
	await searching("", { settings: { patience: 2000 } });
	const field = obsidian.page.getByRole("combobox");
	await field.pressSequentially("retrogradation", { delay: 5 });
	await obsidian.page.getByText("words and meaning ·").waitFor();
	const bodies = obsidian.node.requests.filter(({ url }) => url.endsWith("/search")).map(({ body }) => JSON.parse(body) as { query: string; mode: string });
	expect(bodies[0]).toMatchObject({ query: "r", mode: "keyword" });
	expect(bodies.slice(-2).map(({ query, mode }) => [query, mode])).toEqual([
		["retrogradation", "keyword"],
		["retrogradation", "hybrid"],
	]);
	expect(bodies.filter(({ mode }) => mode === "hybrid")).toHaveLength(1);
});

test("a word that was read as another is searched as typed by one click", async () => {
	await searching("refirgerator");
	expect(await titles()).toContain("Staling");
	await obsidian.page.getByText("refirgerator is read as refrigerator").waitFor();
	await obsidian.page.getByRole("button", { name: "Search for refirgerator as typed" }).click();
	await obsidian.page.getByText("Nothing found").waitFor();
	expect(await obsidian.page.getByRole("combobox").inputValue()).toBe("+refirgerator");
});

test("what others share is found beside the own notes, says whose it is, and is not opened here", async () => {
	const store = join(home.path, "Team");
	await mkdir(store);
	await bridge.call("publish", { uri: store, folders: ["Bread"], confirm: true });
	await searching("retrogradation");
	const added = await obsidian.page.evaluate((stores) => {
		const { link } = window.plugin as unknown as { link: { call: (name: string, given: object) => Promise<{ ok: boolean }> } };
		return link.call("change_settings", { changes: { "shared_index.stores": stores } });
	}, [store]);
	expect(added.ok).toBe(true);
	const shared = obsidian.page.locator(".vaultside-hit", { hasText: /: Notes · Bread/ });
	expect(await shared.count()).toBe(0);
	await obsidian.page.getByRole("button", { name: "Search all vaults and shared stores" }).click();
	await shared.first().waitFor();
	expect(await shared.first().locator(".vaultside-hit-why").innerText()).toMatch(/^published \d{4}-\d\d-\d\d by /);
	expect(await shared.first().getByRole("button", { name: /^Insert link/ }).count()).toBe(0);
	await picture(obsidian, "search-shared", false);
	await shared.first().click();
	await obsidian.page.locator(".notice", { hasText: /” is in .*: Notes\./ }).waitFor();
	expect(await shown()).toBe("");
});

test("the keyboard selects, opens at the line, and opens beside", async () => {
	await searching("why does bread go hard in the fridge");
	const field = obsidian.page.getByRole("combobox");
	await field.press("ArrowDown");
	const active = await field.getAttribute("aria-activedescendant");
	expect(await obsidian.page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe("true");
	await field.press("Enter");
	await expect.poll(shown).toBe("Bread/Science/Staling.md");
	const line = (): Promise<number> => obsidian.page.evaluate(() => (window.app.workspace.getMostRecentLeaf()?.view as unknown as { editor: { getCursor: () => { line: number } } }).editor.getCursor().line);
	await expect.poll(line).toBe(4);
	await field.press("ArrowDown");
	await field.press("Control+Enter");
	await expect.poll(() => obsidian.page.evaluate(() => window.app.workspace.getLeavesOfType("markdown").length)).toBe(2);
	await field.press("Escape");
	expect(await field.inputValue()).toBe("");
	await obsidian.page.getByRole("button", { name: "why does bread go hard in the fridge", exact: true }).waitFor();
});

test("filters narrow, as chips that can be taken away", async () => {
	await searching("bread");
	await obsidian.page.getByLabel("Narrow the search").click();
	await obsidian.page.getByRole("menuitem", { name: "In a folder…" }).click();
	await obsidian.page.locator(".prompt-input").fill("Travels");
	await obsidian.page.locator(".suggestion-item").first().click();
	const places = obsidian.page.locator(".vaultside-hit-place");
	await expect.poll(async () => [...new Set((await places.allInnerTexts()).map((place) => place.startsWith("Travels")))]).toEqual([true]);
	await obsidian.page.getByLabel("Without Travels/").click();
	await expect.poll(async () => (await places.allInnerTexts()).some((place) => place.startsWith("Bread"))).toBe(true);
});

test("a link is put where the cursor is, in the note that was edited, down to the disk", async () => {
	await searching("why does bread go hard in the fridge");
	await obsidian.page.evaluate(async () => {
		const note = await window.app.vault.create("Links.md", "See .\n");
		await window.app.workspace.getLeaf().openFile(note);
		(window.app.workspace.getMostRecentLeaf()?.view as unknown as { editor: { setCursor: (at: object) => void } }).editor.setCursor({ line: 0, ch: 4 });
	});
	const first = obsidian.page.locator(".vaultside-hit").first();
	await first.hover();
	await first.getByLabel("Insert link to Staling").click();
	await expect.poll(() => readFile(join(home.vault, "Links.md"), "utf8")).toBe("See [[Staling]].\n");
	await first.click({ button: "right" });
	await obsidian.page.getByRole("menuitem", { name: "Copy passage" }).click();
	const copied = (): Promise<string> => obsidian.page.evaluate(() => navigator.clipboard.readText());
	await expect.poll(copied).toContain("A refrigerator ages bread about as much");
	expect(await copied()).toMatch(/\[\[Staling\]\]$/);
});

test("a title that the pointer rests on tells what the note says, and no other", async () => {
	await searching("why does bread go hard in the fridge");
	const title = obsidian.page.locator(".vaultside-hit-title").first();
	await title.hover();
	const tooltip = obsidian.page.locator(".tooltip");
	await tooltip.waitFor();
	expect(await readFile(join(home.vault, "Bread/Science/Staling.md"), "utf8")).toContain(await tooltip.innerText());
	await obsidian.page.getByRole("combobox").hover();
	await expect.poll(() => tooltip.count()).toBe(0);
	const asked = (): number => obsidian.node.requests.filter(({ url }) => url.endsWith("/summarise")).length;
	const before = asked();
	// A busy machine moves the pointer so slowly that it would rest.
	await title.evaluate((el) => ["mouseenter", "mouseleave"].forEach((kind) => el.dispatchEvent(new MouseEvent(kind))));
	await obsidian.page.waitForTimeout(900);
	expect(asked()).toBe(before);
	expect(await tooltip.count()).toBe(0);
});

test("with Ctrl, the page preview of Obsidian shows the note at the line that was found", async () => {
	await searching("why does bread go hard in the fridge");
	await obsidian.page.keyboard.down("Control");
	await obsidian.page.locator(".vaultside-hit-text").first().hover();
	await obsidian.page.keyboard.up("Control");
	const [path = "", line] = (await obsidian.page.locator(".popover").first().innerText()).split(" ");
	expect(path).toBe("Bread/Science/Staling.md");
	// Not the first line of the file: its properties are above.
	expect((await readFile(join(home.vault, path), "utf8")).split("\n")[Number(line)]).toBe("# Staling");
});

test("what is not understood is told, and what fails says a way out", async () => {
	await searching("bread");
	await obsidian.page.getByRole("combobox").fill('bread "not closed');
	await obsidian.page.locator(".vaultside-say", { hasText: "A quotation mark is not closed" }).waitFor();
	await obsidian.page.getByRole("combobox").fill("qqqzzzxxx -qqqzzzxxx");
	await obsidian.page.locator(".vaultside-say", { hasText: "Nothing found" }).waitFor();
	expect(await titles()).toEqual([]);
});

test("the status tells what is indexed, what is left out and why, and what the index holds of a note", async () => {
	await opened("status");
	await read("Bread/Science/Staling.md");
	const pane = obsidian.page.locator(".vaultside-pane");
	await pane.getByText("all-minilm-l6-v2").waitFor();
	await pane.getByText(/Skipped: \d/).click();
	await pane.getByText("Left out by Obsidian's excluded files").first().waitFor();
	await pane.getByText("Bread/Science/Staling.md").waitFor();
	await pane.locator(".vaultside-passage", { hasText: "Staling" }).first().waitFor();
	await pane.getByText(/checks are fine/).waitFor();
	await pane.getByRole("button", { name: "Pause embedding" }).click();
	await pane.getByRole("button", { name: "Resume embedding" }).click();
	await pane.getByRole("button", { name: "Pause embedding" }).waitFor();
	await pane.getByRole("button", { name: "Compare with the vault" }).click();
	await obsidian.page.locator(".notice", { hasText: "is compared" }).waitFor();
});

const PANES: Readonly<Record<string, (given: Given) => Promise<void>>> = {
	search: async (given) => {
		await searching("why does bread go hard in the fridge", given);
		await obsidian.page.getByRole("combobox").press("ArrowDown");
		await obsidian.page.getByRole("combobox").press("Enter");
		await expect.poll(shown).toBe("Bread/Science/Staling.md");
	},
	"search-narrow": async (given) => {
		await searching("发酵", { ...given, width: 560 });
		await obsidian.page.locator(".vaultside-hit").first().waitFor();
	},
	status: async (given) => {
		await opened("status", given);
		await read("Bread/Starters/Sourdough starter.md");
		await obsidian.page.getByText(/checks are fine/).waitFor();
		await obsidian.page.locator(".vaultside-passage").first().waitFor();
	},
};

test.each(Object.keys(PANES))("nothing of %s is cut off, in light and in dark", async (name) => {
	for (const dark of [false, true]) {
		if (dark) await obsidian.close();
		await PANES[name]?.({ dark });
		await picture(obsidian, name, dark);
	}
});
