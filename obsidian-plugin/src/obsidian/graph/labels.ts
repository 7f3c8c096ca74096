import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering";
import { type Box, overlap } from "../../core/graph/layout";
import { type Theme, toHex } from "../../core/graph/emphasis";
import type { EdgeData, NodeData } from "./drawn-graph";

const GAP = 4;
const PAD = 3;
const HALO = 3;

interface Title {
	readonly label: string;
	readonly x: number;
	readonly y: number;
	readonly size: number;
}

/** Writes the titles of nodes beside them, on the other side where the picture ends; those of large nodes first, and none over another. */
export class Titles {
	#waiting: Title[] = [];
	#context: CanvasRenderingContext2D | null = null;
	#height = 0;

	constructor(private readonly theme: () => Theme) {}

	/** Take a title that sigma would write now. */
	readonly take: NodeLabelDrawingFunction<NodeData, EdgeData> = (context, { label, x, y, size }, { labelSize, labelFont, labelWeight }) => {
		if (label === null || label === "") return;
		ready(context, `${labelWeight} ${labelSize}px ${labelFont}`);
		[this.#context, this.#height] = [context, labelSize];
		this.#waiting.push({ label, x, y, size });
	};

	/** Write what was taken since the last time. */
	write(): void {
		const context = this.#context;
		const height = this.#height;
		const taken: Box[] = [];
		for (const { label, x, y, size } of this.#waiting.splice(0).sort((one, other) => other.size - one.size)) {
			if (context === null) return;
			const left = leftOf(context, label, x, size);
			const box = { left, right: left + context.measureText(label).width, top: y - height / 2, bottom: y + height / 2 };
			if (taken.some((other) => overlap(box, other))) continue;
			taken.push(box);
			this.#draw(context, label, left, y + height / 3);
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

/** Rings a node that is pointed at or come to, and writes its title on a plate. */
export function drawHover(theme: () => Theme): NodeHoverDrawingFunction<NodeData, EdgeData> {
	return (context, { label, x, y, size }, { labelSize, labelFont, labelWeight }) => {
		const { background, text, accent } = theme();
		context.beginPath();
		context.arc(x, y, size + PAD, 0, Math.PI * 2);
		context.fillStyle = toHex(background);
		context.fill();
		context.lineWidth = 2;
		context.strokeStyle = toHex(accent);
		context.stroke();
		if (label === null || label === "") return;
		ready(context, `${labelWeight} ${labelSize}px ${labelFont}`);
		const at = leftOf(context, label, x, size + PAD);
		context.beginPath();
		context.roundRect(at - PAD, y - labelSize / 2 - PAD, context.measureText(label).width + 2 * PAD, labelSize + 2 * PAD, PAD);
		context.fillStyle = toHex(background);
		context.fill();
		context.fillStyle = toHex(text);
		context.fillText(label, at, y + labelSize / 3);
	};
}

/** Titles begin where they are put, also in an app that goes from right to left. */
function ready(context: CanvasRenderingContext2D, font: string): void {
	context.font = font;
	context.textAlign = "left";
}

function leftOf(context: CanvasRenderingContext2D, label: string, x: number, size: number): number {
	const { width } = context.measureText(label);
	const room = context.canvas.width / context.getTransform().a;
	const right = x + size + GAP;
	const left = x - size - GAP - width;
	return right + width > room && left >= 0 ? left : right;
}
