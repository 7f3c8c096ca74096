import { mkdir, readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { build } from "esbuild";
import type { FrameLocator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Bridge, Home } from "./bridge";
import { type Ask, connect, pairing } from "./programs";
import { browser, PLUGIN } from "./window";

/** The pages of MCP Apps, in a frame of the official host library, as a program of an agent shows them. */
const HOST = join(PLUGIN, "..", "tests", "mcp", "apps", "host.js");
const EXTENSION = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

/** What a program must allow a page that asks for no origin. */
const POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

const NOTE = "Bread/Oven log.md";
const TEXT = "# Oven log\n\nBaked at 230 degrees.\n";

interface Answer {
	readonly isError?: boolean;
	readonly content: readonly { readonly text: string }[];
	readonly _meta?: { readonly "vaultside/result"?: { readonly change_id?: string } };
}

let home: Home;
let bridge: Bridge;
let server: Server;
let ask: Ask;
let page: Page;
let html = "";
let script = "";
let faults: string[] = [];

beforeAll(async () => {
	// Of two vaults, so that each call has to say which.
	home = await Home.make(false, undefined, 2);
	bridge = await Bridge.serve(home);
	await bridge.readable();
	const made = await build({ entryPoints: [HOST], bundle: true, write: false, format: "iife", target: "es2022" });
	script = made.outputFiles[0]?.text ?? "";
	server = createServer((asked, answer) => {
		answer.setHeader("Content-Type", "text/html; charset=utf-8");
		if (asked.url === "/page") answer.setHeader("Content-Security-Policy", POLICY).end(html);
		else answer.end(`<!doctype html><meta charset="utf-8"><body style="margin:0"><script>${script.replaceAll("</script", "<\\/script")}</script>`);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	ask = await connect(bridge, "Quill", await pairing(bridge, "Quill"), EXTENSION);
	await bridge.call("create_note", { path: NOTE, text: TEXT });
}, 600_000);

afterEach(async () => {
	await page.context().close();
	expect(faults).toEqual([]);
});

afterAll(async () => {
	await bridge.stop();
	await home.remove();
	server.closeAllConnections();
	server.close();
});

const call = (name: string, args: object): Promise<Answer> => ask("tools/call", { name, arguments: args });
const tool = (name: string, args: object): Promise<Answer> => call(name, { vault: bridge.vault, ...args });

/** Call a tool and show its result in its page. */
async function show(name: string, args: object, { dark = false, canCall = true } = {}): Promise<FrameLocator> {
	const { tools } = await ask<{ tools: { name: string; _meta?: { ui: { resourceUri: string } } }[] }>("tools/list", {});
	const uri = tools.find((one) => one.name === name)?._meta?.ui.resourceUri;
	html = (await ask<{ contents: { text: string }[] }>("resources/read", { uri })).contents[0]?.text ?? "";
	const context = await (await browser()).newContext({ viewport: { width: 700, height: 620 }, colorScheme: dark ? "light" : "dark" });
	context.setDefaultTimeout(120_000);
	page = await context.newPage();
	faults = [];
	page.on("pageerror", (error) => faults.push(String(error)));
	page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
	page.on("request", (asked) => !/^http:\/\/(127\.0\.0\.1|localhost):\d+\/(page|favicon.ico)?$/.test(asked.url()) && faults.push(asked.url()));
	await page.exposeFunction("callTool", (params: { name: string; arguments: object }) => call(params.name, params.arguments));
	const { port } = server.address() as AddressInfo;
	await page.goto(`http://127.0.0.1:${port}/`);
	const given = { address: `http://localhost:${port}/page`, args: { vault: bridge.vault, ...args }, answer: await tool(name, args), theme: dark ? "dark" : "light", canCall };
	await page.evaluate((all) => (window as unknown as { showPage: (given: object) => Promise<void> }).showPage(all), given);
	return page.frameLocator("iframe");
}

async function propose(edits: readonly object[], reason?: string): Promise<string> {
	const { digest } = await bridge.call<{ digest: string }>("read_note", { path: NOTE });
	const said = await tool("edit_note", { path: NOTE, digest, edits, reason });
	return said._meta?.["vaultside/result"]?.change_id ?? "";
}

const hotter = (): Promise<string> => propose([{ op: "replace_text", old: "230", new: "250" }], "The oven runs cold.");
const disk = (): Promise<string> => readFile(join(home.vault, NOTE), "utf8");
const told = (): Promise<string[]> => page.evaluate(() => (window as unknown as { told: string[] }).told);

/** Check that nothing is cut off, and keep a picture where `PICTURES` says. */
async function picture(name: string, dark: boolean): Promise<void> {
	const frame = page.frames()[1];
	expect(await frame?.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
	const folder = process.env["PICTURES"];
	if (folder === undefined) return;
	await mkdir(folder, { recursive: true });
	await page.screenshot({ path: join(folder, `${name}-${dark ? "dark" : "light"}.png`) });
}

test("a proposal is shown word by word, says where it is accepted, and is rejected by a click", async () => {
	const id = await hotter();
	const shown = await show("show_change", { change_id: id });
	await shown.getByText("Waits for you").waitFor();
	expect(await shown.locator("del").allInnerTexts()).toEqual(["230"]);
	expect(await shown.locator("ins").allInnerTexts()).toEqual(["250"]);
	expect(await shown.getByRole("button").allInnerTexts()).toEqual(["Reject"]);
	expect(await shown.locator("code").innerText()).toBe(`vaultside decide ${id} accept --vault ${bridge.vault}`);
	await shown.getByRole("button", { name: "Reject" }).click();
	await shown.getByRole("status").filter({ hasText: "Rejected" }).waitFor();
	expect(await shown.getByRole("button").count()).toBe(0);
	await expect.poll(told).toEqual([`The user rejected the proposed change ${id}; nothing of it was written.`]);
	expect((await bridge.call<{ state: string }>("show_change", { change_id: id })).state).toBe("rejected");
	expect(await disk()).toBe(TEXT);
});

test("what an edit proposed is shown at once, and what was accepted elsewhere meanwhile", async () => {
	const { digest } = await bridge.call<{ digest: string }>("read_note", { path: NOTE });
	const shown = await show("edit_note", { path: NOTE, digest, edits: [{ op: "append", text: "Four loaves.\n" }] });
	await shown.getByText("Waits for you").waitFor();
	const [, id = ""] = /decide (\w+) /.exec(await shown.locator("code").innerText()) ?? [];
	await bridge.call("decide", { id, verdict: "accept" });
	await shown.locator("body").evaluate(() => window.dispatchEvent(new Event("focus")));
	await shown.getByRole("status").filter({ hasText: "Made" }).waitFor();
	expect(await shown.getByRole("button").count()).toBe(0);
	await bridge.call("undo_change", { change_id: id });
	expect(await disk()).toBe(TEXT);
});

test("what another program proposed cannot be rejected, which is said", async () => {
	const other = await connect(bridge, "Nib", await pairing(bridge, "Nib"), EXTENSION);
	const { digest } = await bridge.call<{ digest: string }>("read_note", { path: NOTE });
	const said = await other<Answer>("tools/call", { name: "edit_note", arguments: { vault: bridge.vault, path: NOTE, digest, edits: [{ op: "append", text: "Nib's.\n" }] } });
	const id = said._meta?.["vaultside/result"]?.change_id ?? "";
	const shown = await show("show_change", { change_id: id });
	await shown.getByRole("button", { name: "Reject" }).click();
	await shown.getByRole("alert").filter({ hasText: "The change is proposed, not applied." }).waitFor();
	expect((await bridge.call<{ state: string }>("show_change", { change_id: id })).state).toBe("proposed");
});

test("a program that lets no page call tools gets the change without a button", async () => {
	const shown = await show("show_change", { change_id: await hotter() }, { canCall: false });
	await shown.locator("code").waitFor();
	expect(await shown.getByRole("button").count()).toBe(0);
});

test("what made no change is told in the words that the model reads", async () => {
	const shown = await show("edit_note", { path: NOTE, edits: [{ op: "append", text: "Only tried.\n" }], dry_run: true });
	await shown.locator("pre", { hasText: "+Only tried." }).waitFor();
	expect(await shown.getByRole("button").count()).toBe(0);
});

test("text of a note is only text, and what hides in it is shown", async () => {
	const hostile = '<img src="x" onerror="parent.postMessage(1)"><script>document.title="gone"</script></main>\u202e\u202egnp.exe\u200b';
	const shown = await show("show_change", { change_id: await propose([{ op: "append", text: `${hostile}\n` }], "<b>Bold</b>\u202e") });
	await shown.getByText("Waits for you").waitFor();
	expect((await shown.locator("ins").allInnerTexts()).join("")).toContain('<img src="x" onerror="parent.postMessage(1)"><script>document.title="gone"</script></main>');
	expect(await shown.locator("ins .unseen").allInnerTexts()).toEqual(["U+202E", "U+202E", "U+200B"]);
	expect(await shown.locator("p", { hasText: "<b>Bold</b>" }).count()).toBe(1);
	expect(await shown.locator("main img, main script, main b:not(:text('Changes by agents'))").count()).toBe(0);
	// Should any text become markup: the page's own policy lets nothing of it run.
	const ran = await page.frames()[1]?.evaluate(() => {
		try {
			document.body.insertAdjacentHTML("beforeend", "<i>markup</i>");
			return "markup";
		} catch (error) {
			return (error as Error).name;
		}
	});
	expect(ran).toBe("TypeError");
	faults = faults.filter((fault) => !fault.includes("TrustedHTML"));
});

test("the graph goes to the note that is clicked, by mouse and keys, and back", async () => {
	const shown = await show("graph_view", { path: "Sourdough starter" });
	await shown.getByRole("heading", { name: "Around Sourdough starter" }).waitFor();
	const notes = shown.locator("svg [role=button]");
	const many = await notes.count();
	expect(many).toBeGreaterThan(3);
	await shown.getByRole("button", { name: "1 step" }).click();
	await expect.poll(() => notes.count()).toBeLessThan(many);
	const [title = ""] = ((await notes.first().getAttribute("aria-label")) ?? "").split(", joined");
	await notes.first().locator("circle").click();
	await shown.getByRole("heading", { name: `Around ${title}` }).waitFor();
	await shown.getByRole("button", { name: "Back" }).focus();
	await page.keyboard.press("Enter");
	await shown.getByRole("heading", { name: "Around Sourdough starter" }).waitFor();
	await notes.first().focus();
	await page.keyboard.press("Enter");
	await shown.getByRole("heading", { name: `Around ${title}` }).waitFor();
});

test("nothing of the pages is cut off, in light and in dark", async () => {
	const id = await propose(
		[
			{ op: "replace_text", old: "230 degrees", new: "250 degrees for the first ten minutes" },
			{ op: "append", text: `Four loaves, العجين يرتاح ساعة, 水温是二十度, ${"bread-".repeat(40)}\n` },
		],
		"The oven runs cold.",
	);
	for (const dark of [false, true]) {
		if (dark) await page.context().close();
		const change = await show("show_change", { change_id: id }, { dark });
		await change.getByText("Waits for you").waitFor();
		await picture("app-change", dark);
		await page.context().close();
		const graph = await show("graph_view", { path: "Bread/Starters/Sourdough starter.md" }, { dark });
		await graph.locator("svg text").first().waitFor();
		await picture("app-graph", dark);
	}
});
