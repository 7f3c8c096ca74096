import { execFile } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { PROGRAM } from "./bridge";
import { picture } from "./picture";
import { bridge, type Given, home, obsidian, open, vaultForEach } from "./stage";
import { PLUGIN } from "./window";

const run = promisify(execFile);
const ROOT = join(PLUGIN, "..");
const QUESTION = "What do the bacteria in a sourdough starter prefer?";
const NOTE = "Bread/Starters/Sourdough starter.md";

vaultForEach();

const answer = () => obsidian.page.locator(".vaultside-turn").first();
const shown = (): Promise<string> => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path ?? "");

async function opened(given: Given = {}): Promise<void> {
	await open(given);
	await obsidian.state("ready");
	await obsidian.run("ask");
	await obsidian.page.getByLabel("Question").waitFor();
}

async function begin(question: string): Promise<void> {
	await obsidian.page.getByLabel("Question").fill(question);
	await obsidian.page.getByRole("button", { name: "Ask", exact: true }).click();
}

/** Ask, and wait until the answer is there. */
async function ask(question: string): Promise<void> {
	await begin(question);
	await obsidian.page.getByRole("button", { name: "Ask", exact: true }).waitFor();
}

/** Make a chat model whose behaviour is known, and let the bridge use it. */
async function useModel(name: string, make: string): Promise<void> {
	const file = join(home.path, `${name}.gguf`);
	const code = `import sys; from pathlib import Path; from tests.models.scripted import random_gguf, scripted_gguf; path = Path(sys.argv[1]); ${make}`;
	await run(join(ROOT, ".venv", "bin", "python"), ["-c", code, file], { cwd: ROOT });
	const events = await fetch(`${bridge.url}/api/events`, { headers: { Authorization: `Bearer ${bridge.token}`, Accept: "text/event-stream" } });
	await run(PROGRAM, ["models", "use", file, "--data-dir", home.data, "--models-dir", join(home.data, "models")]);
	// The bridge looks at its settings every now and then, and tells of it once they hold.
	let told = "";
	for await (const piece of events.body?.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
		told += piece;
		if (told.includes("event: settings_changed")) break;
	}
}

test.each([false, true])("without a chat model quotes answer, open their lines, and the command to get one is shown, dark: %s", async (dark) => {
	await opened({ dark });
	await obsidian.page.getByText("Ask in your own words").waitFor();
	await obsidian.page.getByText("no chat model is in use").click();
	await obsidian.page.getByText("vaultside models install qwen3.5-2b").waitFor();
	await obsidian.page.getByText("1,281 MB").waitFor();
	await ask(QUESTION);
	const quote = answer().getByRole("listitem").filter({ hasText: "the bacteria prefer maltose" });
	await quote.first().waitFor();
	await picture(obsidian, "ask-quotes", dark);
	await quote.first().getByRole("button").click();
	await expect.poll(shown).toBe(NOTE);
});

test("the first question takes the place of the hints", async () => {
	await opened();
	await obsidian.page.getByText("no chat model is in use").waitFor();
	await ask(QUESTION);
	expect(await obsidian.page.getByText("no chat model is in use").count()).toBe(0);
});

test("a quote is shown as it is read, and titles in a sentence without marks", async () => {
	await writeFile(join(home.vault, "Lease.md"), "# Lease\n\n- [ ] Sign the **zeppelin** lease with [[Levain|her]] [due:: 2025-10-15]\n\nAda Lovelace keeps the zeppelin in summer.\n\nIt is painted.\n\nGrace Hopper keeps the zeppelin in winter.\n");
	await opened();
	await bridge.call("wait_until_indexed", { path: "Lease.md", what: "keyword" });
	await ask("Who signs the zeppelin lease?");
	await answer().getByText("Sign the zeppelin lease with her due: 2025-10-15").waitFor();
	await ask("Who keeps the zeppelin?");
	expect(await answer().locator(".vaultside-quote .vaultside-cite").allInnerTexts()).toEqual(["1", "2"]);
	await ask("When did the lease of the moon base by the minister end?");
	console.log(await answer().innerText());
	const title = answer().locator(".vaultside-say em");
	expect(await title.allInnerTexts()).toEqual(["Lease"]);
	expect(await answer().locator(".vaultside-say").innerText()).not.toContain("*");
});

