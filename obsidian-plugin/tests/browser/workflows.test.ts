import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { bridge, home, obsidian, open, vaultForEach } from "./stage";

vaultForEach({
	after: async () => {
		await bridge.call("author_workflow", { name: "Meeting", starter: "meeting-note", confirm: true });
		await bridge.call("wait_until_indexed", { path: "Agents/Workflows/Meeting.md", what: "links" });
	},
});

const disk = (path: string): Promise<string> => readFile(join(home.vault, path), "utf8");
const exists = (path: string): Promise<boolean> => stat(join(home.vault, path)).then(() => true, () => false);
const dialog = (): Locator => obsidian.page.getByRole("dialog");

async function choose(name: string): Promise<void> {
	await obsidian.run("run-workflow");
	await obsidian.page.getByPlaceholder("Run a workflow…").fill(name);
	await obsidian.page.keyboard.press("Enter");
}

test("a workflow is filled in, seen, run and undone", async () => {
	await open();
	await obsidian.state("ready");
	await choose("Meeting: ");
	await dialog().getByText("What the meeting is about").waitFor();
	await dialog().getByLabel("people", { exact: true }).fill("Miller\nBaker");
	// Nothing is wrong with what was not filled in yet.
	expect(await dialog().locator(".mod-warning").count()).toBe(0);
	expect(await dialog().getByRole("button", { name: "Run", exact: true }).isDisabled()).toBe(true);
	await dialog().getByLabel("title").fill("Seeds");
	await dialog().getByLabel("day").fill("2026-03-01");
	await dialog().getByRole("status").filter({ hasText: "3 files change." }).waitFor();
	expect(await dialog().getByRole("status").innerText()).toContain("notes ");
	await picture(obsidian, "workflow", false);
	await dialog().getByRole("button", { name: "Run", exact: true }).click();
	await obsidian.page.locator(".notice", { hasText: "The note is Meetings/2026-03-01 Seeds.md." }).waitFor();
	expect(await disk("People/Miller.md")).toContain("- [[2026-03-01 Seeds]]");
	await obsidian.page.getByRole("button", { name: "Undo" }).click();
	await obsidian.page.locator(".notice", { hasText: "Undone." }).waitFor();
	expect([await exists("Meetings/2026-03-01 Seeds.md"), await exists("People/Miller.md")]).toEqual([false, false]);
});

test("a ready-made workflow becomes one of the vault", async () => {
	await open();
	await obsidian.state("ready");
	await choose("New from reading-note");
	await dialog().getByText("Name of the workflow").waitFor();
	await dialog().getByLabel("Name of the workflow").fill("What I read");
	await dialog().getByRole("status").filter({ hasText: "1 file changes." }).waitFor();
	await dialog().getByRole("button", { name: "Write", exact: true }).click();
	await expect.poll(() => exists("Agents/Workflows/What I read.md")).toBe(true);
	expect(await disk("Agents/Workflows/What I read.md")).toContain("```workflow\n");
});
