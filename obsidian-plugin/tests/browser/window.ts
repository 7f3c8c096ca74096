import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Browser, chromium, type Page } from "playwright-core";
import { NodeSide } from "./node-side";

export const PLUGIN = fileURLToPath(new URL("../..", import.meta.url));

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

let started: Promise<Browser> | null = null;

/** Whether a person looks at the windows. */
const SEEN = process.env["SEEN"] !== undefined;

/** Start the browser that all windows of this process share, and which ends with it: the one that `CHROMIUM` names, or the one that Debian puts there. */
export function browser(): Promise<Browser> {
	started ??= chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ARGUMENTS, headless: !SEEN, handleSIGINT: !SEEN });
	return started;
}

export interface Opening {
	readonly base: string;
	readonly home: string;
	readonly path?: string;
	readonly settings?: Record<string, unknown>;
	readonly secrets?: Record<string, string>;
	readonly width?: number;
	readonly dark?: boolean;
	/** Another `main.js` than the one that was built. */
	readonly source?: string;
	/** A module of Node that the app does not give away. */
	readonly without?: string;
	/** Where the page comes from; by default an address that no bridge lets in. */
	readonly from?: { readonly host: string; readonly port: number };
}

/** A window of the app with a vault in it and the plugin loaded, as far as the plugin can tell. */
export class AppWindow {
	private constructor(
		readonly page: Page,
		readonly node: NodeSide,
		readonly loadMs: number,
		private readonly server: Server,
		private readonly faults: string[],
	) {}

	static async open({ base, home, path = "", settings = {}, secrets = {}, width = 1200, dark = false, source, without, from }: Opening): Promise<AppWindow> {
		const context = await (await browser()).newContext({ viewport: SEEN ? null : { width, height: 800 }, colorScheme: dark ? "dark" : "light", permissions: [] });
		context.setDefaultTimeout(120_000);
		const page = await context.newPage();
		const faults: string[] = [];
		page.on("pageerror", (error) => faults.push(String(error)));
		page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
		const node = new NodeSide(home, (id, name, data) => {
			if (!page.isClosed()) void page.evaluate(([i, n, d]) => window.fromNode(i, n, d), [id, name, data] as const).catch(() => {});
		});
		const server = await serve(await document(dark), node, from?.host ?? "127.0.0.1", from?.port ?? 0);
		const origin = originOf(server);
		await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin });
		await page.exposeFunction("doInNode", (what: string, ...given: never[]) => node.does[what]?.(...given));
		await page.goto(origin);
		const given = {
			source: source ?? (await readFile(join(PLUGIN, "main.js"), "utf8")),
			manifest: JSON.parse(await readFile(join(PLUGIN, "manifest.json"), "utf8")) as { id: string },
			base,
			facts: { platform: "linux", home, env: { PATH: path } },
			settings,
			secrets,
			without: without ?? "",
		};
		const { loadMs } = await page.evaluate((boot) => window.boot(boot), given);
		return new AppWindow(page, node, loadMs, server, faults);
	}

	/** Run one of the plugin's commands. */
	async run(command: string): Promise<void> {
		await this.page.evaluate((id) => window.app.run(id), `vaultside:${command}`);
	}

	/** Wait until the status bar tells of a state, and return what it says. */
	async state(is: string): Promise<string> {
		return this.page.locator(`.vaultside-status-bar[data-state="${is}"]`).innerText();
	}

	/** Wait until the page shows what it was answered before. */
	async settled(): Promise<void> {
		// What is on its way to the page comes before this does.
		await this.page.evaluate(() => undefined);
		await this.page.evaluate(async () => {
			for (let frame = 0; frame < 5; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
		});
	}

	/** Unload the plugin and return what it left. */
	async unload(): Promise<Record<string, number>> {
		return this.page.evaluate(() => {
			window.plugin.unload();
			return window.left();
		});
	}

	/** Close the window, as when the app dies: nothing is unloaded. Return what went wrong in it. */
	async close(): Promise<readonly string[]> {
		await this.page.context().close();
		this.node.end();
		this.server.closeAllConnections();
		this.server.close();
		return this.faults;
	}
}

let harness: Promise<string> | null = null;

async function document(dark: boolean): Promise<string> {
	harness ??= bundle();
	const styles = await Promise.all(["tests/browser/shim/obsidian.css", "styles.css"].map((name) => readFile(join(PLUGIN, name), "utf8")));
	const head = `<!doctype html><html><head><meta charset="utf-8"><style>${styles.join("\n")}</style></head>`;
	const script = (await harness).replaceAll("</script", "<\\/script");
	return `${head}<body class="theme-${dark ? "dark" : "light"}"><div class="app-container"></div><script>${script}</script></body></html>`;
}

async function bundle(): Promise<string> {
	const made = await build({ entryPoints: [join(PLUGIN, "tests/browser/shim/harness.ts")], bundle: true, write: false, format: "iife", target: "es2022", minify: true });
	return made.outputFiles[0]?.text ?? "";
}

function originOf(server: Server): string {
	const { address, port } = server.address() as AddressInfo;
	return `http://${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** The page comes from loopback; what it must know at once it asks here. */
async function serve(html: string, node: NodeSide, host: string, port: number): Promise<Server> {
	const server = createServer((asked, answer) => {
		if (asked.method !== "POST") {
			answer.setHeader("Content-Type", "text/html").end(html);
			return;
		}
		// Any page that somebody visits meanwhile can send this, and would start programs.
		if (asked.headers.origin !== originOf(server)) {
			answer.writeHead(403).end();
			return;
		}
		let body = "";
		asked.on("data", (piece) => (body += String(piece)));
		asked.on("end", () => {
			const [what, ...given] = JSON.parse(body) as [string, ...never[]];
			try {
				answer.end(JSON.stringify({ value: node.does[what]?.(...given) ?? null }));
			} catch (error) {
				const { message, code } = error as { message: string; code?: string };
				answer.end(JSON.stringify({ error: { message, code } }));
			}
		});
	});
	await new Promise<void>((resolve) => server.listen(port, host, resolve));
	return server;
}