test("an answer goes below the cursor or into a note of its own, with links", async () => {
	await opened();
	await ask(QUESTION);
	await answer().getByRole("button", { name: "Insert into note" }).click();
	await obsidian.page.getByText("Open the note that the answer should go into.").waitFor();
	await answer().getByRole("listitem").first().getByRole("button").click();
	await expect.poll(shown).not.toBe("");
	await answer().getByRole("button", { name: "Insert into note" }).click();
	await expect.poll(() => obsidian.page.evaluate(() => window.app.workspace.activeEditor?.editor.getValue())).toContain("> Wild yeasts make the gas");
	await answer().getByRole("button", { name: "Save as note" }).click();
	await expect.poll(() => readdir(home.vault)).toContain("What do the bacteria in a sourdough starter prefer.md");
	// The app sees the file a moment later.
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await expect.poll(shown).toMatch(/What do the bacteria in a sourdough starter prefer\.md$/);
	expect(await readFile(join(home.vault, await shown()), "utf8")).toContain("[[Sourdough starter");
});

test("the same is asked again without a note, and a note is offered after an @", async () => {
	await opened();
	await ask(QUESTION);
	await answer().getByText(/^What was read \(\d+\)/).click();
	await answer().getByRole("button", { name: "Ask again without Sourdough starter" }).first().click();
	await expect.poll(() => obsidian.page.locator(".vaultside-turn").count()).toBe(2);
	await answer().getByText(/^What was read/).waitFor();
	expect(await answer().getByRole("button", { name: "Ask again without Sourdough starter" }).count()).toBe(0);
	const field = obsidian.page.getByLabel("Question");
	await field.pressSequentially("what is in @Brine str");
	await obsidian.page.locator(".suggestion-item", { hasText: "Brine strength" }).first().click();
	expect(await field.inputValue()).toMatch(/^what is in @\[\[.*Brine strength\]\] $/);
});

test.each([
	{ name: "chinese", direction: "ltr", path: "酸面团.md", said: "酸面团里的细菌最喜欢麦芽糖。", question: "酸面团里的细菌喜欢什么？" },
	{ name: "hebrew", direction: "rtl", path: "מחמצת.md", said: "החיידקים במחמצת מעדיפים מלטוז.", question: "מה החיידקים במחמצת מעדיפים?" },
])("quotes in $name run $direction in a window that does", async ({ name, direction, path, said, question }) => {
	await writeFile(join(home.vault, path), `# ${path.slice(0, -3)}\n\n${said}\n`);
	await opened();
	await bridge.call("wait_until_indexed", { path, what: "keyword" });
	await obsidian.page.evaluate((dir) => void (document.dir = dir), direction);
	await ask(question);
	const quote = answer().getByRole("listitem").filter({ hasText: said }).first();
	await quote.waitFor();
	const turned = answer().locator(".vaultside-question, .vaultside-quote").filter({ hasText: /[^\x00-\x7f]{4}/ });
	expect(await turned.evaluateAll((all) => all.map((el) => getComputedStyle(el).direction))).not.toContain(direction === "rtl" ? "ltr" : "rtl");
	await picture(obsidian, `ask-${name}`, false);
	await quote.getByRole("button").click();
	await expect.poll(shown).toBe(path);
});

