import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { AppWindow } from "./window";

/** Check that nothing of the pane is cut off. */
export async function uncut(obsidian: AppWindow): Promise<void> {
	const wide = await obsidian.page.evaluate(() => {
		return [...document.querySelectorAll<HTMLElement>(".vaultside-pane *")]
			.filter((el) => {
				const pane = el.closest(".vaultside-pane")?.getBoundingClientRect();
				const { left, right, width } = el.getBoundingClientRect();
				return width > 0 && (left < (pane?.left ?? 0) || right > (pane?.right ?? 0));
			})
			.map((el) => `${el.className}: ${el.innerText.slice(0, 40)}`);
	});
	expect(wide).toEqual([]);
}

/** The same, and keep a picture of the window where `PICTURES` says. */
export async function picture(obsidian: AppWindow, name: string, dark: boolean): Promise<void> {
	await uncut(obsidian);
	const folder = process.env["PICTURES"];
	if (folder === undefined) return;
	await mkdir(folder, { recursive: true });
	await obsidian.page.screenshot({ path: join(folder, `${name}-${dark ? "dark" : "light"}.png`) });
}
