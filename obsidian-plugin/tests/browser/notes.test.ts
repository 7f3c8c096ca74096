import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { bridge, type Given, home, obsidian, open, vaultForEach } from "./stage";

const TYPED: Readonly<Record<string, string>> = {
	"Use rye.md": "---\ntype: decision\ntags: [bread, grain]\n---\n# Use rye\n\nIt keeps **longer** than wheat.\n",
	"Crumb collapses.md": "---\ntype: bug\n---\nThe crumb collapses in the oven.\n",
	"Bake on Mondays.md": "---\ntype: decision\n---\nNobody else needs the oven.\n",
};

vaultForEach({
	before: async () => {
		for (const [at, [path, text]] of Object.entries(TYPED).entries()) {
			await writeFile(join(home.vault, path), text);
			const time = Date.now() / 1000 - 60 * at - 5;
			await utimes(join(home.vault, path), time, time);
		}
	},
});

const row = (title: string) => obsidian.page.locator(".vaultside-hit", { hasText: title });
const titles = (): Promise<string[]> => obsidian.page.locator(".vaultside-hit-title").allTextContents();
const shown = (): Promise<string> => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path ?? "");

async function opened(given: Given = {}): Promise<void> {
	await open(given);
	await obsidian.state("ready");
	await obsidian.run("search");
	await row("Use rye").waitFor();
}

test("the newest notes but templates are listed with type, tags, age and how they begin, and more follow", async () => {
	await bridge.call("create_note", { path: "Templates/Newest.md", text: "To be filled in." });
	await bridge.call("wait_until_indexed", { path: "Templates/Newest.md", what: "keyword" });
	await opened();
	expect((await titles()).slice(0, 3)).toEqual(["Use rye", "Crumb collapses", "Bake on Mondays"]);
	const first = row("Use rye");
	await first.locator(".lucide-scale").waitFor();
	expect(await first.locator(".vaultside-tag").allTextContents()).toEqual(["#bread", "#grain"]);
	expect(await first.locator(".vaultside-hit-text").innerText()).toBe("It keeps longer than wheat.");
	expect(await row("Crumb collapses").locator(".vaultside-hit-mark").innerText()).toMatch(/\d min ago/);
	// The notes are counted by another question than they are listed by.
	await expect.poll(() => obsidian.page.locator(".vaultside-stats").innerText()).toMatch(/^\d+ notes · decision 2 · bug 1 · indexed /);
	expect(await titles()).toHaveLength(50);
	await obsidian.page.getByRole("button", { name: "Show more" }).click();
	await expect.poll(async () => (await titles()).length).toBeGreaterThan(50);
	expect(new Set(await titles()).size).toBeGreaterThan(50);
});

test("more notes are listed though one changes while they are asked for", async () => {
	await opened();
	obsidian.node.meanwhile.answered = async (url) => {
		if (!url.endsWith("/find_notes")) return;
		delete obsidian.node.meanwhile.answered;
		await bridge.call("create_note", { path: "Just now.md", text: "Said a moment ago." });
		// The list is brought up to date half a second after a change.
		await new Promise((resolve) => setTimeout(resolve, 1_500));
	};
	await obsidian.page.getByRole("button", { name: "Show more" }).click();
	await expect.poll(async () => (await titles()).length).toBeGreaterThan(50);
});

test("“Show more” works although the notes are listed anew while it is pressed", async () => {
	await opened();
	const more = obsidian.page.getByRole("button", { name: "Show more" });
	await more.evaluate((el) => el.setAttribute("data-pressed", ""));
	await bridge.call("create_note", { path: "Just now.md", text: "Said a moment ago." });
	await expect.poll(titles).toContain("Just now");
	expect(await more.getAttribute("data-pressed")).toBe("");
	// By the element, as the list may move it away from under the mouse.
	await more.evaluate((el) => (el as HTMLElement).click());
	// Where no more come, it is said why.
	const said = obsidian.page.locator(".vaultside-say");
	await expect.poll(async () => (await titles()).length > 50 || (await said.allInnerTexts()).join()).toBe(true);
});

test("types narrow the notes and the search, and the keyboard opens one", async () => {
	await opened();
	await obsidian.page.getByRole("button", { name: "Only decision" }).click();
	await expect.poll(titles).toEqual(["Use rye", "Bake on Mondays"]);
	const field = obsidian.page.getByRole("combobox");
	await field.fill("oven");
	await expect.poll(titles).toEqual(["Bake on Mondays"]);
	expect(await obsidian.page.getByRole("button", { name: "New note" }).isVisible()).toBe(false);
	await field.press("Escape");
	await expect.poll(titles).toEqual(["Use rye", "Bake on Mondays"]);
	await field.press("ArrowDown");
	await field.press("ArrowDown");
	await field.press("Enter");
	await expect.poll(shown).toBe("Bake on Mondays.md");
	await obsidian.page.getByLabel("Without decision").click();
	await row("Crumb collapses").waitFor();
});

test("a new note starts from a template, and is listed and opened", async () => {
	await opened();
	await obsidian.page.getByRole("button", { name: "New note" }).click();
	await obsidian.page.locator(".prompt-input").fill("Caraway rye");
	await obsidian.page.locator(".suggestion-item", { hasText: "Recipe" }).click();
	await row("Caraway rye").waitFor();
	const text = await readFile(join(home.vault, "Caraway rye.md"), "utf8");
	expect(text).toContain("Caraway rye");
	expect(text).not.toContain("{{title}}");
	// The app sees the file a moment later.
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await expect.poll(shown).toBe("Caraway rye.md");
	expect(await readFile(join(home.vault, "Caraway rye.md"), "utf8")).toBe(text);
});

test("a note that changes elsewhere comes to the top", async () => {
	await opened();
	await bridge.call("create_note", { path: "Just now.md", text: "Said a moment ago." });
	await expect.poll(async () => (await titles())[0]).toBe("Just now");
});

test.each([false, true])("nothing is cut off, dark: %s", async (dark) => {
	await opened({ dark, width: 560 });
	await picture(obsidian, "notes", dark);
});

test("the graph tells types apart by colours and shapes, and is narrowed to one", async () => {
	await open({ settings: { graphColours: "note_type" } });
	await obsidian.state("ready");
	await obsidian.run("graph");
	await obsidian.page.getByLabel("Show the whole vault").click();
	const group = (name: string) => obsidian.page.locator(".vaultside-graph-group", { hasText: name });
	await group("decision").locator('[data-shape="diamond"]').waitFor();
	await group("bug").locator('[data-shape="triangle"]').waitFor();
	await picture(obsidian, "graph-types", false);
	await obsidian.page.getByLabel("Narrow the graph").click();
	await obsidian.page.getByRole("menuitem", { name: "Of a type…" }).click();
	await obsidian.page.locator(".prompt-input").fill("decision");
	await obsidian.page.locator(".suggestion-item").first().click();
	await obsidian.page.locator(".vaultside-say", { hasText: /^2 notes/ }).waitFor();
	await expect.poll(() => obsidian.page.locator(".vaultside-graph-group").count()).toBe(1);
	await picture(obsidian, "graph-one-type", false);
});
