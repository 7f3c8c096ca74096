import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { type Given, bridge, home, obsidian, oneBridge, open } from "./stage";

const STALING = "Bread/Science/Staling.md";

oneBridge(true);

/** Open a note with this text and the cursor at `¦`, or at its beginning. */
async function writing(path: string, text: string, given: Given = {}): Promise<void> {
	await writeFile(join(home.vault, path), text.replace("¦", ""));
	await bridge.call("wait_until_indexed", { path });
	await open(given);
	await obsidian.state("ready");
	await obsidian.page.evaluate(
		async ([name, at]) => {
			const { vault, workspace } = window.app;
			// The app knows the properties of every note; the shim those of notes that were read.
			for (const file of vault.getMarkdownFiles()) await vault.read(file);
			const file = vault.getFileByPath(name);
			if (file === null) throw new Error(name);
			await workspace.getLeaf().openFile(file);
			const { editor } = workspace.activeEditor ?? {};
			editor?.setCursor(editor.offsetToPos(at));
		},
		[path, Math.max(0, text.replaceAll("\r\n", "\n").indexOf("¦"))] as const,
	);
}

const disk = (path: string): Promise<string> => readFile(join(home.vault, path), "utf8");
const type = (text: string): Promise<void> => obsidian.page.keyboard.type(text);
const press = (key: string): Promise<void> => obsidian.page.keyboard.press(key);
const picks = (): Locator => obsidian.page.locator(".vaultside-pick");
const titles = (): Promise<string[]> => obsidian.page.locator(".vaultside-pick-title").allInnerTexts();
const text = (): Promise<string> => obsidian.page.evaluate(() => window.app.workspace.activeEditor?.editor.getValue() ?? "");
const chips = (): Locator => obsidian.page.locator(".vaultside-offers-chip");
const offered = (): Promise<string[]> => chips().locator("bdi:first-child").allInnerTexts();
const focused = (): Promise<string> => obsidian.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? "");

/** The searches of the picker. */
function asked(): { words: string; mode: string; path: string }[] {
	const bodies = obsidian.node.requests.filter(({ url }) => url.endsWith("/pick_link")).map(({ body }) => body);
	return bodies.map((body) => JSON.parse(body) as { words: string; mode: string; path: string });
}

/** Wait until the words are answered, and this is the first answer. */
async function first(title: string, words: string): Promise<void> {
	await expect.poll(() => asked().at(-1)).toMatchObject({ words, mode: "hybrid" });
	await expect.poll(async () => (await titles())[0]).toBe(title);
}

test("a question after [[? finds the note, words first, and Enter links it, down to the disk", async () => {
	await writing("Picked.md", "It keeps¦.\n");
	await type(" ([[?why does bread go hard in the fridge");
	await first("Staling", "why does bread go hard in the fridge");
	expect(await picks().first().locator("mark").allInnerTexts()).toContain("bread");
	expect(await picks().first().innerText()).toContain("Bread/Science");
	await press("Enter");
	await type(")");
	await expect.poll(() => disk("Picked.md")).toBe("It keeps ([[Staling]]).\n");
	expect(asked()[0]).toMatchObject({ mode: "keyword", path: "Picked.md" });
	expect(await obsidian.page.locator(".suggestion-container").count()).toBe(0);
});

test("meaning refines what words found, and what was come to stays", async () => {
	await writing("Refined.md", "¦\n");
	let refine = (): void => {};
	const held = new Promise<void>((resolve) => (refine = resolve));
	obsidian.node.meanwhile.sent = async () => {
		if (asked().at(-1)?.mode === "hybrid") await held;
	};
	await type("[[?old bread stiff");
	const said = { words: "old bread stiff", path: "Refined.md", limit: 12, mode: "keyword" };
	const byWords = (await bridge.call<{ hits: { title: string }[] }>("pick_link", said)).hits.map((hit) => hit.title);
	await expect.poll(titles).toEqual(byWords);
	await press("ArrowDown");
	refine();
	const [one, two] = byWords;
	await expect.poll(() => asked().at(-1)?.mode).toBe("hybrid");
	await picks().filter({ hasText: "close in meaning" }).first().waitFor();
	expect((await titles()).slice(0, 2)).toEqual([one, two]);
	expect(await obsidian.page.locator(".suggestion-item.is-selected .vaultside-pick-title").innerText()).toBe(two);
	await press("Escape");
	expect(await text()).toBe("[[?old bread stiff\n");
	expect(await picks().count()).toBe(0);
});

