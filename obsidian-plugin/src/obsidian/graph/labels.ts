import type { NodeHoverDrawingFunction, NodeLabelDrawingFunction } from "sigma/rendering";
import { written } from "../../core/graph/colour";
import type { Theme } from "../../core/graph/emphasis";
import type { EdgeData, NodeData } from "./drawn-graph";

const GAP = 4;
const PAD = 3;
const HALO = 3;

/** Writes the title of a node beside it, on the other side where the picture ends. */
export function drawLabel(theme: () => Theme): NodeLabelDrawingFunction<NodeData, EdgeData> {
	return (context, { label, x, y, size }, { labelSize, labelFont, labelWeight }) => {
		if (label === null || label === "") return;
		const { background, text } = theme();
		context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
		const at = leftOf(context, label, x, size);
		context.lineJoin = "round";
		context.lineWidth = HALO;
		context.strokeStyle = written(background);
		context.strokeText(label, at, y + labelSize / 3);
		context.fillStyle = written(text);
		context.fillText(label, at, y + labelSize / 3);
	};
}

/** Rings a node that is pointed at or come to, and writes its title on a plate. */
export function drawHover(theme: () => Theme): NodeHoverDrawingFunction<NodeData, EdgeData> {
	return (context, { label, x, y, size }, { labelSize, labelFont, labelWeight }) => {
		const { background, text, accent } = theme();
		context.beginPath();
		context.arc(x, y, size + PAD, 0, Math.PI * 2);
		context.fillStyle = written(background);
		context.fill();
		context.lineWidth = 2;
		context.strokeStyle = written(accent);
		context.stroke();
		if (label === null || label === "") return;
		context.font = `${labelWeight} ${labelSize}px ${labelFont}`;
		const at = leftOf(context, label, x, size + PAD);
		context.beginPath();
		context.roundRect(at - PAD, y - labelSize / 2 - PAD, context.measureText(label).width + 2 * PAD, labelSize + 2 * PAD, PAD);
		context.fillStyle = written(background);
		context.fill();
		context.fillStyle = written(text);
		context.fillText(label, at, y + labelSize / 3);
	};
}

function leftOf(context: CanvasRenderingContext2D, label: string, x: number, size: number): number {
	const { width } = context.measureText(label);
	const room = context.canvas.width / context.getTransform().a;
	const right = x + size + GAP;
	const left = x - size - GAP - width;
	return right + width > room && left >= 0 ? left : right;
}
