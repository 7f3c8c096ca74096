import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { paired } from "./programs";
import { bridge, home, obsidian, open, vaultForEach } from "./stage";

vaultForEach();

async function opened(): Promise<void> {
	await open();
	await obsidian.state("ready");
}

interface Late {
	/** How many answers are held back. */
	readonly held: () => number;
	/** Hold back no more from now on. */
	readonly pass: () => void;
	/** Hand over what was held back. */
	readonly release: () => Promise<void>;
}

/** Hold back what the bridge answers to an operation. */
function holding(operation: string): Late {
	let open = (): void => {};
	const released = new Promise<void>((resolve) => (open = resolve));
	let held = 0;
	obsidian.node.meanwhile.answered = async (url) => {
		if (!url.endsWith(`/${operation}`)) return;
		held += 1;
		await released;
	};
	return {
		held: () => held,
		pass: () => delete obsidian.node.meanwhile.answered,
		release: async () => {
			open();
			await obsidian.settled();
		},
	};
}

const button = (name: string): Locator => obsidian.page.getByRole("button", { name, exact: true });

test("how the index stands is not put back by an answer that comes late", async () => {
	await opened();
	await obsidian.run("status");
	await button("Pause embedding").waitFor();
	const late = holding("status");
	await button("Compare with the vault").click();
	await expect.poll(late.held).toBeGreaterThan(0);
	late.pass();
	await button("Pause embedding").click();
	await button("Resume embedding").waitFor();
	await late.release();
	expect(await button("Resume embedding").isVisible()).toBe(true);
});

test("what the index holds of a note is not put back by an answer that comes late", async () => {
	const [path, text] = ["Grown.md", "# Grown\n\nOne.\n"];
	await bridge.call("create_note", { path, text });
	await bridge.call("wait_until_indexed", { path, what: "links" });
	await opened();
	await obsidian.page.evaluate(async (at) => {
		const file = window.app.vault.getFileByPath(at);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, path);
	const late = holding("index_status");
	await obsidian.run("status");
	await expect.poll(late.held).toBeGreaterThan(0);
	late.pass();
	await bridge.call("edit_note", { path, edits: [{ op: "append", text: "\n# Anew\n\nTwo.\n" }] });
	const passage = obsidian.page.locator(".vaultside-passage", { hasText: "Anew" });
	await passage.waitFor();
	await late.release();
	expect(await passage.count()).toBe(1);
});

test("how many notes there are is not put back by an answer that comes late", async () => {
	await opened();
	const late = holding("status");
	await obsidian.run("search");
	await expect.poll(late.held).toBeGreaterThan(0);
	late.pass();
	await writeFile(join(home.vault, "Choice.md"), "---\ntype: choice\n---\nRye.\n");
	const stats = obsidian.page.locator(".vaultside-stats", { hasText: "choice 1" });
	await stats.waitFor();
	await late.release();
	expect(await stats.count()).toBe(1);
});

test("how many proposals wait is not put back by an answer that comes late", async () => {
	const quill = await paired(bridge, "Quill");
	const propose = (path: string): Promise<unknown> => quill("create_note", { path, text: "Rye.\n" });
	await opened();
	await propose("One.md");
	const badge = (count: number): Locator => obsidian.page.locator(".vaultside-badge", { hasText: String(count) });
	await badge(1).waitFor();
	const late = holding("list_decisions");
	await propose("Two.md");
	await expect.poll(late.held).toBeGreaterThan(0);
	late.pass();
	await propose("Three.md");
	await badge(3).waitFor();
	await late.release();
	expect(await badge(3).count()).toBe(1);
});

test("what sessions were given is not put back by answers that come late", async () => {
	await bridge.call("set_up_memory", { confirm: true });
	await bridge.call("remember", { title: "The oven runs hot", text: "Set it twenty degrees lower than a recipe says.", confirm: true });
	const recall = (client: string): Promise<unknown> => bridge.callAs(client, "recall", { query: "how hot is the oven" });
	await opened();
	await obsidian.run("memory");
	const late = holding("list_injections");
	await obsidian.page.getByRole("tab", { name: "Sessions" }).click();
	await recall("pen");
	// One is asked for by the pane, and one by the status bar.
	await expect.poll(late.held).toBeGreaterThan(1);
	late.pass();
	await recall("quill");
	const [sign, card] = [obsidian.page.locator(".vaultside-told", { hasText: "2" }), obsidian.page.locator(".vaultside-session-card", { hasText: "quill" }).getByText(/Given 1 note/)];
	await Promise.all([sign.waitFor(), card.waitFor()]);
	await late.release();
	expect([await sign.count(), await card.count()]).toEqual([1, 1]);
});

test("nothing is said of an empty list of memories once something is remembered", async () => {
	await bridge.call("set_up_memory", { confirm: true });
	await opened();
	const late = holding("set_up_memory");
	await obsidian.run("memory");
	await expect.poll(late.held).toBeGreaterThan(0);
	await bridge.call("remember", { title: "First", text: "Something worth keeping.", confirm: true });
	await obsidian.page.locator(".vaultside-memory", { hasText: "First" }).waitFor();
	await late.release();
	expect(await obsidian.page.getByText("Nothing is remembered yet").count()).toBe(0);
});

test("a rule is not offered with the meaning of one that was typed before", async () => {
	await opened();
	await obsidian.page.evaluate(() => window.plugin.tabs[0]?.show__());
	await button("Add to “Not indexed”").click();
	const late = holding("read_settings");
	const field = obsidian.page.getByRole("searchbox", { name: "Folder or pattern" });
	await field.fill("Garden");
	await expect.poll(late.held).toBeGreaterThan(0);
	await field.fill("Bread");
	await late.release();
	expect(await obsidian.page.getByText(/^Garden\/\*\* · /).count()).toBe(0);
});