test("the words that are a phrase stay, an alias is written out, and a bar says what is shown", async () => {
	await writing("Shown.md", "¦\n");
	for (const [typed, title] of [["stale bread", "Staling"], ["retrogr", "Staling"], ["泡菜|四川的泡菜", "泡菜"], ["لفت مخلل", "مخلل اللفت"]] as const) {
		await type(`[[?${typed}`);
		await first(title, typed.split("|")[0] ?? "");
		await press("Enter");
		await type(" ");
	}
	await expect.poll(() => disk("Shown.md")).toBe("[[Staling|stale bread]] [[Staling|retrogradation]] [[泡菜|四川的泡菜]] [[مخلل اللفت|لفت مخلل]] \n");
});

test("Shift and Enter link the section, and brackets that the app closed are not doubled", async () => {
	await writing("Section.md", "See [[¦]] and [[Staling]].\n");
	const path = "Ovens and heat.md";
	const filler = "Heat is stored in the bricks and given back slowly, long after the fire has been raked out. ".repeat(20);
	const heat = `# Ovens and heat\n\n${filler}\n\n## Falling arches\n\nA zirconia arch falls when it dries too early. ${filler}\n`;
	await obsidian.page.evaluate(([name, text]) => window.app.vault.create(name, text), [path, heat] as const);
	await bridge.call("wait_until_indexed", { path });
	await type("?zirconia arch");
	await first("Ovens and heat", "zirconia arch");
	await press("Shift+Enter");
	await expect.poll(() => disk("Section.md")).toBe("See [[Ovens and heat#Falling arches|zirconia arch]] and [[Staling]].\n");
});

test("what was picked for words comes first the next time", async () => {
	await writing("Learned.md", "¦\n");
	await type("[[?gluten web");
	await expect.poll(async () => (await titles()).length).toBeGreaterThan(2);
	await expect.poll(() => asked().at(-1)?.mode).toBe("hybrid");
	await press("ArrowDown");
	await press("ArrowDown");
	const third = await obsidian.page.locator(".suggestion-item.is-selected .vaultside-pick-title").innerText();
	await press("Enter");
	await expect.poll(() => disk("Learned.md")).toContain("|gluten web]]");
	await expect.poll(async () => (await bridge.call<{ hits: { title: string }[] }>("pick_link", { words: "gluten web" })).hits[0]?.title).toBe(third);
	await type(" [[?gluten");
	await first(third, "gluten");
	expect(await picks().first().innerText()).toContain("chosen before");
});

test("links are written as the person writes them, in tables too", async () => {
	const config = join(home.vault, ".obsidian/app.json");
	const before = await readFile(config, "utf8");
	await writeFile(config, JSON.stringify({ ...(JSON.parse(before) as object), useMarkdownLinks: true, newLinkFormat: "absolute" }));
	await writing("Styled.md", "¦\n");
	await type("[[?stale bread");
	await first("Staling", "stale bread");
	await press("Enter");
	await expect.poll(() => disk("Styled.md")).toBe("[stale bread](Bread/Science/Staling.md)\n");
	await obsidian.close();
	await writeFile(config, before);
	await writing("Table.md", "| a | ¦ |\n");
	await type("[[?stale bread");
	await first("Staling", "stale bread");
	await press("Enter");
	await expect.poll(() => disk("Table.md")).toBe("| a | [[Staling\\|stale bread]] |\n");
});

test("composing words is left alone", async () => {
	await writing("Composed.md", "¦\n");
	const cdp = await obsidian.page.context().newCDPSession(obsidian.page);
	await type("[[?");
	const compose = (text: string): Promise<unknown> => cdp.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
	await compose("pao");
	await compose("pao cai");
	expect(await text()).toBe("[[?pao cai\n");
	await cdp.send("Input.insertText", { text: "泡菜" });
	await first("泡菜", "泡菜");
	expect(await text()).toBe("[[?泡菜\n");
	await press("Enter");
	await expect.poll(() => disk("Composed.md")).toBe("[[泡菜]]\n");
});

