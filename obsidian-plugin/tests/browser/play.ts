import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Bridge, Home, MODELS } from "./bridge";
import { AppWindow } from "./window";

const PANES = ["search", "ask", "related", "graph", "changes", "memory", "tidy", "status"] as const;

/** Open the panes on a copy of a vault until the window is closed; with a folder take pictures of them instead. */
export async function play(vault: string, pictures?: string): Promise<void> {
	const home = await Home.make(existsSync(join(MODELS, "all-minilm-l6-v2.gguf")), vault);
	try {
		const bridge = await Bridge.serve(home);
		try {
			await bridge.readable();
			const { hubs } = await bridge.call<{ hubs: { path: string }[] }>("graph_insights", { parts: ["hubs"], limit: 1 });
			const note = hubs[0]?.path;
			if (pictures === undefined) await look(home, note);
			else for (const dark of [false, true]) await draw(home, note, pictures, dark);
		} finally {
			await bridge.stop();
		}
	} finally {
		await home.remove();
	}
}

async function look(home: Home, note?: string): Promise<void> {
	const obsidian = await show(home, false, note);
	for (const pane of PANES) await obsidian.run(pane);
	// Ctrl-C ends it, too, and the copy is still deleted.
	await Promise.race([obsidian.page.waitForEvent("close", { timeout: 0 }), new Promise((resolve) => process.once("SIGINT", resolve))]);
	await obsidian.close();
}

async function draw(home: Home, note: string | undefined, folder: string, dark: boolean): Promise<void> {
	await mkdir(folder, { recursive: true });
	const obsidian = await show(home, dark, note);
	for (const pane of PANES) {
		await obsidian.run(pane);
		do await obsidian.settled();
		while (obsidian.node.waiting > 0);
		await obsidian.page.screenshot({ path: join(folder, `${pane}-${dark ? "dark" : "light"}.png`) });
	}
	await obsidian.close();
}

/** Open the vault with its best connected note, if any is connected. */
async function show(home: Home, dark: boolean, note?: string): Promise<AppWindow> {
	const obsidian = await AppWindow.open({ base: home.vault, home: home.path, dark });
	await obsidian.state("ready");
	await obsidian.page.evaluate(async (path) => {
		const file = window.app.vault.getFileByPath(path);
		if (file !== null) await window.app.workspace.getLeaf().openFile(file);
	}, note ?? "");
	return obsidian;
}
