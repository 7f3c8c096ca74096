import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

declare module "vitest" {
	interface ProvidedContext {
		/** Where the browser listens. */
		readonly browser: string;
	}
}

/** Start the browser that all files share: the one that `CHROMIUM` names, or the one that Debian puts there. */
export default async function startBrowser({ provide }: TestProject): Promise<() => Promise<void>> {
	const server = await chromium.launchServer({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", headless: true, args: ARGUMENTS, host: "127.0.0.1" });
	provide("browser", server.wsEndpoint());
	return () => server.close();
}
