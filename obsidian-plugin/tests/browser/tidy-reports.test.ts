import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { bridge, home, obsidian, open, vaultForEach } from "./stage";

const NOTES: Readonly<Record<string, string>> = {
	"Inbox/Baker.md": "---\nstatus: opne\nRanking: 3\n---\nSee [[Cob oven]]. #oven/first\n",
};

vaultForEach({
	after: async () => {
		for (const [path, text] of Object.entries(NOTES)) await bridge.call("create_note", { path, text, confirm: true });
		await bridge.call("wait_until_indexed", { path: "Inbox/Baker.md", what: "links" });
	},
});

async function opened(): Promise<void> {
	await open();
	await obsidian.state("ready");
	await obsidian.run("tidy");
}

const disk = (path: string): Promise<string> => readFile(join(home.vault, path), "utf8");
const exists = (path: string): Promise<boolean> => stat(join(home.vault, path)).then(() => true, () => false);
const dialog = (): Locator => obsidian.page.getByRole("dialog");
const list = (name: string): Locator => obsidian.page.getByRole("list", { name, exact: true });
const row = (report: string, text: string): Locator => list(report).getByRole("listitem").filter({ hasText: text });

/** Ask for more properties until one is among them. */
async function listed(name: string): Promise<void> {
	const properties = obsidian.page.locator(".vaultside-tidy details", { has: list("Properties") });
	const more = properties.locator("button:visible", { hasText: "Show more" });
	await expect.poll(async () => {
		await properties.locator("[aria-busy=false]").waitFor();
		const isListed = (await row("Properties", name).count()) > 0;
		// While what was renamed is not listed yet, there may be no more.
		if (!isListed) await more.evaluateAll((all) => all.forEach((el) => (el as HTMLElement).click()));
		return isListed;
	}).toBe(true);
}

/** Open a report of the pane. */
async function unfold(name: string): Promise<void> {
	const report = obsidian.page.locator(".vaultside-tidy details", { has: obsidian.page.locator("summary", { hasText: new RegExp(`^${name} \\(\\d+\\)$`) }) });
	await report.locator("summary").click();
	await report.locator("[aria-busy=false]").waitFor();
}

/** Press a button of a row, which is there while the pointer is. */
async function press(one: Locator, name: string | RegExp): Promise<void> {
	// Where the list is drawn anew meanwhile, the row under the pointer is another one.
	await expect.poll(async () => {
		await one.hover();
		return one.getByRole("button", { name, exact: true }).click({ timeout: 5_000 }).then(() => true, () => false);
	}).toBe(true);
}

test("a property and a value of it are changed everywhere, each after a look", async () => {
	await opened();
	await unfold("Properties");
	await listed("Ranking");
	await press(row("Properties", "Ranking"), "Rename Ranking");
	await dialog().getByLabel("Property").fill("place");
	await dialog().getByRole("status").filter({ hasText: "1 file changes." }).waitFor();
	await dialog().getByRole("button", { name: "Rename", exact: true }).click();
	await expect.poll(() => disk("Inbox/Baker.md")).toContain("\nplace: 3\n");
	await listed("place");
	await press(row("Properties", "place"), "Values of place");
	await list("Values of place").getByRole("button", { name: "Change 3" }).click();
	await dialog().getByLabel("Value").fill("4");
	await dialog().getByRole("button", { name: "Change", exact: true }).click();
	await expect.poll(() => disk("Inbox/Baker.md")).toContain("\nplace: 4\n");
});

test("the values of a property stay while more properties are listed", async () => {
	await opened();
	await unfold("Properties");
	const first = list("Properties").getByRole("listitem").filter({ hasText: "Rename…" }).first();
	const name = await first.locator(".vaultside-missing-title").innerText();
	const values = first.getByRole("button", { name: `Values of ${name}`, exact: true });
	await press(first, `Values of ${name}`);
	await list(`Values of ${name}`).getByRole("listitem").first().waitFor();
	await first.evaluate((el) => el.setAttribute("data-before", ""));
	await obsidian.page.locator(".vaultside-tidy details", { has: list("Properties") }).getByRole("button", { name: "Show more" }).click();
	await expect.poll(() => first.getAttribute("data-before")).toBe(null);
	await list(`Values of ${name}`).getByRole("listitem").first().waitFor();
	await expect.poll(async () => {
		await first.hover();
		return values.getAttribute("aria-expanded", { timeout: 5_000 }).catch(() => "not shown");
	}).toBe("true");
	await press(first, `Values of ${name}`);
	await expect.poll(() => list(`Values of ${name}`).count()).toBe(0);
});

