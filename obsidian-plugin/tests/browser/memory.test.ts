import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { picture } from "./picture";
import { bridge, type Given, home, obsidian, open, vaultForEach } from "./stage";

const FOLDER = "Agents/Memory";

vaultForEach();

const row = (title: string) => obsidian.page.locator(".vaultside-memory", { hasText: title });
const titles = (): Promise<string[]> => obsidian.page.locator(".vaultside-memory .vaultside-hit-title").allTextContents();
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

test("an empty list of memories says what it is for, and sets the folder up", async () => {
	await open();
	await obsidian.state("ready");
	await obsidian.run("memory");
	await obsidian.page.getByRole("button", { name: "Make the folder Agents" }).click();
	await expect.poll(() => readFile(join(home.vault, "Agents", "About this folder.md"), "utf8").catch(() => "")).not.toBe("");
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await bridge.call("remember", { title: "First", text: "Something worth keeping." });
	await row("First").waitFor();
});

test("the button that sets the folder up stays while other notes change", async () => {
	await open();
	await obsidian.state("ready");
	await obsidian.run("memory");
	const button = obsidian.page.getByRole("button", { name: "Make the folder Agents" });
	await button.evaluate((el) => el.setAttribute("data-pressed", ""));
	let answered = 0;
	obsidian.node.meanwhile.answered = async (url) => void (url.endsWith("/set_up_memory") && (answered += 1));
	await bridge.call("create_note", { path: "Just now.md", text: "Said a moment ago." });
	await expect.poll(() => answered).toBeGreaterThan(0);
	await obsidian.settled();
	expect(await button.getAttribute("data-pressed")).toBe("");
});

test("memories are listed with what is known of them, narrowed, and opened by the keyboard", async () => {
	await opened();
	expect((await titles()).sort()).toEqual(["By hand", "Rye needs a sour starter", "The oven runs hot"]);
	const rye = await row("Rye needs").innerText();
	expect(rye).toContain("Without one the loaf stays flat.");
	expect(rye).not.toContain("More than a third");
	expect(rye).toContain("not used yet");
	await obsidian.page.getByText("1 memory needs a look").click();
	await obsidian.page.getByText("must be a date").waitFor();
	await obsidian.page.getByLabel("Narrow the memories").click();
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
	const card = obsidian.page.locator(".vaultside-session-card").filter({ hasText: /changed .*(Rye needs|oven)/ }).first();
	await card.waitFor();
	expect(await obsidian.page.locator(".vaultside-session-card").allInnerTexts()).not.toContainEqual(expect.stringContaining("Obsidian"));
	expect(await card.innerText()).toMatch(/\d+ calls? · changed/);
	await obsidian.page.getByRole("tab", { name: "Memories" }).click();
	await row("Rye needs").waitFor();
});

