import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { pairing } from "./programs";
import { type Given, bridge, home, obsidian, open, vaultForEach } from "./stage";

const NOTE = "Oven log.md";
const TEXT = "# Oven log\n\n## Plans\n\nOld.\n\n## Heat\n\n### Plans\n\nSee [[#Heat#Plans]].\n";
const INDEX = "[[Oven log#Heat#Plans|hot]] and [[Oven log#Plans]].\n";

vaultForEach({
	after: async () => {
		await bridge.call("create_note", { path: NOTE, text: TEXT });
		await bridge.call("create_note", { path: "Oven index.md", text: INDEX });
		await bridge.call("wait_until_indexed", { path: "Oven index.md", what: "links" });
	},
});

async function opened(given: Given = {}): Promise<void> {
	await open(given);
	await obsidian.state("ready");
	await obsidian.page.evaluate(async (path) => {
		const file = window.app.vault.getFileByPath(path);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, NOTE);
}

const disk = (path = NOTE): Promise<string> => readFile(join(home.vault, path), "utf8");
const dialog = (): Locator => obsidian.page.getByRole("dialog");
const item = (): Locator => obsidian.page.getByRole("menuitem", { name: "Rename this heading and the links to it…" });
const said = (text: string | RegExp): Promise<void> => dialog().getByRole("status").filter({ hasText: text }).waitFor();

/** Choose it in the menu of a line of the note. */
async function rename(line: string, to: string): Promise<void> {
	await obsidian.page.locator(".cm-line", { hasText: line }).first().click();
	await obsidian.page.locator(".cm-line", { hasText: line }).first().click({ button: "right" });
	await item().click();
	await dialog().getByLabel("Heading").fill(to);
}

test("a heading is renamed with the links to it, after a look at all that changes, and turned back", async () => {
	await opened();
	await obsidian.page.locator(".cm-line", { hasText: "Old." }).click();
	await obsidian.page.locator(".cm-line", { hasText: "Old." }).click({ button: "right" });
	expect(await item().count()).toBe(0);
	await obsidian.page.keyboard.press("Escape");
	await rename("### Plans", "Pläne 火");
	await said("2 links follow, in 1 other file.");
	expect(await dialog().locator("ins").allInnerTexts()).toEqual(["Pläne 火", "Pläne 火", "Pläne 火"]);
	expect(await disk()).toBe(TEXT);
	await picture(obsidian, "rename-heading", false);
	await dialog().getByRole("button", { name: "Rename", exact: true }).click();
	await expect.poll(() => disk()).toBe(TEXT.replace("### Plans", "### Pläne 火").replace("#Heat#Plans", "#Heat#Pläne 火"));
	await expect.poll(() => disk("Oven index.md")).toBe(INDEX.replace("#Heat#Plans", "#Heat#Pläne 火"));
	await obsidian.page.getByRole("button", { name: "Undo" }).click();
	await obsidian.page.locator(".notice", { hasText: "Undone." }).waitFor();
	expect([await disk(), await disk("Oven index.md")]).toEqual([TEXT, INDEX]);
});

test("what cannot be a heading is told, and a note that changed meanwhile stays as it is", async () => {
	await opened();
	await rename("## Heat", "Warmth ##");
	await said("No heading of Oven log.md can read");
	expect(await dialog().getByRole("button", { name: "Rename", exact: true }).isEnabled()).toBe(false);
	await dialog().getByLabel("Heading").fill("Warmth");
	await said("2 links follow");
	await bridge.call("edit_note", { path: NOTE, edits: [{ op: "append", text: "More.\n" }] });
	await dialog().getByLabel("Heading").press("Enter");
	await said(/changed/);
	expect(await disk()).toBe(`${TEXT}\nMore.\n`);
});

test("in a window that was let in by pairing it is proposed", async () => {
	await opened({ settings: { address: bridge.url }, secrets: { "vaultside-token": await pairing(bridge, "Obsidian plugin") } });
	await rename("## Heat", "Warmth");
	await dialog().getByRole("button", { name: "Propose it" }).click();
	await obsidian.page.locator(".notice", { hasText: "Proposed, not written yet: “Heat” is “Warmth” now." }).waitFor();
	expect(await disk()).toBe(TEXT);
});