test("a tag is renamed everywhere by a command", async () => {
	await opened();
	await obsidian.run("rename-tag");
	await obsidian.page.getByPlaceholder("Rename a tag…").fill("oven/first");
	await obsidian.page.keyboard.press("Enter");
	await dialog().getByLabel("Tag").fill("oven/one");
	await dialog().getByRole("status").filter({ hasText: "1 file changes." }).waitFor();
	expect(await dialog().locator("ins").allInnerTexts()).toEqual(["one"]);
	await dialog().getByRole("button", { name: "Rename", exact: true }).click();
	await expect.poll(() => disk("Inbox/Baker.md")).toContain("#oven/one");
});

test("rules that notes break and old notes say what can be done", async () => {
	await opened();
	for (const name of ["Rules that notes break", "Old notes that others rely on"]) await unfold(name);
	// All files of a copied vault are of today; this note has the property `updated`.
	await list("Old notes that others rely on").getByText("Ferment log").waitFor();
	const broken = list("Rules that notes break").getByRole("listitem");
	const before = await broken.allInnerTexts();
	await press(broken.first(), /may stay so$/);
	await expect.poll(() => broken.allInnerTexts()).not.toEqual(before);
	await obsidian.page.getByText("1 left out, as you or an agent said.").waitFor();
	await obsidian.page.getByRole("button", { name: "Undo" }).click();
	await expect.poll(() => broken.allInnerTexts()).toEqual(before);
});

test("an open task is done, and open again", async () => {
	await opened();
	await unfold("Open tasks");
	const first = list("Open tasks").getByRole("listitem").first();
	const title = await first.locator(".vaultside-missing-title").innerText();
	const { tasks } = await bridge.call<{ tasks: readonly { path: string; line: number; text: string }[] }>("list_tasks", { status: "open", sort: "due", limit: 1 });
	const [task] = tasks;
	expect(title).toBe(task?.text);
	const before = await disk(task?.path ?? "");
	await press(first, `${title} is done`);
	await obsidian.page.locator(".notice", { hasText: "is done." }).waitFor();
	expect((await disk(task?.path ?? "")).split("\n")[(task?.line ?? 0) - 1]).toMatch(/\[x\]/);
	await expect.poll(() => row("Open tasks", title).count()).toBe(0);
	await obsidian.page.getByRole("button", { name: "Undo" }).click();
	await row("Open tasks", title).waitFor();
	expect(await disk(task?.path ?? "")).toBe(before);
});

test("links to unwritten notes, notes without links, the best connected ones and the growth are listed", async () => {
	await bridge.call("create_note", { path: "Inbox/Alone.md", text: "Nobody knows this.\n", confirm: true });
	await bridge.call("create_note", { path: "Inbox/Lost.md", text: "[[Quantum rolling pin]] and [[Baker]]\n", confirm: true });
	await bridge.call("wait_until_indexed", { path: "Inbox/Lost.md", what: "links" });
	await opened();
	for (const name of ["Links to notes that are not written", "Notes without links", "Best connected notes", "Growth by week"]) await unfold(name);
	await row("Best connected notes", "connected with").first().waitFor();
	expect(await list("Growth by week").innerText()).toMatch(/^\d{4}-\d\d-\d\d: \d+ notes, \d+ links/);
	const alone = row("Notes without links", "Inbox/Alone.md");
	await press(alone, "Alone needs no links");
	await expect.poll(() => alone.count()).toBe(0);
	const lost = obsidian.page.locator(".vaultside-tidy details", { has: list("Links to notes that are not written") });
	while ((await row("Links to notes that are not written", "Quantum rolling pin").count()) === 0) {
		await lost.getByRole("button", { name: "Show more" }).click();
		await lost.locator("[aria-busy=false]").waitFor();
	}
	await picture(obsidian, "tidy-reports", false);
	await press(row("Links to notes that are not written", "Quantum rolling pin"), "Write the note Quantum rolling pin");
	await expect.poll(() => obsidian.page.getByPlaceholder("Name of the new note").inputValue()).toBe("Quantum rolling pin");
	await obsidian.page.keyboard.press("Enter");
	await expect.poll(() => exists("Quantum rolling pin.md")).toBe(true);
});
