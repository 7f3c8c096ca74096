import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { type Given, bridge, home, obsidian, open, vaultForEach } from "./stage";

const NOTE = "Bread/Science/Staling.md";

vaultForEach({
	before: async () => {
		for (let at = 0; at < 25; at++) await writeFile(join(home.vault, `Minutes ${at}.old.md`), "Old.\n");
		await writeFile(join(home.vault, "اجتماع طويل جدا.old.md"), "Old.\n");
		await writeFile(join(home.data, "settings.toml"), 'exclude = ["*.old.md"]\n');
	},
});

async function opened(given: Given = {}): Promise<Locator> {
	await open(given);
	await obsidian.state("ready");
	await obsidian.run("status");
	const pane = obsidian.page.locator(".vaultside-pane");
	await pane.getByText(/checks are fine/).waitFor();
	return pane;
}

async function read(path: string): Promise<void> {
	await obsidian.page.evaluate(async (name) => {
		const file = window.app.vault.getFileByPath(name);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, path);
}

test("what is left out stands by its reasons, and stays unfolded while more is indexed", async () => {
	const pane = await opened();
	await pane.getByText(/^Skipped: \d+$/).click();
	await pane.locator("summary", { hasText: "Left out by the setting exclude: *.old.md" }).click();
	await pane.getByText("and 16 more", { exact: true }).waitFor();
	await bridge.call("create_note", { path: "Another.old.md", text: "Old, too.\n" });
	await pane.getByText("and 17 more", { exact: true }).waitFor();
});

test("what could not be read is tried again", async () => {
	await writeFile(join(home.vault, "Locked.md"), "Not for you.\n", { mode: 0 });
	const pane = await opened();
	await pane.getByText("Could not be read: 1").click();
	await chmod(join(home.vault, "Locked.md"), 0o600);
	await pane.getByRole("button", { name: "Try again" }).click();
	await obsidian.page.locator(".notice", { hasText: "They are read again." }).waitFor();
	await pane.getByText("Could not be read: 1").waitFor({ state: "hidden" });
});

test("what the index holds and takes is told", async () => {
	const pane = await opened();
	const fact = (name: string): Promise<string> => pane.locator("dt").getByText(name, { exact: true }).locator("xpath=../following-sibling::dd[1] | following-sibling::dd[1]").first().innerText();
	await expect.poll(() => fact("Index")).toMatch(/^[\d.]+ [KM]B$/);
	expect(await fact("Free disk")).toMatch(/ [GT]B$/);
	expect(await fact("Model")).toBe("None: search is by words only");
	await pane.getByRole("button", { name: "Read everything again" }).click();
	await obsidian.page.locator(".notice", { hasText: "Every note is read again" }).waitFor();
});

test("a finding has its fix, and calls that failed are counted", async () => {
	const pane = await opened();
	const finding = pane.locator(".vaultside-finding", { hasText: "is not installed" });
	// The notes are in several languages.
	await finding.getByLabel("Copy vaultside models install multilingual-e5-small").click();
	await expect.poll(() => obsidian.page.evaluate(() => navigator.clipboard.readText())).toBe("vaultside models install multilingual-e5-small");
	await expect(bridge.call("read_note", { path: "Nowhere.md" })).rejects.toThrow("note_not_found");
	await pane.getByRole("button", { name: "Check again" }).click();
	await pane.getByText(/calls in 7 days, \d+ failed: .*note not found 1/).waitFor();
});

test("a passage opens the note at its line", async () => {
	const pane = await opened();
	await read(NOTE);
	await pane.locator(".vaultside-passage").first().waitFor();
	const passages = pane.locator(".vaultside-passage");
	const last = passages.last();
	const [line] = (await last.locator(".vaultside-passage-lines").innerText()).split("–");
	await last.click();
	await expect.poll(() => obsidian.page.evaluate(() => (window.app.workspace.getMostRecentLeaf()?.view as unknown as { editor: { getCursor: () => { line: number } } }).editor.getCursor().line)).toBe(Number(line) - 1);
});

test("nothing of what is indexed is cut off, in light and in dark, and where there is little room", async () => {
	for (const [dark, width] of [[false, 1200], [true, 1200], [false, 520]] as const) {
		if (dark || width < 1200) await obsidian.close();
		const pane = await opened({ dark, width });
		await read(NOTE);
		await pane.locator(".vaultside-passage").first().waitFor();
		await pane.getByText(/^Skipped: \d+$/).click();
		await pane.locator("summary", { hasText: "*.old.md" }).click();
		await picture(obsidian, width < 1200 ? "status-left-out-narrow" : "status-left-out", dark);
		await pane.getByText(/^Skipped: \d+$/).click();
		await pane.locator(".vaultside-finding").first().evaluate((el) => el.scrollIntoView({ block: "end" }));
		await picture(obsidian, width < 1200 ? "status-health-narrow" : "status-health", dark);
	}
});
