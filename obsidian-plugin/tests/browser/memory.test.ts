import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { bridge, type Given, home, obsidian, open, vaultForEach } from "./stage";

const FOLDER = "Agents/Memory";

vaultForEach();

const row = (title: string) => obsidian.page.locator(".vault-bridge-memory", { hasText: title });
const titles = (): Promise<string[]> => obsidian.page.locator(".vault-bridge-memory .vault-bridge-hit-title").allTextContents();
const shown = (): Promise<string> => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path ?? "");
const read = (title: string): Promise<string> => readFile(join(home.vault, FOLDER, `${title}.md`), "utf8");

/** Remember what an agent would, and what a person wrote by hand. */
async function remember(): Promise<void> {
	await bridge.call("set_up_memory", { confirm: true });
	await bridge.call("remember", { title: "Rye needs a sour starter", text: "Without one the loaf stays flat.\n\nMore than a third is enough.", kind: "decision", about: ["Sourdough starter"], confirm: true });
	await bridge.call("remember", { title: "The oven runs hot", text: "Set it twenty degrees lower than a recipe says.", kind: "learning", confirm: true });
	await mkdir(join(home.vault, FOLDER), { recursive: true });
	await writeFile(join(home.vault, FOLDER, "By hand.md"), "---\ntype: memory\nkind: decision\nexpires: soon\n---\nFlour is bought on Fridays.\n");
	await expect.poll(async () => (await bridge.call<{ total: number }>("list_memories", {})).total).toBe(3);
}

async function opened(given: Given = {}): Promise<void> {
	await remember();
	await open(given);
	await obsidian.state("ready");
	await obsidian.run("memory");
	await row("Rye needs").waitFor();
}

async function choose(title: string, item: string): Promise<void> {
	await row(title).click({ button: "right" });
	await obsidian.page.getByRole("menuitem", { name: item, exact: true }).click();
}

test("an empty ledger says what it is for, and sets the folder up", async () => {
	await open();
	await obsidian.state("ready");
	await obsidian.run("memory");
	await obsidian.page.getByRole("button", { name: "Set up Agents" }).click();
	await expect.poll(() => readFile(join(home.vault, "Agents", "About this folder.md"), "utf8").catch(() => "")).not.toBe("");
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await bridge.call("remember", { title: "First", text: "Something worth keeping." });
	await row("First").waitFor();
});

test("memories are listed with what is known of them, narrowed, and opened by the keyboard", async () => {
	await opened();
	expect((await titles()).sort()).toEqual(["By hand", "Rye needs a sour starter", "The oven runs hot"]);
	const rye = await row("Rye needs").innerText();
	expect(rye).toContain("Without one the loaf stays flat.");
	expect(rye).not.toContain("More than a third");
	expect(rye).toContain("hot · never used");
	await obsidian.page.getByText("1 memory needs a look").click();
	await obsidian.page.getByText("must be a date").waitFor();
	await obsidian.page.getByLabel("Narrow the ledger").click();
	await obsidian.page.getByRole("menuitem", { name: "decision" }).click();
	await expect.poll(async () => (await titles()).sort()).toEqual(["By hand", "Rye needs a sour starter"]);
	await obsidian.page.getByLabel("Without decision").click();
	await expect.poll(async () => (await titles()).length).toBe(3);
	const [first = "", second = ""] = await titles();
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await row(first).focus();
	await obsidian.page.keyboard.press("ContextMenu");
	await obsidian.page.getByRole("menuitem", { name: "Revise" }).waitFor();
	await obsidian.page.keyboard.press("Escape");
	await row(first).focus();
	await obsidian.page.keyboard.press("ArrowDown");
	await obsidian.page.keyboard.press("Enter");
	await expect.poll(shown).toBe(`${FOLDER}/${second}.md`);
});

test("a memory is pinned, given an end, judged, replaced and forgotten, down to the note", async () => {
	await opened();
	await choose("Rye needs", "Pin");
	await row("Rye needs").getByLabel("Pinned").waitFor();
	expect(await read("Rye needs a sour starter")).toContain("pinned: true");
	await choose("Rye needs", "Expire in 30 days");
	await expect.poll(() => row("Rye needs").innerText()).toContain("expires ");
	await choose("Rye needs", "Mark as useful");
	await obsidian.page.getByText("Marked as useful.").waitFor();
	await choose("The oven runs hot", "Forget");
	await obsidian.page.getByText("Forgotten.").waitFor();
	await expect.poll(async () => (await titles()).length).toBe(2);
	expect(await read("The oven runs hot")).toContain("tier: archived");
	await choose("By hand", "Replace by…");
	await obsidian.page.locator(".suggestion-item", { hasText: "Rye needs" }).click();
	await expect.poll(titles).toEqual(["Rye needs a sour starter"]);
	const replaced = await read("By hand");
	expect(replaced).toContain("superseded_by:");
	expect(replaced).toContain("Flour is bought on Fridays.");
});

test("sessions are shown with what was called and changed", async () => {
	await opened();
	await obsidian.page.getByRole("tab", { name: "Sessions" }).click();
	const card = obsidian.page.locator(".vault-bridge-session-card").filter({ hasText: /changed .*(Rye needs|oven)/ }).first();
	expect(await obsidian.page.locator(".vault-bridge-session-card").allInnerTexts()).not.toContainEqual(expect.stringContaining("Obsidian"));
	expect(await card.innerText()).toMatch(/\d+ calls? · changed/);
	await obsidian.page.getByRole("tab", { name: "Ledger" }).click();
	await row("Rye needs").waitFor();
});

test("what a session was given is shown with its reason, and taken out", async () => {
	await opened();
	const recalled = async (): Promise<string> => JSON.stringify(await bridge.callAs("pen", "recall", { query: "how hot is the oven" }));
	expect(await recalled()).toContain("twenty degrees");
	await obsidian.page.getByRole("tab", { name: "Sessions" }).click();
	const card = obsidian.page.locator(".vault-bridge-session-card").filter({ hasText: "pen" });
	await card.getByText(/Given 1 note · \d+ tokens/).click();
	const given = card.locator(".vault-bridge-given-note");
	expect(await given.innerText()).toMatch(/The oven runs hot\s+fits the question · \d+ tokens/);
	await given.getByRole("button", { name: "Take out" }).click();
	await given.getByText("taken out").waitFor();
	expect(await recalled()).not.toContain("twenty degrees");
	await given.getByRole("button", { name: "Give again" }).click();
	await given.getByRole("button", { name: "Take out" }).waitFor();
	expect(await recalled()).toContain("twenty degrees");
	await given.getByRole("button", { name: "The oven runs hot" }).click();
	await expect.poll(shown).toBe(`${FOLDER}/The oven runs hot.md`);
});

test.each([false, true])("nothing is cut off, dark: %s", async (dark) => {
	await opened({ dark, width: 560 });
	await obsidian.page.getByText("1 memory needs a look").click();
	await picture(obsidian, "memory", dark);
	await obsidian.page.getByRole("tab", { name: "Sessions" }).click();
	await obsidian.page.locator(".vault-bridge-session-card").first().waitFor();
	await picture(obsidian, "memory-sessions", dark);
});
