import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { inSession, paired, type Program } from "./programs";
import { type Given, bridge, home, obsidian, open, vaultForEach } from "./stage";

const NOTE = "Bread/Oven log.md";
const TEXT = ["# Oven log", "", "Bake at 230 degrees.", "", "Two.", "", "Three.", "", "Four.", "", "Five.", "", "Steam for ten minutes.", ""].join("\n");
const CHANGED = TEXT.replace("230", "250").replace("ten", "twelve");

vaultForEach({ after: () => bridge.call("create_note", { path: NOTE, text: TEXT }) });

interface Done {
	readonly change_id: string;
	readonly state: string;
}

/** Change both ends of the note, so that there are two parts. */
async function rewrite(caller: Program, reason = "The oven runs cold."): Promise<Done> {
	const { digest } = await caller<{ digest: string }>("read_note", { path: NOTE });
	const edits = [["230", "250"], ["ten", "twelve"]].map(([old, fresh]) => ({ op: "replace_text", old, new: fresh }));
	return caller("edit_note", { path: NOTE, digest, edits, reason });
}

async function opened(given: Given = {}): Promise<void> {
	await open(given);
	await obsidian.state("ready");
	await obsidian.run("changes");
}

/** Whether the notes were read; without a model nothing is embedded. */
const own: Program = (operation, given) => bridge.call(operation, given);
const disk = (path = NOTE): Promise<string> => readFile(join(home.vault, path), "utf8");
const row = (text: string): Locator => obsidian.page.locator(".vaultside-change", { hasText: text });
const button = (name: string | RegExp): Locator => obsidian.page.getByRole("button", { name, exact: typeof name === "string" });