test("what is typed and not asked yet stays though the bridge is away meanwhile", async () => {
	await opened();
	await obsidian.page.getByLabel("Question").fill(QUESTION);
	await obsidian.page.evaluate(() => (window.plugin as unknown as { link: { close: () => void } }).link.close());
	await obsidian.page.getByLabel("Question").waitFor({ state: "detached" });
	await obsidian.run("reconnect");
	await expect.poll(() => obsidian.page.getByLabel("Question").inputValue()).toBe(QUESTION);
});

test("a question that no note answers is told", async () => {
	await opened();
	await ask("torque of the zeppelin engine retarder");
	await answer().getByText("Not in the vault, as far as can be told").waitFor();
	expect(await answer().getByRole("button", { name: "Save as note" }).count()).toBe(0);
});

test("the open note is summarised, longer if wanted, and the summary kept in it", async () => {
	await opened();
	await ask(QUESTION);
	await answer().getByRole("listitem").first().getByRole("button").click();
	await expect.poll(shown).toBe(NOTE);
	await obsidian.run("summarise");
	await answer().getByText("Summary of Sourdough starter").waitFor();
	const cites = answer().getByRole("button", { name: /^Open Sourdough starter, line/ });
	await expect.poll(() => cites.count()).toBe(3);
	await picture(obsidian, "ask-summary", false);
	await answer().getByRole("button", { name: "Longer" }).click();
	await expect.poll(() => obsidian.page.locator(".vaultside-turn").count()).toBe(3);
	await expect.poll(() => cites.count()).toBe(10);
	const summary = (await answer().locator(".vaultside-answer span").first().innerText()).slice(0, 30);
	await answer().getByRole("button", { name: "Keep as callout" }).click();
	await obsidian.page.getByText("Kept in Sourdough starter.").waitFor();
	expect(await readFile(join(home.vault, NOTE), "utf8")).toContain(`> [!summary]\n> ${summary}`);
});

test("the words of a chat model come as it writes them, and what no note says is marked", async () => {
	await useModel("speaker", 'scripted_gguf(path, {"<|answer|>": ["The bacteria ", "prefer maltose [1][2][3]. ", "They fly to the moon [1]."]})');
	await opened();
	await obsidian.page.getByText("Scripted writes the answers").waitFor();
	await ask(QUESTION);
	const unsupported = answer().locator(".is-unsupported");
	await unsupported.waitFor();
	expect(await unsupported.innerText()).toBe("They fly to the moon.");
	await answer().getByText("(not in these notes)").waitFor();
	await picture(obsidian, "ask-chat", false);
});

test("an answer that no note says is folded away, and quotes stand in its place", async () => {
	await useModel("liar", 'scripted_gguf(path, {"<|answer|>": ["The bacteria ", "fly to the moon [1]. ", "They sing all night [1]."]})');
	await opened();
	await obsidian.page.getByText("Scripted writes the answers").waitFor();
	await ask(QUESTION);
	await answer().getByText("What the chat model wrote is withheld").waitFor();
	await answer().getByRole("listitem").filter({ hasText: "the bacteria prefer maltose" }).first().waitFor();
	expect(await answer().locator(".vaultside-answer").innerText()).toBe("");
	const written = answer().locator("details", { hasText: "They sing all night" });
	expect(await written.getAttribute("open")).toBeNull();
	await written.getByText("What the model wrote").click();
	await picture(obsidian, "ask-withheld", false);
});

test("an answer that is stopped stays as far as it came, and the next one can be asked", async () => {
	await useModel("slow", "random_gguf(path, layers=8)");
	await opened();
	await begin(QUESTION);
	await expect.poll(() => answer().locator(".vaultside-answer").innerText(), { timeout: 900_000 }).not.toBe("");
	await obsidian.page.getByRole("button", { name: "Stop" }).click();
	await answer().getByText("Stopped.").waitFor();
	await picture(obsidian, "ask-stopped", false);
	await obsidian.page.getByRole("button", { name: "Ask", exact: true }).waitFor();
	// The model reads and writes at low priority, and waits for whatever else the machine does.
}, 1_000_000);