test("without a bridge it is told once how it comes back, and nothing is asked", async () => {
	await writing("Off.md", "¦\n");
	await obsidian.page.evaluate(() => (window.plugin as unknown as { link: { close: () => void } }).link.close());
	await obsidian.state("off");
	await type("[[?rye");
	await obsidian.run("offer-links");
	await expect.poll(() => obsidian.page.locator(".notice", { hasText: "status bar" }).count()).toBe(2);
	expect(await picks().count()).toBe(0);
	expect(asked()).toEqual([]);
	expect(await text()).toBe("[[?rye\n");
});

const DIARY = "# Diary\r\n\r\nBaked 🥖 today.\r\nThe sourdough starter was lively; Kimchi for lunch.\r\n\r\nThen Kombucha.\r\n";

test("links that a paragraph misses are chips: one is made, one declined, by keys alone", async () => {
	await writing("Diary.md", DIARY.replace("was lively", "was lively¦"));
	await obsidian.run("offer-links");
	await expect.poll(offered).toEqual(["sourdough starter", "Kimchi"]);
	expect(await obsidian.page.locator(".vaultside-offered").allInnerTexts()).toEqual(["sourdough starter", "Kimchi"]);
	await expect.poll(focused).toContain("Link “sourdough starter” to Sourdough starter");
	await press("ArrowRight");
	await press("Delete");
	await expect.poll(offered).toEqual(["sourdough starter"]);
	await press("Enter");
	await expect.poll(() => disk("Diary.md")).toBe(DIARY.replaceAll("\r\n", "\n").replace("sourdough starter", "[[Sourdough starter|sourdough starter]]"));
	expect(await chips().count()).toBe(0);
	expect(await obsidian.page.evaluate(() => window.app.workspace.activeEditor?.editor.hasFocus())).toBe(true);
	await expect.poll(async () => (await bridge.call<{ suggestions: { text: string }[] }>("suggest_links", { path: "Diary.md" })).suggestions.map((one) => one.text)).toEqual(["Kombucha"]);
});

test("a note that another paragraph names more plainly is offered in this one, too", async () => {
	await writing("Twice.md", "Sourdough starter.\n\nThen the sourdough starter rose¦.\n");
	await obsidian.run("offer-links");
	await expect.poll(offered).toEqual(["sourdough starter"]);
	await press("Enter");
	await expect.poll(() => disk("Twice.md")).toBe("Sourdough starter.\n\nThen the [[Sourdough starter|sourdough starter]] rose.\n");
});

test("all links of a paragraph are made at once", async () => {
	await writing("All.md", "Kimchi and the sourdough starter¦, then Kombucha.\n\nSauerkraut.\n");
	await obsidian.run("offer-links");
	await obsidian.page.getByRole("button", { name: "Link all 3" }).click();
	await expect.poll(() => disk("All.md")).toBe("[[Kimchi]] and the [[Sourdough starter|sourdough starter]], then [[Kombucha]].\n\nSauerkraut.\n");
});

test("what is not saved is saved first; edits elsewhere move the chips, and one of the paragraph takes them away", async () => {
	await writing("Unsaved.md", "Top.\n\nKimchi¦.\n");
	await type(" and Kombucha");
	await obsidian.run("offer-links");
	await expect.poll(offered).toEqual(["Kimchi", "Kombucha"]);
	expect(await disk("Unsaved.md")).toBe("Top.\n\nKimchi and Kombucha.\n");
	await obsidian.page.evaluate(() => window.app.workspace.activeEditor?.editor.replaceRange("The very ", { line: 0, ch: 0 }));
	await obsidian.page.getByRole("button", { name: "Link “Kombucha”" }).click();
	await expect.poll(() => disk("Unsaved.md")).toBe("The very Top.\n\nKimchi and [[Kombucha]].\n");
	expect(await offered()).toEqual(["Kimchi"]);
	await obsidian.page.evaluate(() => window.app.workspace.activeEditor?.editor.replaceRange(" now", { line: 2, ch: 6 }));
	expect(await chips().count()).toBe(0);
	await obsidian.run("offer-links");
	await expect.poll(offered).toEqual(["Kimchi"]);
	await press("Escape");
	expect(await chips().count()).toBe(0);
	expect(await text()).toBe("The very Top.\n\nKimchi now and [[Kombucha]].\n");
});

