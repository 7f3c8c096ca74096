import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering";
import { type Box, placeTitle } from "../../core/graph/layout";
import { shortenTitle, type Theme, toHex } from "../../core/graph/emphasis";
import type { EdgeData, NodeData } from "./drawn-graph";

const GAP = 4;
const PAD = 3;
const HALO = 3;
/** Titles for which room is looked for, those of the largest nodes: more are not read. */
const MAX_TITLES = 300;
/** Letters of a title that has no room as a whole. */
const SHORT_CHARS = 16;

interface Title {
	readonly label: string;
	readonly x: number;
	readonly y: number;
	readonly size: number;
}

interface Spot {
	readonly text: string;
	readonly box: Box;
}

/** Writes the titles of nodes beside them, those of large nodes first: over no other title and no node, and none that the picture would cut. */
export class Titles {
	#waiting: Title[] = [];
	#context: CanvasRenderingContext2D | null = null;
	#height = 0;
	/** What the titles on plates cover, by where their nodes are. */
	readonly #plates = new Map<string, Box | null>();

	/** @param nodes What the nodes cover now. */
	constructor(
		private readonly theme: () => Theme,
		private readonly nodes: () => readonly Box[],
	) {}

	/** Take a title that sigma would write now. */
	readonly take: NodeLabelDrawingFunction<NodeData, EdgeData> = (context, { label, x, y, size }, { labelSize, labelFont, labelWeight }) => {
		if (label === null || label === "") return;
		ready(context, `${labelWeight} ${labelSize}px ${labelFont}`);
		[this.#context, this.#height] = [context, labelSize];
		this.#waiting.push({ label, x, y, size });
	};

	/** Ring a node that is pointed at or come to, and write its title on a plate. */
	readonly hover: NodeHoverDrawingFunction<NodeData, EdgeData> = (context, { label, x, y, size, highlighted }, { labelSize, labelFont, labelWeight }) => {
		const { background, text, accent } = this.theme();
		context.beginPath();
		context.arc(x, y, size + PAD, 0, Math.PI * 2);
		context.fillStyle = toHex(background);
		context.fill();
		context.lineWidth = 2;
		context.strokeStyle = toHex(accent);
		context.stroke();
		if (label === null || label === "") return;
		ready(context, `${labelWeight} ${labelSize}px ${labelFont}`);
		const title = { label, x, y, size: size + PAD };
		// Only what is pointed at covers others.
		const spot = findSpot(context, title, labelSize + 2 * PAD, this.nodes()) ?? (highlighted ? null : findSpot(context, title, labelSize + 2 * PAD, []));
		this.#plates.set(`${x} ${y}`, spot?.box ?? null);
		if (spot === null) return;
		const { left, right, top, bottom } = spot.box;
		context.beginPath();
		context.roundRect(left, top, right - left, bottom - top, PAD);
		context.fillStyle = toHex(background);
		context.fill();
		context.fillStyle = toHex(text);
		context.fillText(spot.text, left + PAD, bottom - PAD - labelSize / 6);
	};

	/** Write what was taken since the last time. */
	write(): void {
		const context = this.#context;
		const titles = this.#waiting.splice(0).filter(({ x, y }) => !this.#plates.has(`${x} ${y}`)).sort((one, other) => other.size - one.size).slice(0, MAX_TITLES);
		const taken = [...this.#plates.values(), ...this.nodes()].filter((box) => box !== null);
		this.#plates.clear();
		if (context === null) return;
		for (const title of titles) {
			const spot = findSpot(context, title, this.#height, taken);
			if (spot === null) continue;
			taken.push(spot.box);
			this.#draw(context, spot.text, spot.box.left + PAD, spot.box.bottom - this.#height / 6);
		}
	}

	#draw(context: CanvasRenderingContext2D, label: string, x: number, y: number): void {
		const { background, text } = this.theme();
		context.lineJoin = "round";
		context.lineWidth = HALO;
		context.strokeStyle = toHex(background);
		context.strokeText(label, x, y);
		context.fillStyle = toHex(text);
		context.fillText(label, x, y);
	}
}

/** Titles begin where they are put, also in an app that goes from right to left. */
function ready(context: CanvasRenderingContext2D, font: string): void {
	context.font = font;
	context.textAlign = "left";
}

/** Find where a title fits, as a whole or cut. */
function findSpot(context: CanvasRenderingContext2D, { label, x, y, size }: Title, height: number, taken: readonly Box[]): Spot | null {
	const { a: across, d: down } = context.getTransform();
	const around = size + GAP - PAD;
	const node = { left: x - around, right: x + around, top: y - around, bottom: y + around };
	for (const text of new Set([label, shortenTitle(label, SHORT_CHARS)])) {
		const box = placeTitle(node, context.measureText(text).width + 2 * PAD, height, [context.canvas.width / across, context.canvas.height / down], taken);
		if (box !== null) return { text, box };
	}
	return null;
}