async function read(path: string): Promise<void> {
	await obsidian.page.evaluate(async (name) => {
		const file = window.app.vault.getFileByPath(name);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, path);
}

async function unfold(text: string): Promise<Locator> {
	const found = row(text);
	await found.locator("summary").click();
	await found.locator(".vaultside-diff").first().waitFor();
	return found;
}

test("what a paired program proposes appears by itself, is counted, and is written when it is accepted", async () => {
	const quill = await paired(bridge, "Quill");
	await opened();
	expect(await obsidian.page.locator(".vaultside-badge").isVisible()).toBe(false);
	expect((await rewrite(quill)).state).toBe("proposed");
	await obsidian.page.getByRole("group", { name: "Quill", exact: true }).waitFor();
	await expect.poll(() => obsidian.page.locator(".vaultside-badge").innerText()).toBe("1");
	await expect.poll(() => obsidian.page.locator(".vaultside-waiting").innerText()).toBe("1");
	const shown = await unfold("The oven runs cold.");
	expect(await shown.locator("del").allInnerTexts()).toEqual(["230", "ten"]);
	expect(await shown.locator("ins").allInnerTexts()).toEqual(["250", "twelve"]);
	expect(await disk()).toBe(TEXT);
	await button("Accept").click();
	await obsidian.page.getByRole("status").filter({ hasText: "Accepted." }).waitFor();
	expect(await disk()).toBe(CHANGED);
	await expect.poll(() => obsidian.page.locator(".vaultside-waiting").isVisible()).toBe(false);
	await row("The oven runs cold.").getByText("Made", { exact: true }).waitFor();
});

test("of a proposal one part can be accepted, and the whole rejected", async () => {
	const quill = await paired(bridge, "Quill");
	await rewrite(quill);
	await opened();
	await unfold("The oven runs cold.");
	await obsidian.page.getByRole("checkbox", { name: "Accept Oven log, line 13" }).uncheck();
	await button("Accept 1 of 2 parts").click();
	await expect.poll(() => disk()).toBe(TEXT.replace("230", "250"));
	await quill("edit_note", { path: NOTE, edits: [{ op: "append", text: "Not wanted.\n" }], reason: "To be refused." });
	const before = await disk();
	await unfold("To be refused.");
	await button("Reject").click();
	await row("To be refused.").getByText("Rejected", { exact: true }).waitFor();
	expect(await disk()).toBe(before);
});

test("what one program proposed is accepted together, after it was said how much that is", async () => {
	const nib = await paired(bridge, "Nib");
	const edit = async (caller: Program, old: string, fresh: string): Promise<void> => {
		const { digest } = await caller<{ digest: string }>("read_note", { path: NOTE });
		await caller("edit_note", { path: NOTE, digest, edits: [{ op: "replace_text", old, new: fresh }] });
	};
	for (const [old, fresh] of [["230", "250"], ["Three.", "Third."], ["ten", "twelve"]] as const) await edit(nib, old, fresh);
	await opened();
	await button("Accept all that Nib proposed").click();
	await obsidian.page.getByText("This accepts 3 changes in 1 note.").waitFor();
	await picture(obsidian, "accept-all", false);
	// One of them no longer fits, which stays to be read.
	await edit(own, "Three.", "Drei.");
	await button("Accept them").click();
	await obsidian.page.getByText("Accepted 2 of 3 changes. Open the others to see why they were refused.").waitFor();
	expect(await disk()).toBe(CHANGED.replace("Three.", "Drei."));
});

test("a change is turned back and made again, and one part of it alone", async () => {
	await rewrite(own);
	await opened();
	const shown = await unfold("The oven runs cold.");
	await shown.getByRole("button", { name: "Undo", exact: true }).click();
	await expect.poll(() => disk()).toBe(TEXT);
	await shown.getByRole("button", { name: "Redo", exact: true }).click();
	await expect.poll(() => disk()).toBe(CHANGED);
	await shown.getByRole("button", { name: "Undo Oven log, line 13", exact: true }).click();
	await expect.poll(() => disk()).toBe(TEXT.replace("230", "250"));
});

test("a part that was turned back before is shown so, and not offered again", async () => {
	const { change_id } = await rewrite(own);
	await own("undo_change", { change_id, hunks: [2] });
	await opened();
	const shown = await unfold("The oven runs cold.");
	expect(await shown.getByRole("group", { name: "Oven log, line 13" }).innerText()).toContain("Undone.");
	expect(await shown.getByRole("button", { name: /^Undo/ }).allInnerTexts()).toEqual(["Undo this", "Undo"]);
	await shown.getByRole("button", { name: "Undo Oven log, line 3", exact: true }).waitFor();
});

test("a session is turned back as one, after it was said what that does", async () => {
	const session = await inSession(bridge, "Quill");
	await session("edit_note", { path: NOTE, edits: [{ op: "append", text: "One.\n" }] });
	await session("create_note", { path: "Made.md", text: "New.\n" });
	await own("edit_note", { path: NOTE, edits: [{ op: "prepend", text: "Mine.\n" }] });
	await opened();
	await button("Undo the session of Quill").click();
	await obsidian.page.getByText("This undoes 2 changes in 2 notes.").waitFor();
	expect(await disk("Made.md")).toBe("New.\n");
	await button("Undo them").click();
	await obsidian.page.getByRole("status").filter({ hasText: "Undid 2 changes." }).waitFor();
	expect(await disk()).toContain("Mine.");
	expect(await disk()).not.toContain("One.");
	await expect(disk("Made.md")).rejects.toThrow("ENOENT");
});

test("what turning a session back would do stays to be read when something else is changed, and is told anew", async () => {
	const session = await inSession(bridge, "Quill");
	await session("edit_note", { path: NOTE, edits: [{ op: "append", text: "One.\n" }] });
	await session("create_note", { path: "Made.md", text: "New.\n" });
	await opened();
	await button("Undo the session of Quill").click();
	await obsidian.page.getByText("This undoes 2 changes in 2 notes.").waitFor();
	const focused = (): Promise<string> => obsidian.page.evaluate(() => document.activeElement?.textContent ?? "");
	expect(await focused()).toBe("Undo them");
	await session("create_note", { path: "Made too.md", text: "New.\n" });
	await obsidian.page.getByText("This undoes 3 changes in 3 notes.").waitFor();
	expect(await focused()).toBe("Undo them");
	await button("Leave them").click();
	await expect.poll(() => obsidian.page.getByText("This undoes").count()).toBe(0);
	await button("Undo the session of Quill").click();
	await obsidian.page.getByText("This undoes 3 changes in 3 notes.").waitFor();
});

test("what stands in the way of an undo is shown, with what stands there", async () => {
	await rewrite(own);
	const { digest } = await own<{ digest: string }>("read_note", { path: NOTE });
	await own("edit_note", { path: NOTE, digest, edits: [{ op: "replace_text", old: "250", new: "260" }], reason: "Hotter still." });
	await opened();
	const shown = await unfold("The oven runs cold.");
	await shown.getByRole("button", { name: "Undo", exact: true }).click();
	const clash = shown.locator(".vaultside-clash");
	await clash.waitFor();
	expect(await clash.innerText()).toContain("260");
	await expect.poll(() => shown.getByRole("button", { name: "Undo", exact: true }).isEnabled()).toBe(true);
});

test("the keyboard goes from change to change, reads one, and opens the note at the line", async () => {
	await rewrite(own);
	await own("edit_note", { path: NOTE, edits: [{ op: "append", text: "Last.\n" }], reason: "The newest." });
	await opened();
	await row("The newest.").locator("summary").focus();
	await obsidian.page.keyboard.press("ArrowDown");
	await obsidian.page.keyboard.press("Enter");
	const shown = row("The oven runs cold.");
	await shown.locator(".vaultside-diff").first().waitFor();
	await obsidian.page.keyboard.press("Tab");
	await obsidian.page.keyboard.press("Enter");
	await expect.poll(() => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path)).toBe(NOTE);
	const line = (): Promise<number> => obsidian.page.evaluate(() => (window.app.workspace.getMostRecentLeaf()?.view as unknown as { editor: { getCursor: () => { line: number } } }).editor.getCursor().line);
	await expect.poll(line).toBe(2);
});

