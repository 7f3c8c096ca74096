import type { Colour, Theme } from "../../core/graph/emphasis";

/** In an order in which neighbours differ also for those who see fewer colours. */
const PALETTE = ["--color-blue", "--color-orange", "--color-green", "--color-purple", "--color-yellow", "--color-pink", "--color-cyan", "--color-red"];

/** Read the colours of the theme as they are at an element now. */
export function themeOf(el: HTMLElement): Theme {
	const style = el.win.getComputedStyle(el);
	const pixel = createEl("canvas").getContext("2d", { willReadFrequently: true });
	const read = (...names: readonly string[]): Colour => {
		const value = names.map((name) => style.getPropertyValue(name).trim()).find((one) => one !== "");
		return pixel === null || value === undefined ? [128, 128, 128] : readPixel(pixel, value);
	};
	return {
		background: read("--background-primary"),
		text: read("--graph-text", "--text-normal"),
		line: read("--graph-line", "--background-modifier-border-focus"),
		accent: read("--interactive-accent"),
		plain: read("--graph-node", "--text-muted"),
		palette: PALETTE.map((name) => read(name)),
	};
}

/** Draw a colour, as a theme may write it in any way that CSS has, and look at it. */
function readPixel(pixel: CanvasRenderingContext2D, value: string): Colour {
	pixel.clearRect(0, 0, 1, 1);
	pixel.fillStyle = value;
	pixel.fillRect(0, 0, 1, 1);
	const [red = 0, green = 0, blue = 0] = pixel.getImageData(0, 0, 1, 1).data;
	return [red, green, blue];
}
