import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { bridge, obsidian, oneBridge, open, serve } from "./stage";

const STARTER = "Bread/Starters/Sourdough starter.md";

oneBridge(false);

/** Show a pane, and move it into a window of its own. */
async function popped(pane: string): Promise<Page> {
	await open();
	await obsidian.state("ready");
	await obsidian.page.evaluate(async (path) => {
		const file = window.app.vault.getFileByPath(path);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, STARTER);
	await obsidian.run(pane);
	return moved(pane);
}

async function moved(pane: string): Promise<Page> {
	const [popup] = await Promise.all([
		obsidian.page.waitForEvent("popup"),
		obsidian.page.evaluate((type) => {
			const [leaf] = window.app.workspace.getLeavesOfType(type);
			if (leaf !== undefined) window.app.workspace.moveLeafToPopout(leaf);
		}, `vaultside-${pane}`),
	]);
	await popup.locator(".vaultside-pane").waitFor();
	return popup;
}

const active = (): Promise<string | undefined> => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path);
const leaves = (pane: string): Promise<number> => obsidian.page.evaluate((type) => window.app.workspace.getLeavesOfType(type).length, `vaultside-${pane}`);

test("the search in a window of its own answers, goes by keys, has its menu there, copies and drags", async () => {
	const popup = await popped("search");
	const field = popup.getByRole("combobox");
	await field.fill("frost dates");
	const hits = popup.locator(".vaultside-hit");
	// While nothing is asked, the newest notes are listed.
	await hits.first().filter({ hasText: "Frost dates" }).waitFor();
	await hits.first().click({ button: "right" });
	await popup.getByRole("menuitem", { name: "Copy link" }).click();
	await expect.poll(() => popup.evaluate(() => navigator.clipboard.readText())).toBe("[[Frost dates]]");
	const dragged = await hits.first().evaluate((el) => {
		const event = new DragEvent("dragstart", { dataTransfer: new DataTransfer(), bubbles: true });
		el.dispatchEvent(event);
		return event.dataTransfer?.getData("text/plain");
	});
	expect(dragged).toBe("[[Frost dates]]");
	await field.press("ArrowDown");
	await field.press("Enter");
	await expect.poll(active).toBe("Garden/Frost dates.md");
	await popup.getByRole("button", { name: "Narrow the search" }).click();
	await popup.getByRole("menuitem", { name: "In a folder…" }).click();
	await popup.locator(".prompt-input").fill("Bread");
	await popup.locator(".prompt-input").press("Enter");
	await popup.locator(".vaultside-chip", { hasText: "Bread" }).first().waitFor();
});

test("related notes in a window of their own follow the note, fold out, and take the keyboard", async () => {
	const popup = await popped("related");
	await expect.poll(() => popup.locator(".vaultside-head-title").innerText()).toBe("Sourdough starter");
	await obsidian.page.locator(".cm-line", { hasText: "Wild yeasts" }).first().click();
	await expect.poll(() => popup.locator(".vaultside-scope").innerText()).toContain("§ What lives in there");
	// What is selected among the hits of before is no more when those of the section are there.
	await popup.locator(".vaultside-related[aria-busy=false]").waitFor();
	const list = popup.locator(".vaultside-hits:visible").first();
	await list.focus();
	await popup.keyboard.press("ArrowDown");
	expect(await popup.locator(".vaultside-hit.is-selected").count()).toBe(1);
	await obsidian.page.evaluate(async () => {
		const file = window.app.vault.getFileByPath("Welcome.md");
		if (file !== null) await window.app.workspace.getLeaf().openFile(file, { active: false });
	});
	await popup.getByText("Updates resume when you leave this list.").waitFor();
	await list.blur();
	await expect.poll(() => popup.locator(".vaultside-head-title").innerText()).toBe("Welcome");
});