test("a list is bounded, and shows more when it is asked to", async () => {
	for (let at = 0; at < 24; at++) await own("edit_note", { path: NOTE, edits: [{ op: "append", text: `Line ${at}.\n` }] });
	await opened();
	const rows = obsidian.page.locator(".vaultside-change");
	await expect.poll(() => rows.count()).toBe(20);
	await button("Show more").click();
	await expect.poll(() => rows.count()).toBe(25);
	expect(await button("Show more").count()).toBe(0);
});

test("a change is made through the app, and never over what is not saved", async () => {
	await opened();
	await read(NOTE);
	expect(await rewrite(own)).toMatchObject({ state: "applied", by: "obsidian" });
	expect(await disk()).toBe(CHANGED);
	const field = obsidian.page.locator(".cm-content");
	await obsidian.page.evaluate(() => (window.app.workspace.keepUnsaved__ = true));
	// The editor may still be showing the change, and then forgets what was selected to be replaced.
	await expect.poll(async () => (await field.fill("Typed, and not saved."), field.innerText())).toBe("Typed, and not saved.");
	await expect(own("edit_note", { path: NOTE, edits: [{ op: "append", text: "Over it.\n" }] })).rejects.toThrow("unsaved");
	expect(await field.innerText()).toBe("Typed, and not saved.");
	expect(await disk()).toBe(CHANGED);
});

test("nothing of the changes is cut off, whatever the script, in light and in dark", async () => {
	const quill = await paired(bridge, "Quill");
	await own("create_note", { path: "旅行/面包笔记.md", text: "# 面包\n\n水温是二十度。\n\nالعجين يرتاح ساعة واحدة.\n" });
	const { digest } = await own<{ digest: string }>("read_note", { path: "旅行/面包笔记.md" });
	await own("edit_note", { path: "旅行/面包笔记.md", digest, edits: [{ op: "append", text: `${"bread-".repeat(60)}\n` }], reason: "A long word." });
	const { digest: now } = await own<{ digest: string }>("read_note", { path: "旅行/面包笔记.md" });
	const edits = [["二十", "二十四"], ["ساعة واحدة", "ساعتين"]].map(([old, fresh]) => ({ op: "replace_text", old, new: fresh }));
	await quill("edit_note", { path: "旅行/面包笔记.md", digest: now, edits, reason: "Warmer water, and a longer rest." });
	await rewrite(own);
	for (const dark of [false, true]) {
		if (dark) await obsidian.close();
		await opened({ dark });
		await read("旅行/面包笔记.md");
		await unfold("Warmer water");
		expect(await row("Warmer water").locator("ins").allInnerTexts()).toEqual(["四", "ساعتين"]);
		await obsidian.page.locator(".vaultside-badge", { hasText: "1" }).waitFor();
		await picture(obsidian, "changes", dark);
		await row("Warmer water").locator("summary").click();
		await unfold("The oven runs cold.");
		await picture(obsidian, "changes-done", dark);
	}
});

test("what an agent may do is agreed to where it waits, and taken back", async () => {
	const text = "{version: 1, steps: [{id: note, do: create_note, path: Reading/Salt.md}]}";
	await opened();
	const { path } = await bridge.call<{ path: string }>("author_workflow", { name: "Salt", text, confirm: true });
	await bridge.call("wait_until_indexed", { path, what: "links" });
	const decision = obsidian.page.locator(".vaultside-decision", { hasText: "run the workflow Agents/Workflows/Salt.md" });
	await decision.waitFor();
	await expect.poll(() => obsidian.page.locator(".vaultside-badge").innerText()).toBe("1");
	const approved = async (): Promise<boolean | undefined> => (await bridge.call<{ workflows: { approved: boolean }[] }>("list_workflows", {})).workflows[0]?.approved;
	await decision.getByRole("button", { name: "Accept" }).click();
	await expect.poll(approved).toBe(true);
	await decision.getByRole("button", { name: "Take back" }).click();
	await expect.poll(approved).toBe(false);
	await decision.filter({ hasText: "(rejected)" }).getByRole("button", { name: "Accept" }).click();
	await expect.poll(approved).toBe(true);
	await decision.getByRole("button", { name: "Take back" }).waitFor();
	await picture(obsidian, "decisions", false);
});

test("a workflow that was written by hand waits, too", async () => {
	const block = "version: 1\nsteps: [{id: note, do: create_note, path: Reading/Salt.md}]";
	await writeFile(join(home.vault, "Salt.md"), `---\ntype: workflow\n---\n\`\`\`workflow\n${block}\n\`\`\`\n`);
	await bridge.call("wait_until_indexed", { path: "Salt.md", what: "links" });
	await opened();
	const decision = obsidian.page.locator(".vaultside-decision", { hasText: "run the workflow Salt.md" });
	await decision.getByRole("button", { name: "Accept" }).click();
	await decision.getByRole("button", { name: "Take back" }).waitFor();
	expect((await bridge.call<{ workflows: { approved: boolean }[] }>("list_workflows", {})).workflows[0]?.approved).toBe(true);
});