test("what a session was given is shown with its reason, and taken out", async () => {
	await opened();
	const recalled = async (): Promise<string> => JSON.stringify(await bridge.callAs("pen", "recall", { query: "how hot is the oven" }));
	expect(await recalled()).toContain("twenty degrees");
	await obsidian.page.getByRole("tab", { name: "Sessions" }).click();
	const card = obsidian.page.locator(".vaultside-session-card").filter({ hasText: "pen" });
	await card.getByText(/Given 1 note · \d+ tokens/).click();
	const given = card.locator(".vaultside-given-note");
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

const card = (client: string) => obsidian.page.locator(".vaultside-session-card:not(.vaultside-handoff)").filter({ has: obsidian.page.getByText(client, { exact: true }) });
const recalled = async (client: string): Promise<string> => JSON.stringify(await bridge.callAs(client, "recall", { query: "how hot is the oven" }));

async function showSessions(): Promise<void> {
	await obsidian.page.getByRole("tab", { name: "Sessions" }).click();
}

/** Hand work over, with a claim that holds and one that no longer does. */
async function handOver(): Promise<void> {
	const path = `${FOLDER}/By hand.md`;
	await bridge.callAs("pen", "hand_over", {
		goal: "Describe every starter",
		state: "Half of it.",
		next_action: "Write about rye.",
		to: "quill",
		claims: [
			{ text: "Flour is bought weekly", proof: { path, quote: "Flour is bought on Fridays." } },
			{ text: "Rye is remembered", proof: { path: `${FOLDER}/Rye needs a sour starter.md`, property: "kind", value: "decision" } },
		],
	});
	await writeFile(join(home.vault, path), "---\ntype: memory\nkind: decision\n---\nFlour is bought on Mondays.\n");
	await bridge.call("wait_until_indexed", { path });
}

test("handoffs that wait are shown with what their claims are worth, and opened by the keyboard", async () => {
	await opened();
	await handOver();
	await showSessions();
	const list = obsidian.page.getByRole("list", { name: "Handoffs that wait" });
	expect(await list.innerText()).toMatch(/1 handoff waits\s+Describe every starter\s+from pen · for quill · .*\s+Next: Write about rye\./);
	expect(await list.locator("[data-verdict=changed]").innerText()).toBe("Flour is bought weekly");
	expect(await list.locator("[data-verdict=changed]").getAttribute("aria-label")).toMatch(/^No longer true: it lacks the quote/);
	expect(await list.locator("[data-verdict=still_true]").innerText()).toBe("Rye is remembered");
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await list.getByRole("button", { name: "Describe every starter" }).focus();
	await obsidian.page.keyboard.press("Enter");
	await expect.poll(shown).toMatch(/^Agents\/Handoffs\/.*Describe every starter\.md$/);
	await bridge.callAs("quill", "take_over", {});
	await expect.poll(() => list.count()).toBe(0);
});

test("an agent is never told of a note that the person keeps from it", async () => {
	await opened();
	for (const client of ["pen", "quill"]) expect(await recalled(client)).toContain("twenty degrees");
	await showSessions();
	await card("pen").getByText(/Given 1 note/).click();
	await card("pen").getByRole("button", { name: "Never tell this agent" }).focus();
	await obsidian.page.keyboard.press("Enter");
	await obsidian.page.getByText("pen is no longer given this note.").waitFor();
	expect(await read("The oven runs hot")).toContain("deny_agents:\n  - pen");
	await expect.poll(() => recalled("pen")).not.toContain("twenty degrees");
	expect(await recalled("quill")).toContain("twenty degrees");
	await obsidian.page.getByRole("tab", { name: "Memories" }).click();
	await choose("The oven runs hot", "Never tell an agent…");
	await obsidian.page.locator(".suggestion-item", { hasText: "quill" }).click();
	await obsidian.page.getByText("quill is no longer given this note.").waitFor();
	await expect.poll(() => recalled("quill")).not.toContain("twenty degrees");
	expect(await read("The oven runs hot")).toContain("deny_agents:\n  - pen\n  - quill");
});

test("what a session would be told now is shown beside what it was given", async () => {
	await opened();
	await bridge.callAs("pen", "brief", {});
	await bridge.call("forget_memory", { path: `${FOLDER}/Rye needs a sour starter.md` });
	await bridge.call("remember", { title: "Salt last", text: "It slows the starter down.", kind: "decision", confirm: true });
	await showSessions();
	const again = card("pen").getByRole("button", { name: "Show what this session would be told now" });
	await again.focus();
	await obsidian.page.keyboard.press("Enter");
	const now = card("pen").getByRole("group", { name: "What it would be told now" });
	await now.getByText(/It would be told \d+ notes? now · \d+ tokens/).waitFor();
	expect(await now.locator("[data-difference=fresh]").allInnerTexts()).toEqual([expect.stringMatching(/^New\s+Salt last$/)]);
	expect(await now.locator("[data-difference=gone]").allInnerTexts()).toEqual([expect.stringMatching(/^No longer\s+Rye needs a sour starter$/)]);
	expect(await now.locator("[data-difference=again]").allInnerTexts()).toContainEqual(expect.stringMatching(/^Again\s+The oven runs hot$/));
	expect(await again.evaluate((el) => el === document.activeElement)).toBe(true);
	await obsidian.page.evaluate(() => window.app.vault.read__());
	await now.getByRole("button", { name: "Salt last" }).click();
	await expect.poll(shown).toBe(`${FOLDER}/Salt last.md`);
});

test("a note is added to the next answer of an open session", async () => {
	await opened();
	await recalled("pen");
	await showSessions();
	await card("pen").getByRole("button", { name: "Add a note to the next answer of this session" }).focus();
	await obsidian.page.keyboard.press("Enter");
	await obsidian.page.keyboard.type("staling");
	await obsidian.page.locator(".suggestion-item", { hasText: "Staling" }).first().click();
	await obsidian.page.getByText("It is given “Staling” with its next answer.").waitFor();
	const [session] = (await bridge.call<{ sessions: { id: string }[] }>("list_sessions", { client: "pen" })).sessions;
	const again = { session: session?.id, path: "Bread/Science/Staling.md" };
	expect(await bridge.call("give_note", again)).toEqual({ ...again, waiting: 1, withheld: false });
});

test("the status bar counts the open sessions that were given notes, and lists them", async () => {
	await opened();
	const sign = obsidian.page.locator(".vaultside-told");
	expect(await sign.isVisible()).toBe(false);
	for (const client of ["pen", "quill"]) await recalled(client);
	await expect.poll(() => sign.innerText()).toBe("2");
	expect(await sign.getAttribute("aria-label")).toBe("2 open sessions of agents were given notes");
	await bridge.callAs("quill", "save_session", { goal: "Bake", status: "completed" });
	await recalled("pen");
	await expect.poll(() => sign.innerText()).toBe("1");
	await sign.focus();
	await obsidian.page.keyboard.press("Enter");
	await obsidian.page.getByRole("menuitem", { name: "pen: 1 note" }).click();
	await card("pen").waitFor();
});

test.each([false, true])("nothing is cut off, dark: %s", async (dark) => {
	await opened({ dark, width: 560 });
	await obsidian.page.getByText("1 memory needs a look").click();
	await picture(obsidian, "memory", dark);
	await handOver();
	await bridge.callAs("pen", "brief", {});
	await showSessions();
	await card("pen").getByText(/Given \d notes?/).click();
	await card("pen").getByRole("button", { name: "Show what this session would be told now" }).click();
	await card("pen").getByText(/It would be told/).waitFor();
	await picture(obsidian, "memory-sessions", dark);
});
