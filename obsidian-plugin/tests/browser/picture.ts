import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { AppWindow } from "./window";

/** Check that nothing of the pane is cut off, and keep a picture of it where `PICTURES` says. */
export async function picture(obsidian: AppWindow, name: string, dark: boolean): Promise<void> {
	const wide = await obsidian.page.evaluate(() => {
		const pane = document.querySelector(".vault-bridge-pane")?.getBoundingClientRect();
		return [...document.querySelectorAll<HTMLElement>(".vault-bridge-pane *")]
			.filter((el) => {
				const { left, right, width } = el.getBoundingClientRect();
				return width > 0 && (left < (pane?.left ?? 0) || right > (pane?.right ?? 0));
			})
			.map((el) => `${el.className}: ${el.innerText.slice(0, 40)}`);
	});
	expect(wide).toEqual([]);
	const folder = process.env["PICTURES"];
	if (folder === undefined) return;
	await mkdir(folder, { recursive: true });
	await obsidian.page.screenshot({ path: join(folder, `${name}-${dark ? "dark" : "light"}.png`) });
}