test("the graph in a window of its own is drawn there, follows its size and the pointer, and gives all back when that closes", async () => {
	const popup = await popped("graph");
	const picture = popup.locator(".vaultside-graph-picture");
	await expect.poll(() => picture.locator("canvas").count()).toBeGreaterThan(2);
	const size = (): Promise<number> => picture.locator("canvas").first().evaluate((el: HTMLCanvasElement) => el.clientWidth);
	const before = await size();
	await popup.setViewportSize({ width: 420, height: 600 });
	await expect.poll(size).toBeLessThan(before);
	/** Where the node is on the page, once the picture has come to rest. */
	const place = async (): Promise<[x: number, y: number]> => {
		const [at, box] = [await where(), await picture.boundingBox()];
		return [(box?.x ?? 0) + at.x, (box?.y ?? 0) + at.y];
	};
	const where = (): Promise<{ x: number; y: number }> => obsidian.page.evaluate(async () => {
		const [leaf] = window.app.workspace.getLeavesOfType("vaultside-graph");
		type Stage = { drawn: { picture: { nodes: { id: number; title: string }[] } }; canvas: { positionOf: (id: number) => { x: number; y: number } } };
		const { stage } = (leaf?.view as unknown as { parts: { stage: Stage } }).parts;
		const node = stage.drawn.picture.nodes.find(({ title }) => title === "Levain");
		let at = stage.canvas.positionOf(node?.id ?? -1);
		for (let still = 0; still < 5; ) {
			await new Promise((resolve) => leaf?.containerEl.win.requestAnimationFrame(resolve));
			const now = stage.canvas.positionOf(node?.id ?? -1);
			still = now.x === at.x && now.y === at.y ? still + 1 : 0;
			at = now;
		}
		return at;
	});
	await popup.mouse.move(...(await place()));
	await popup.locator(".vaultside-graph-tell-title", { hasText: "Levain" }).waitFor();
	await popup.mouse.click(...(await place()), { button: "right" });
	await popup.getByRole("menuitem", { name: "Copy link" }).waitFor();
	await popup.keyboard.press("Escape");
	await popup.mouse.click(...(await place()));
	await expect.poll(active).toBe("Bread/Starters/Levain.md");
	const contexts = await obsidian.page.evaluateHandle(() => {
		const [leaf] = window.app.workspace.getLeavesOfType("vaultside-graph");
		return [...(leaf?.containerEl.querySelectorAll("canvas") ?? [])].flatMap((canvas) => canvas.getContext("webgl2") ?? []);
	});
	expect(await contexts.evaluate((all) => all.length)).toBeGreaterThan(0);
	await popup.close();
	await expect.poll(() => leaves("graph")).toBe(0);
	await expect.poll(() => contexts.evaluate((all) => all.every((context) => context.isContextLost()))).toBe(true);
	await obsidian.run("graph");
	await expect.poll(() => obsidian.page.locator(".vaultside-graph-picture canvas").count()).toBeGreaterThan(2);
});

test("unloading empties the panes in other windows, too", async () => {
	const popup = await popped("graph");
	await popup.locator("canvas").first().waitFor();
	// The note that is open listens itself.
	expect(Object.entries(await obsidian.unload()).filter(([, left]) => left > 0)).toEqual([["listening", 1]]);
	expect(await popup.locator("canvas").count()).toBe(0);
});

test("a change is decided upon in a window of its own, and what is indexed is told there", async () => {
	await bridge.call("create_note", { path: "Popped.md", text: "One.\n" });
	const popup = await popped("changes");
	const row = popup.locator(".vaultside-change", { hasText: "Popped" }).first();
	await row.locator("summary").focus();
	await popup.keyboard.press("Enter");
	await row.getByRole("button", { name: "Undo", exact: true }).click();
	await popup.getByRole("status").filter({ hasText: "Undone." }).waitFor();
	await popup.close();
	await obsidian.run("status");
	const status = await moved("status");
	await status.getByText("checks are fine").waitFor();
	await bridge.stop();
	await status.getByText("Bridge off").waitFor();
	await status.getByRole("button", { name: "Look again" }).waitFor();
	await serve();
	await bridge.readable();
});
