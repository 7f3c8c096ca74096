import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { paired } from "./programs";
import { type Given, bridge, home, obsidian, open, vaultForEach } from "./stage";

const NOTE = "Bread/Oven log.md";
const TEXT = "# Oven log\n\nBake at 230 degrees.\n\nSteam for ten minutes, or until it sings.\n\n水温是二十度。\n\nالعجين يرتاح ساعة واحدة.\n";
const EDITS = [["230", "250"], [", or until it sings", ""], ["二十", "二十四"], ["ساعة واحدة", "ساعتين"]].map(([old, fresh]) => ({ op: "replace_text", old, new: fresh }));

vaultForEach({ after: () => bridge.call("create_note", { path: NOTE, text: TEXT }) });

async function opened(given: Given = {}, path = NOTE): Promise<void> {
	await open(given);
	await obsidian.state("ready");
	await read(path);
}

async function read(path: string, place?: string): Promise<void> {
	await obsidian.page.evaluate(async ([name, where]) => {
		const file = window.app.vault.getFileByPath(name);
		if (file !== null) await window.app.workspace.getLeaf(where ?? false).openFile(file);
	}, [path, place] as const);
}

const edit = (): Promise<{ by: string }> => bridge.call("edit_note", { path: NOTE, digest: createHash("sha256").update(TEXT).digest("hex"), edits: EDITS });
const came = (): Locator => obsidian.page.locator(".vaultside-came");
const gone = (): Locator => obsidian.page.locator(".vaultside-gone");
const ALL = ["250", "四", "ساعتين"];

test("what an agent changed is marked in an open note until its place is edited, or all of it is dismissed", async () => {
	await opened();
	expect(await edit()).toMatchObject({ by: "obsidian" });
	await expect.poll(() => came().allInnerTexts()).toEqual(ALL);
	expect(await gone().count()).toBe(1);
	await came().first().click();
	await obsidian.page.keyboard.type("1");
	await expect.poll(() => came().allInnerTexts()).toEqual(ALL.slice(1));
	await obsidian.page.keyboard.press("Escape");
	await expect.poll(() => came().count()).toBe(0);
	expect(await gone().count()).toBe(0);
});

test("the last change is shown again on a command, with the cursor at it, and only where one was made", async () => {
	await edit();
	await opened({}, "Welcome.md");
	await obsidian.run("last-change");
	await obsidian.page.locator(".notice", { hasText: "Nothing was changed in this note" }).waitFor();
	await read(NOTE);
	expect(await came().count()).toBe(0);
	await obsidian.run("last-change");
	await expect.poll(() => came().allInnerTexts()).toEqual(ALL);
	await expect.poll(() => obsidian.page.evaluate(() => (window.app.workspace.getMostRecentLeaf()?.view as unknown as { editor: { getCursor: () => object } }).editor.getCursor())).toEqual({ line: 2, ch: 8 });
	await obsidian.page.evaluate((text) => (window.app.workspace.getMostRecentLeaf()?.view as unknown as { editor: { setValue: (text: string) => void } }).editor.setValue(text), "Something else.\n");
	expect(await came().count()).toBe(0);
	await obsidian.run("last-change");
	await obsidian.page.locator(".notice", { hasText: "Nothing is left" }).waitFor();
});

test("a proposal that is accepted is marked in every pane, and in none when a person does not want it", async () => {
	const quill = await paired(bridge, "Quill");
	const propose = (text: string): Promise<unknown> => quill("edit_note", { path: NOTE, edits: [{ op: "append", text: `${text}\n` }], reason: text });
	const accept = async (text: string): Promise<void> => {
		await obsidian.run("changes");
		const row = obsidian.page.locator(".vaultside-change", { hasText: text });
		await row.locator("summary").click();
		await row.getByRole("button", { name: "Accept", exact: true }).click();
		await expect.poll(() => readFile(join(home.vault, NOTE), "utf8")).toContain(text);
	};
	await opened();
	await read(NOTE, "split");
	await propose("Let it rest.");
	await accept("Let it rest.");
	await expect.poll(() => came().allInnerTexts()).toEqual(["Let it rest.", "Let it rest."]);
	await obsidian.page.evaluate(() => Object.assign((window.plugin as unknown as { settings: object }).settings, { highlight: false }));
	await propose("Turn it once.");
	await accept("Turn it once.");
	await expect.poll(() => obsidian.page.locator(".cm-content").allInnerTexts()).toEqual([expect.stringContaining("once"), expect.stringContaining("once")]);
	expect(await came().allInnerTexts()).not.toContain("Turn it once.");
	expect(await obsidian.unload()).toMatchObject({ alive: 0 });
	expect(await came().count()).toBe(0);
});

test.each([false, true])("marks are to be seen in light and in dark: %s", async (dark) => {
	await opened({ dark });
	await edit();
	await expect.poll(() => came().allInnerTexts()).toEqual(ALL);
	await obsidian.run("changes");
	await obsidian.page.locator(".vaultside-change").first().waitFor();
	await picture(obsidian, "last-change", dark);
});