test("the menu of a note leads to what is related, and to how it leads to another", async () => {
	await writing(STALING, await disk(STALING));
	await obsidian.page.locator(".workspace-split.mod-root .workspace-tab-header").click({ button: "right" });
	await obsidian.page.getByRole("menuitem", { name: "Related notes" }).click();
	await obsidian.page.locator(".vaultside-head-title", { hasText: "Staling" }).waitFor();
	await obsidian.page.locator(".cm-content").click({ button: "right" });
	await obsidian.page.getByRole("menuitem", { name: "Find path to…" }).click();
	await obsidian.page.locator(".prompt-input").fill("Garlic");
	await press("Enter");
	await expect.poll(() => obsidian.node.requests.filter(({ url }) => url.endsWith("/graph_path")).map(({ body }) => body)).toEqual([expect.stringContaining('"target":"Garden/Plants/Garlic.md"')]);
});

const hits = (): Locator => obsidian.page.locator(".vaultside-search-modal .vaultside-hit");
const field = (): Locator => obsidian.page.locator(".vaultside-search-modal").getByRole("combobox");

async function searching(query: string): Promise<void> {
	await obsidian.run("search-window");
	await field().fill(query);
	await obsidian.page.locator(".vaultside-search-modal .vaultside-say", { hasText: /· \d+ ms(?! …)/ }).waitFor();
}

test("the window for searching links what it finds where one came from, and opens it beside", async () => {
	await writing("Searched.md", "It is ¦.\n");
	await searching("path:Bread why does bread go hard in the fridge");
	expect(await hits().first().innerText()).toContain("Staling");
	expect(await hits().count()).toBeGreaterThan(2);
	await press("Shift+Enter");
	await expect.poll(() => disk("Searched.md")).toBe("It is [[Staling]].\n");
	expect(await obsidian.page.locator(".modal").count()).toBe(0);
	await obsidian.run("search-window");
	await obsidian.page.getByRole("button", { name: "path:Bread why does bread go hard in the fridge", exact: true }).click();
	await hits().nth(1).waitFor();
	await obsidian.page.locator(".vaultside-search-modal .vaultside-say", { hasText: /· \d+ ms(?! …)/ }).waitFor();
	await press("ArrowDown");
	await press("Alt+Enter");
	await expect.poll(() => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path)).toBe(STALING);
	expect(await obsidian.page.evaluate(() => window.app.workspace.getLeavesOfType("markdown").length)).toBe(2);
});

test("words that are selected are looked for, and become the link", async () => {
	await writing("Selected.md", "Then ¦stale bread came.\n");
	await obsidian.page.evaluate(() => window.app.workspace.activeEditor?.editor.setSelection({ line: 0, ch: 5 }, { line: 0, ch: 16 }));
	await obsidian.run("search-window");
	expect(await field().inputValue()).toBe("stale bread");
	await expect.poll(() => hits().first().innerText()).toContain("Staling");
	await press("Escape");
	expect(await obsidian.page.locator(".modal").count()).toBe(0);
	await obsidian.run("search-window");
	await expect.poll(() => hits().first().innerText()).toContain("Staling");
	await press("Shift+Enter");
	await expect.poll(() => disk("Selected.md")).toBe("Then [[Staling|stale bread]] came.\n");
});

test("nothing of what helps in an editor is cut off, in light and in dark", async () => {
	for (const dark of [false, true]) {
		if (dark) await obsidian.close();
		await writing("Tour.md", "# A day of baking\n\nThe sourdough starter was lively, and I fed it with rye. We had Kimchi and 泡菜 for lunch, مخلل اللفت in the evening, and stale bread.¦\n\nThe crumb had gone firm: \n", { dark });
		await obsidian.run("offer-links");
		await chips().first().waitFor();
		await picture(obsidian, "offers", dark);
		await press("Escape");
		await obsidian.page.evaluate(() => window.app.workspace.activeEditor?.editor.setCursor({ line: 4, ch: 25 }));
		await type("[[?why bread goes hard");
		await first("Staling", "why bread goes hard");
		await press("ArrowDown");
		await picture(obsidian, "picker", dark);
		await press("Escape");
		await searching("发酵");
		await press("ArrowDown");
		await picture(obsidian, "search-window", dark);
		await press("Escape");
	}
});
