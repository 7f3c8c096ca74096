import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { beforeEach, expect, test } from "vitest";
import { picture } from "./picture";
import { pairing } from "./programs";
import { type Given, bridge, home, obsidian, open, vaultForEach } from "./stage";

const NOTE = "Beds.md";
const TEXT = "# Beds\n\nGarlic stands beside Kimchi.\n\nOne.\n\nTwo.\n\nThree.\n\nKombucha waits.\n";

let token: string;

vaultForEach({ after: () => bridge.call("create_note", { path: NOTE, text: TEXT }) });
beforeEach(async () => {
	await bridge.call("wait_until_indexed", { path: NOTE, what: "links" });
	token = await pairing(bridge, "Obsidian plugin");
});

/** A window that was let in by pairing, with a note and a pane beside it. */
async function opened(pane: string, given: Given = {}): Promise<void> {
	await open({ settings: { address: bridge.url }, secrets: { "vaultside-token": token }, ...given });
	await obsidian.state("ready");
	await obsidian.run(pane);
	await obsidian.page.evaluate(async (path) => {
		const file = window.app.vault.getFileByPath(path);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, NOTE);
}

const disk = (): Promise<string> => readFile(join(home.vault, NOTE), "utf8");
const button = (name: string | RegExp): Locator => obsidian.page.getByRole("button", { name, exact: typeof name === "string" });
const notice = (text: string): Locator => obsidian.page.locator(".notice", { hasText: text });
const row = (): Locator => obsidian.page.locator(".vaultside-change");
const suggested = (name: string): Locator => obsidian.page.getByRole("listitem").filter({ hasText: `→ ${name}` });

async function proposal(): Promise<string> {
	const { changes } = await bridge.call<{ changes: { id: string }[] }>("list_changes", { state: "proposed" });
	return changes[0]?.id ?? "";
}

test("a link that is only proposed is said to wait, is not offered twice, and is in the note once it is accepted elsewhere", async () => {
	await opened("related");
	await obsidian.page.locator("summary", { hasText: "Suggested links" }).click();
	await button("Link “Garlic” to Garlic").click();
	await notice("Proposed, not written yet: “Garlic” links to Garlic.").waitFor();
	await suggested("Garlic").getByText("awaiting approval").waitFor();
	expect(await button("Link “Garlic” to Garlic").count()).toBe(0);
	expect(await button("Undo").count()).toBe(0);
	expect(await disk()).toBe(TEXT);
	await notice("Proposed").getByRole("button", { name: "Show" }).click();
	const added = row().filter({ hasText: "Apply links" });
	await added.locator("summary").click();
	const id = await proposal();
	await added.getByText(`vaultside decide ${id} accept`).waitFor();
	expect(await button("Accept").count()).toBe(0);
	expect(await button("Reject").count()).toBe(0);
	await picture(obsidian, "changes-paired", false);
	await bridge.call("decide", { id: id, verdict: "accept" });
	await expect.poll(disk).toBe(TEXT.replace("Garlic", "[[Garlic]]"));
	await added.getByText("Made", { exact: true }).waitFor();
	await obsidian.run("related");
	await suggested("Kimchi").waitFor();
	await expect.poll(() => suggested("Garlic").count()).toBe(0);
});

test("what was rejected elsewhere is offered again, and of the others all are proposed together", async () => {
	await opened("related");
	await obsidian.page.locator("summary", { hasText: "Suggested links" }).click();
	await button("Link “Garlic” to Garlic").click();
	await suggested("Garlic").getByText("awaiting approval").waitFor();
	await button("Review all…").click();
	const dialog = obsidian.page.getByRole("dialog");
	await dialog.getByRole("checkbox").first().waitFor();
	expect(await dialog.locator("ins").allInnerTexts()).not.toContain("[[Garlic]]");
	await dialog.getByRole("button", { name: "Propose 2 links" }).click();
	await notice("Proposed, not written yet: 2 links made in Beds.").waitFor();
	await suggested("Kombucha").getByText("awaiting approval").waitFor();
	const { changes } = await bridge.call<{ changes: { id: string }[] }>("list_changes", { state: "proposed" });
	expect(changes).toHaveLength(2);
	await bridge.call("decide", { id: changes[1]?.id, verdict: "reject" });
	await button("Link “Garlic” to Garlic").waitFor();
	expect(await suggested("Kombucha").getByText("awaiting approval").count()).toBe(1);
	expect(await disk()).toBe(TEXT);
});

test("a mention that is to be linked in another note is proposed there", async () => {
	await opened("related");
	await obsidian.page.evaluate(async () => {
		const file = window.app.vault.getFileByPath("Garden/Plants/Garlic.md");
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	});
	await obsidian.page.locator("summary", { hasText: "Mentioned without a link" }).click();
	const beds = obsidian.page.getByRole("listitem").filter({ hasText: "Beds" });
	await beds.getByRole("button").last().click();
	await obsidian.page.getByRole("dialog").getByRole("button", { name: "Propose 1 link" }).click();
	await beds.getByText("awaiting approval").waitFor();
	expect(await disk()).toBe(TEXT);
});

test("undoing what somebody else did waits, too, part by part and as a whole", async () => {
	const { digest } = await bridge.call<{ digest: string }>("read_note", { path: NOTE });
	await bridge.call("edit_note", { path: NOTE, digest, edits: [{ op: "replace_text", old: "Garlic", new: "Leek" }, { op: "replace_text", old: "waits", new: "rests" }], reason: "Not so." });
	const changed = await disk();
	await opened("changes");
	const edited = row().filter({ hasText: "Not so." });
	await edited.locator("summary").click();
	const waiting = async (): Promise<number> => (await bridge.call<{ changes: object[] }>("list_changes", { state: "proposed" })).changes.length;
	for (const [at, name] of ["Undo Beds, line 3", "Undo"].entries()) {
		await edited.getByRole("button", { name, exact: true }).click();
		await expect.poll(waiting).toBe(at + 1);
		await obsidian.page.getByRole("status").filter({ hasText: "Proposed; awaiting approval." }).waitFor();
	}
	expect(await edited.getByText("Undone").count()).toBe(0);
	expect(await disk()).toBe(changed);
});

test("what the person writes in the editor is theirs, and waits for nobody", async () => {
	await opened("related");
	await obsidian.page.locator(".cm-line", { hasText: "Garlic stands" }).click();
	await obsidian.run("offer-links");
	await button("Link all 2").click();
	await expect.poll(disk).toBe(TEXT.replace("Garlic", "[[Garlic]]").replace("Kimchi", "[[Kimchi]]"));
	expect(await proposal()).toBe("");
});
