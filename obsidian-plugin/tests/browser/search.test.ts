import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Bridge, Home } from "./bridge";
import { picture } from "./picture";
import { AppWindow, startBrowser } from "./window";

let browser: Browser;
let home: Home;
let bridge: Bridge;
let obsidian: AppWindow;

beforeAll(async () => {
	[browser, home] = await Promise.all([startBrowser(), Home.make(true)]);
	bridge = await Bridge.serve(home);
	await bridge.settled();
}, 300_000);
afterAll(async () => {
	await browser.close();
	await bridge.stop();
	await home.remove();
});
afterEach(async () => {
	expect(await obsidian.close()).toEqual([]);
});

async function searching(query: string, given: Partial<Parameters<typeof AppWindow.open>[1]> = {}): Promise<AppWindow> {
	obsidian = await AppWindow.open(browser, { base: home.vault, home: home.path, ...given });
	await obsidian.state("ready");
	await obsidian.run("search");
	if (query !== "") await type(query);
	return obsidian;
}

async function type(query: string): Promise<void> {
	await obsidian.page.getByRole("combobox").fill(query);
	await obsidian.page.locator(".vault-bridge-say", { hasText: /\d ms(?! …)/ }).waitFor();
}

const titles = (): Promise<string[]> => obsidian.page.locator(".vault-bridge-hit-title").allInnerTexts();
const shown = (): Promise<string> => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path ?? "");

test("a question finds the passage, marks its words and says why", async () => {
	await searching("why does bread go hard in the fridge");
	const first = obsidian.page.locator(".vault-bridge-hit").first();
	expect(await first.locator(".vault-bridge-hit-title").innerText()).toBe("Staling");
	expect(await first.locator("mark").allInnerTexts()).toContain("bread");
	expect(await first.locator(".vault-bridge-hit-why").innerText()).toContain("close in meaning");
	expect(await first.locator(".vault-bridge-hit-place").innerText()).toContain("Bread/Science");
});

test("words are asked before meaning, and only the last of what was typed", async () => {
	await searching("");
	const field = obsidian.page.getByRole("combobox");
	await field.pressSequentially("retrogradation", { delay: 5 });
	await obsidian.page.getByText("words and meaning ·").waitFor();
	const bodies = obsidian.node.requests.filter(({ url }) => url.endsWith("/search")).map(({ body }) => JSON.parse(body) as { query: string; mode: string });
	expect(bodies.slice(-2).map(({ query, mode }) => [query, mode])).toEqual([
		["retrogradation", "keyword"],
		["retrogradation", "hybrid"],
	]);
	expect(bodies.length).toBeLessThan(14);
});

test("the keyboard selects, opens at the line, and opens beside", async () => {
	await searching("why does bread go hard in the fridge");
	const field = obsidian.page.getByRole("combobox");
	await field.press("ArrowDown");
	const active = await field.getAttribute("aria-activedescendant");
	expect(await obsidian.page.locator(`[id="${active}"]`).getAttribute("aria-selected")).toBe("true");
	await field.press("Enter");
	await expect.poll(shown).toBe("Bread/Science/Staling.md");
	const line = await obsidian.page.evaluate(() => (window.app.workspace.getMostRecentLeaf()?.view as unknown as { editor: { getCursor: () => { line: number } } }).editor.getCursor().line);
	expect(line).toBe(4);
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
	const places = obsidian.page.locator(".vault-bridge-hit-place");
	await expect.poll(async () => (await places.allInnerTexts()).every((place) => place.startsWith("Travels"))).toBe(true);
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
	const first = obsidian.page.locator(".vault-bridge-hit").first();
	await first.hover();
	await first.getByLabel("Insert link to Staling").click();
	await expect.poll(() => readFile(join(home.vault, "Links.md"), "utf8")).toBe("See [[Staling]].\n");
	await first.click({ button: "right" });
	await obsidian.page.getByRole("menuitem", { name: "Copy passage" }).click();
	const copied = await obsidian.page.evaluate(() => navigator.clipboard.readText());
	expect(copied).toContain("A refrigerator ages bread about as much");
	expect(copied).toMatch(/\[\[Staling\]\]$/);
});

test("what is not understood is told, and what fails says a way out", async () => {
	await searching("bread");
	await obsidian.page.getByRole("combobox").fill('bread "not closed');
	await obsidian.page.locator(".vault-bridge-say", { hasText: "A quotation mark is not closed" }).waitFor();
	await obsidian.page.getByRole("combobox").fill("qqqzzzxxx -qqqzzzxxx");
	await obsidian.page.locator(".vault-bridge-say", { hasText: "Nothing found" }).waitFor();
	expect(await titles()).toEqual([]);
});

test.each([
	["search", "why does bread go hard in the fridge", 1200],
	["search-narrow", "发酵", 620],
])("pictures of %s", async (name, query, width) => {
	for (const dark of [false, true]) {
		if (dark) await obsidian.close();
		await searching(query, { dark, width });
		await obsidian.page.locator(".vault-bridge-hit").first().waitFor();
		await obsidian.page.getByRole("combobox").press("ArrowDown");
		await obsidian.page.getByRole("combobox").press("Enter");
		await expect.poll(shown).not.toBe("");
		await picture(obsidian, name, dark);
	}
});
