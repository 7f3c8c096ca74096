import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Bridge, Home } from "./bridge";
import { picture } from "./picture";
import { type Given, bridge, obsidian, oneBridge, open } from "./stage";
import { AppWindow } from "./window";

oneBridge(false);

/** What the tests look at inside the pane, as pixels on a canvas have no names. */
interface Inside {
	readonly parts: {
		readonly stage: {
			readonly drawn: { readonly picture: { readonly nodes: readonly { readonly id: number; readonly title: string }[] } } | null;
			readonly canvas: { positionOf: (id: number) => { x: number; y: number } | null; places: (ids: number[]) => { x: number; y: number }[]; sigma: { getCamera: () => { getState: () => object; setState: (state: object) => void } } } | null;
		};
	};
}

const STARTER = "Bread/Starters/Sourdough starter.md";

async function opened(path: string, given: Given = {}): Promise<void> {
	await open(given);
	await obsidian.state("ready");
	await read(path);
	await obsidian.run("graph");
	await said(/note/);
}

async function read(path: string): Promise<void> {
	await obsidian.page.evaluate(async (name) => {
		const file = window.app.vault.getFileByPath(name);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, path);
}

/** Wait until the pane says something of how much is drawn. */
async function said(text: RegExp): Promise<string> {
	const say = obsidian.page.locator(".vaultside-graph > .vaultside-say").filter({ hasText: text });
	await say.waitFor();
	return say.innerText();
}

/** The titles of what is drawn. */
async function drawn(): Promise<string[]> {
	return obsidian.page.evaluate(() => {
		const { view } = window.app.workspace.getLeavesOfType("vaultside-graph")[0] ?? {};
		return ((view as unknown as Inside).parts.stage.drawn?.picture.nodes ?? []).map(({ title }) => title);
	});
}

/** Where a node is on the page, once the picture has come to rest. */
async function place(title: string): Promise<{ x: number; y: number }> {
	const at = await obsidian.page.evaluate(async (wanted) => {
		const { view } = window.app.workspace.getLeavesOfType("vaultside-graph")[0] ?? {};
		const where = (): { x: number; y: number } | null => {
			const { drawn: shown, canvas } = (view as unknown as Inside).parts.stage;
			const node = shown?.picture.nodes.find((one) => one.title === wanted);
			return node === undefined ? null : (canvas?.positionOf(node.id) ?? null);
		};
		// What was drawn last is on the page some frames later, and larger or smaller when the legend grew.
		let found = where();
		for (let still = 0; still < 5; ) {
			await new Promise((resolve) => requestAnimationFrame(resolve));
			const now = where();
			still = now?.x === found?.x && now?.y === found?.y ? still + 1 : 0;
			found = now;
		}
		return found;
	}, title);
	const box = await obsidian.page.locator(".vaultside-graph-picture").boundingBox();
	if (at === null || box === null) throw new Error(`${title} is not drawn.`);
	return { x: box.x + 1 + at.x, y: box.y + 1 + at.y };
}

/** Go so near to a node that no other lies over it. */
async function near(title: string): Promise<void> {
	await obsidian.page.evaluate((wanted) => {
		const { view } = window.app.workspace.getLeavesOfType("vaultside-graph")[0] ?? {};
		const { drawn: shown, canvas } = (view as unknown as Inside).parts.stage;
		const [at] = canvas?.places(shown?.picture.nodes.filter((one) => one.title === wanted).map(({ id }) => id) ?? []) ?? [];
		if (at !== undefined) canvas?.sigma.getCamera().setState({ x: at.x, y: at.y, ratio: 0.1 });
	}, title);
}

async function point(title: string, approach?: typeof near): Promise<void> {
	// Another node may lie over it until the picture is drawn anew.
	await expect.poll(async () => {
		await approach?.(title);
		const { x, y } = await place(title);
		await obsidian.page.mouse.move(x + 40, y + 40);
		await obsidian.page.mouse.move(x, y);
		return tell(title).waitFor({ timeout: 2_000 }).then(() => true, () => false);
	}).toBe(true);
}

type Click = Parameters<AppWindow["page"]["mouse"]["click"]>[2];

async function click(title: string, options: Click = {}, approach?: typeof near): Promise<void> {
	await point(title, approach);
	const { x, y } = await place(title);
	await obsidian.page.mouse.click(x, y, options);
}

const tell = (text: string | RegExp): Locator => obsidian.page.locator(".vaultside-graph-tell", { hasText: text });
const button = (name: string | RegExp): Locator => obsidian.page.getByRole("button", { name });
const legend = (): Promise<string[]> => obsidian.page.locator(".vaultside-graph-group-name").allInnerTexts();
const shown = (): Promise<string> => obsidian.page.evaluate(() => window.app.workspace.getActiveFile()?.path ?? "");
const notes = (): Promise<number> => obsidian.page.evaluate(() => window.app.workspace.getLeavesOfType("markdown").length);
const choose = async (name: string): Promise<void> => obsidian.page.getByRole("menuitem", { name, exact: true }).click();

async function look(name: string): Promise<void> {
	await button("How the graph is drawn").click();
	await choose(name);
}

test("the graph is drawn around the active note, follows it, and stays when pinned", async () => {
	await opened(STARTER);
	const { links, backlinks } = await bridge.call<Record<"links" | "backlinks", { path: string }[]>>("note_links", { path: STARTER });
	const linked = new Set([STARTER, ...[...links, ...backlinks].map(({ path }) => path)].map((path) => path.split("/").pop()?.replace(".md", "")));
	await expect.poll(async () => new Set(await drawn())).toEqual(linked);
	await read("Welcome.md");
	await expect.poll(drawn).toContain("Garlic");
	await button("Stay with this note").click();
	await read("Bread/Science/Staling.md");
	await button("Follow the active note").click();
	await expect.poll(drawn).toContain("Staling");
	const near = (await drawn()).length;
	await look("2 steps around");
	await expect.poll(async () => (await drawn()).length).toBeGreaterThan(near);
});

test("the whole vault is drawn on demand, narrowed by a folder, with and without what is not written yet", async () => {
	await opened(STARTER);
	await button("Show the whole vault").click();
	expect(await said(/not written yet/)).toMatch(/^\d\d notes · 6 not written yet$/);
	await expect.poll(drawn).toContain("Tempeh");
	await look("Notes not written yet");
	await expect.poll(drawn).not.toContain("Tempeh");
	await button("Narrow the graph").click();
	await choose("In a folder…");
	await obsidian.page.locator(".prompt-input").fill("Travels");
	await obsidian.page.locator(".suggestion-item").first().click();
	await expect.poll(async () => (await drawn()).length).toBeLessThan(10);
	await button("Without Travels/").click();
	await button("Show what is around the note").click();
	await expect.poll(drawn).toContain("Sourdough starter");
});

test("the pointer shows the sentence that links, a click opens the note, and with Ctrl in a tab", async () => {
	await opened(STARTER);
	await point("Lacto-fermentation");
	const { paths } = await bridge.call<{ paths: { steps: { text: string }[] }[] }>("graph_path", { source: STARTER, target: "Ferments/Lacto-fermentation.md", alternatives: 1 });
	const words = /[\w ]{12,}/.exec(paths[0]?.steps[0]?.text ?? "")?.[0];
	expect(words).toBeDefined();
	await tell(String(words)).waitFor();
	await obsidian.page.keyboard.down("Control");
	await click("Seed swap");
	await obsidian.page.keyboard.up("Control");
	await expect.poll(notes).toBe(2);
	await expect.poll(shown).toMatch(/Seed swap/);
	await expect.poll(drawn).not.toContain("Lacto-fermentation");
});

test("the menu of a note opens it beside, links it, and draws what is around it", async () => {
	await opened(STARTER);
	await click("Levain", { button: "right" });
	await choose("Copy link");
	await expect.poll(() => obsidian.page.evaluate(() => navigator.clipboard.readText())).toBe("[[Levain]]");
	await click("Levain", { button: "right" });
	await choose("Show what is around it");
	await expect.poll(() => obsidian.page.locator(".vaultside-head-title").innerText()).toBe("Levain");
	expect(await shown()).toBe(STARTER);
});

test("colours tell communities, folders, tags and types apart, by name too, and one can be made to stand out", async () => {
	const { communities } = await bridge.call<{ communities: { name: string }[] }>("graph_insights", { parts: ["communities"], limit: 100 });
	await opened("Welcome.md");
	await expect.poll(async () => (await legend()).some((said) => communities.some(({ name }) => name === said))).toBe(true);
	await look("Colours by folder");
	await expect.poll(legend).toContain("Garden");
	await button(/^Garden \d/).click();
	await expect.poll(() => button(/^Garden \d/).getAttribute("aria-pressed")).toBe("true");
	await expect.poll(() => obsidian.page.locator(".vaultside-graph-group.is-dim").count()).toBeGreaterThan(0);
	await look("Colours by tag");
	await expect.poll(async () => (await legend()).some((name) => name.startsWith("#"))).toBe(true);
	await expect.poll(() => obsidian.page.locator(".vaultside-graph-group.is-dim").count()).toBe(0);
	await look("Colours by type");
	await expect.poll(legend).toContain("Notes");
});

test("two notes are picked, and the path between them is told sentence by sentence", async () => {
	await opened(STARTER);
	await button("Show the whole vault").click();
	await expect.poll(drawn).toContain("Garlic");
	await click("Staling", { button: "right" }, near);
	await choose("Find a path from here");
	await tell("Path from Staling: pick the other note.").waitFor();
	await click("Garlic", {}, near);
	const steps = obsidian.page.locator(".vaultside-graph-step");
	await expect.poll(() => steps.count()).toBe(3);
	expect(await steps.last().innerText()).toContain("Brush with butter in which a clove of Garlic has spent five minutes.");
	await expect.poll(drawn).toContain("Stovetop flatbreads");
	await steps.last().click();
	await expect.poll(shown).toBe("Bread/Recipes/Stovetop flatbreads.md");
	await button("Path 2 of 3").click();
	await expect.poll(() => steps.count()).toBe(4);
	await button("Close the path").click();
	await expect.poll(() => steps.count()).toBe(0);
	await expect.poll(drawn).toContain("Tempeh");
});

test("other parts can ask for a path, and hear that there is none", async () => {
	await opened("Welcome.md");
	const ask = (from: string, to: string): Promise<void> =>
		obsidian.page.evaluate(([one, other]) => (window.plugin as unknown as { showPath: (from: string, to: string) => Promise<void> }).showPath(one, other), [from, to] as const);
	await ask("Bread/Science/Staling.md", "Garden/Plants/Garlic.md");
	await obsidian.page.locator(".vaultside-graph-step").first().waitFor();
	await bridge.call("create_note", { path: "Alone.md", text: "Nothing links here.\n" });
	await bridge.call("wait_until_indexed", { path: "Alone.md", what: "links" });
	await ask("Bread/Science/Staling.md", "Alone.md");
	await said(/No links lead from Staling to Alone/);
	await expect.poll(drawn).toEqual([]);
});

test("what is typed is found by title and by words, and Enter goes from one to the next", async () => {
	await opened(STARTER);
	await button("Show the whole vault").click();
	await expect.poll(drawn).toContain("Staling");
	const field = obsidian.page.getByRole("searchbox");
	await field.fill("retrogradation");
	await said(/^1 found/);
	await field.press("Enter");
	await tell("Staling").waitFor();
	await field.fill("qqqzzz");
	await said(/^Nothing found/);
	await field.press("Escape");
	await said(/^\d+ notes/);
});

test("arrow keys go along links, and Enter opens what they come to", async () => {
	await opened(STARTER);
	await obsidian.page.locator(".vaultside-graph-picture").focus();
	const from = await place("Sourdough starter");
	const below = await place("Levain");
	await obsidian.page.keyboard.press(below.y > from.y ? "ArrowDown" : "ArrowUp");
	const title = await obsidian.page.locator(".vaultside-graph-tell-title").innerText();
	expect(title).not.toBe("Sourdough starter");
	await obsidian.page.keyboard.press("Enter");
	await expect.poll(async () => (await shown()).includes(title)).toBe(true);
});

test("a link that is written appears by itself, and what one looks at stays where it was", async () => {
	await opened("Garden/Plants/Garlic.md");
	const camera = (): Promise<object> =>
		obsidian.page.evaluate(() => {
			const { view } = window.app.workspace.getLeavesOfType("vaultside-graph")[0] ?? {};
			return (view as unknown as Inside).parts.stage.canvas?.sigma.getCamera().getState() ?? {};
		});
	await obsidian.page.evaluate(() => {
		const { view } = window.app.workspace.getLeavesOfType("vaultside-graph")[0] ?? {};
		(view as unknown as Inside).parts.stage.canvas?.sigma.getCamera().setState({ x: 0.4, y: 0.6, ratio: 0.7 });
	});
	const before = await camera();
	await obsidian.page.locator(".vaultside-graph-picture").focus();
	await obsidian.page.keyboard.press("ArrowDown");
	const come = await obsidian.page.locator(".vaultside-graph-tell-title").innerText();
	await obsidian.page.evaluate(async () => {
		await window.app.vault.create("Fresh.md", "Like [[Garlic]].\n");
	});
	await expect.poll(drawn).toContain("Fresh");
	expect(await camera()).toEqual(before);
	await obsidian.page.keyboard.press("Enter");
	await expect.poll(shown).toContain(come);
});

test("where no picture can be drawn there is a list, which says why, and the keyboard goes through it", async () => {
	await open();
	await obsidian.state("ready");
	await read(STARTER);
	await obsidian.page.evaluate(() => {
		const real = HTMLCanvasElement.prototype.getContext as (this: HTMLCanvasElement, kind: string, options?: object) => unknown;
		Object.assign(HTMLCanvasElement.prototype, {
			getContext(this: HTMLCanvasElement, kind: string, options?: object) {
				return kind.includes("webgl") ? null : real.call(this, kind, options);
			},
		});
	});
	await obsidian.run("graph");
	await obsidian.page.getByText("This window cannot draw with WebGL").waitFor();
	const rows = obsidian.page.locator(".vaultside-graph-row");
	expect(await rows.first().innerText()).toContain("Sourdough starter");
	await expect.poll(async () => (await rows.count()) - (await drawn()).length).toBe(0);
	await rows.first().focus();
	await obsidian.page.keyboard.press("ArrowDown");
	const title = await obsidian.page.locator(".vaultside-graph-row:focus .vaultside-graph-row-title").innerText();
	await tell(title).waitFor();
	await obsidian.page.keyboard.press("Enter");
	await expect.poll(async () => (await shown()).includes(title)).toBe(true);
});

test("where the driver takes the picture back there is a list instead", async () => {
	await opened(STARTER);
	await obsidian.page.evaluate(() => {
		for (const canvas of document.querySelectorAll("canvas")) canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
	});
	await obsidian.page.getByText("The graphics driver dropped the picture").waitFor();
	await expect.poll(async () => (await obsidian.page.locator(".vaultside-graph-row").count()) - (await drawn()).length).toBe(0);
	expect(await obsidian.page.locator("canvas").count()).toBe(0);
});

test("colours are read anew when the theme changes", async () => {
	await opened(STARTER);
	const dot = (): Promise<string> => obsidian.page.locator(".vaultside-graph-dot").first().evaluate((el) => el.style.getPropertyValue("--dot"));
	await expect.poll(dot).toBe("#086ddd");
	await obsidian.page.evaluate(() => {
		document.body.className = "theme-dark";
		window.app.workspace.trigger("css-change");
	});
	await expect.poll(dot).toBe("#027aff");
});

test("unloading leaves nothing of the picture", async () => {
	await open();
	await obsidian.state("ready");
	await obsidian.run("graph");
	await said(/Open a note/);
	await button("Show the whole vault").click();
	await said(/notes/);
	const contexts = await obsidian.page.evaluateHandle(() => [...document.querySelectorAll("canvas")].map((canvas) => canvas.getContext("webgl2")).filter((context) => context !== null));
	expect(await contexts.evaluate((all) => all.length)).toBeGreaterThan(0);
	expect(Object.values(await obsidian.unload()).every((left) => left === 0)).toBe(true);
	await expect.poll(() => contexts.evaluate((all) => all.every((context) => context.isContextLost()))).toBe(true);
	expect(await obsidian.page.locator("canvas").count()).toBe(0);
});

const PANES: Readonly<Record<string, (given: Given) => Promise<void>>> = {
	graph: async (given) => {
		await opened(STARTER, given);
		await point("Lacto-fermentation");
		await obsidian.page.locator(".vaultside-graph-sentence").waitFor();
	},
	"graph-whole": async (given) => {
		await opened(STARTER, given);
		await button("Show the whole vault").click();
		await said(/not written yet/);
		await look("Colours by folder");
		await expect.poll(legend).toContain("Garden");
	},
	"graph-path": async (given) => {
		await opened("Welcome.md", given);
		await obsidian.page.evaluate(() => (window.plugin as unknown as { showPath: (from: string, to: string) => Promise<void> }).showPath("Bread/Science/Staling.md", "Garden/Plants/Garlic.md"));
		await obsidian.page.locator(".vaultside-graph-step").first().waitFor();
	},
	"graph-list": async (given) => {
		await opened("Bread/Science/Staling.md", { ...given, width: 560 });
		await button("Show as a list").click();
		await obsidian.page.locator(".vaultside-graph-row").first().waitFor();
	},
};

test.each(Object.keys(PANES))("nothing of %s is cut off, in light and in dark", async (name) => {
	for (const dark of [false, true]) {
		if (dark) await obsidian.close();
		await PANES[name]?.({ dark });
		await picture(obsidian, name, dark);
	}
});

describe("of two thousand notes", () => {
	let folder: string;
	let large: Home;
	let served: Bridge;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "vaultside-large-"));
		const links = (at: number): string => [at * 7 + 1, at * at + 3, at >> 1].map((to) => `[[Note ${to % 2000}]]`).join(", ");
		await Promise.all(Array.from({ length: 2000 }, (_, at) => writeFile(join(folder, `Note ${at}.md`), `Number ${at} names ${links(at)}.\n`)));
		large = await Home.make(false, folder);
		served = await Bridge.serve(large);
		await served.readable();
	}, 600_000);
	afterAll(async () => {
		await served.stop();
		await large.remove();
		await rm(folder, { recursive: true });
	});

	test("the whole is drawn and answers a click", async () => {
		await open({ base: large.vault, home: large.path });
		await obsidian.state("ready");
		await read("Note 7.md");
		await obsidian.run("graph");
		await said(/note/);
		await button("Show the whole vault").click();
		await said(/^2,000 notes$/);
		await click("Note 1", {}, near);
		await expect.poll(shown).toBe("Note 1.md");
		await picture(obsidian, "graph-large", false);
	});
});
