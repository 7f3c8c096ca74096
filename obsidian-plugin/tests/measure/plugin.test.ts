import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Bridge, Home } from "../browser/bridge";
import { AppWindow, PLUGIN } from "../browser/window";

/** What happened to one query, in milliseconds of the page's clock. */
interface Timed {
	readonly key: number;
	sent: number;
	answered: number;
	drawn: number;
	final: number;
}

declare global {
	interface Window {
		timed: Map<string, Timed>;
	}
}

const WARM = 5;
/** Between two keys, as a fast typist does. */
const KEYS_MS = [60, 120, 180];

const { VAULT, MEASURED, QUERIES } = process.env;

/** Measures what the plugin costs and how soon it shows what was typed; `scripts/bench --only plugin` reads it. */
test("keystrokes, loading, events and size", { timeout: 600_000 }, async () => {
	if (VAULT === undefined || MEASURED === undefined || QUERIES === undefined) throw new Error("Run `scripts/bench --only plugin`.");
	const queries = JSON.parse(QUERIES) as string[];
	const home = await Home.make(true, VAULT);
	const bridge = await Bridge.serve(home);
	try {
		await bridge.settled();
		const obsidian = await AppWindow.open({ base: home.vault, home: home.path });
		await obsidian.state("ready");
		await obsidian.run("search");
		await obsidian.page.evaluate(watch);
		const typed: Timed[] = [];
		for (const [at, query] of queries.entries()) {
			const field = obsidian.page.getByRole("combobox");
			await field.fill("");
			await field.pressSequentially(query, { delay: KEYS_MS[at % KEYS_MS.length] ?? 0 });
			await obsidian.page.waitForFunction((text) => window.timed.has(text) && (window.timed.get(text)?.final ?? 0) > 0, query);
			const found = await obsidian.page.evaluate((text) => window.timed.get(text), query);
			if (at >= WARM && found !== undefined) typed.push(found);
		}
		const asked = obsidian.node.requests.filter(({ url }) => url.endsWith("/search")).length;
		const measured = {
			first: typed.map(({ key, drawn }) => drawn - key),
			waiting: typed.map(({ key, sent }) => sent - key),
			answering: typed.map(({ sent, answered }) => answered - sent),
			drawing: typed.map(({ answered, drawn }) => drawn - answered),
			meaning: typed.map(({ key, final }) => final - key),
			calls: asked / queries.reduce((sum, query) => sum + query.length, 0),
			events: await obsidian.page.evaluate(tellOfEvery),
			load: obsidian.loadMs,
			bundle: (await stat(join(PLUGIN, "main.js"))).size,
		};
		expect(await obsidian.close()).toEqual([]);
		await writeFile(MEASURED, JSON.stringify(measured));
		expect(JSON.parse(await readFile(MEASURED, "utf8"))).toBeDefined();
	} finally {
		await bridge.stop();
		await home.remove();
	}
});

/** In the page: note when a query was complete, asked, answered and shown. */
function watch(): void {
	window.timed = new Map();
	const field = document.querySelector<HTMLInputElement>("input[role=combobox]");
	const say = document.querySelector(".vaultside-say");
	if (field === null || say === null) throw new Error("The search pane is not open.");
	field.addEventListener("input", () => window.timed.set(field.value, { key: performance.now(), sent: 0, answered: 0, drawn: 0, final: 0 }), { capture: true });
	const ask = window.doInNode;
	window.doInNode = async (what, ...given) => {
		const [asked] = given as { url?: string; body?: string }[];
		if (what !== "request" || asked?.url?.endsWith("/search") !== true) return ask(what, ...given);
		const { query, mode } = JSON.parse(asked.body ?? "{}") as { query: string; mode: string };
		const timed = window.timed.get(query);
		if (timed !== undefined && mode === "keyword") timed.sent = performance.now();
		const answer = await ask(what, ...given);
		if (timed !== undefined && mode === "keyword") timed.answered = performance.now();
		return answer;
	};
	new MutationObserver(() => {
		const timed = window.timed.get(field.value);
		if (timed === undefined || timed.answered === 0) return;
		// What is painted is seen; the frame after the change.
		requestAnimationFrame(() => {
			if (timed.drawn === 0) timed.drawn = performance.now();
			if (/\d ms(?! …)/.test(say.textContent ?? "")) timed.final = performance.now();
		});
	}).observe(say, { childList: true, characterData: true, subtree: true });
}

/** In the page: tell of every note as changed, and return what each telling took. */
function tellOfEvery(): number[] {
	return window.app.vault.getFiles().map((file) => {
		const begun = performance.now();
		window.app.vault.trigger("modify", file);
		return performance.now() - begun;
	});
}
