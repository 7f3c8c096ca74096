import type { ViewEdge, ViewNode } from "../../protocol/operations";
import type { Groups } from "./groups";
import type { Picture } from "./picture";

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

/** Mix a colour into another. @param share How much of the second there is, 0 to 1. */
function mixColours(one: Colour, other: Colour, share: number): Colour {
	const part = (at: 0 | 1 | 2): number => Math.round(one[at] * (1 - share) + other[at] * share);
	return [part(0), part(1), part(2)];
}

/** Write a colour so that every program reads it. */
export function toHex([red, green, blue]: Colour): string {
	return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** The colours of the app's theme. */
export interface Theme {
	readonly background: Colour;
	readonly text: Colour;
	readonly line: Colour;
	readonly accent: Colour;
	/** What is in no group. */
	readonly plain: Colour;
	/** For the groups, in their order. */
	readonly palette: readonly Colour[];
}

/** What a person looks at. */
export interface Attention {
	/** The group that was chosen in the legend. */
	readonly group: string | null;
	/** What was searched for; null when nothing was. */
	readonly found: ReadonlySet<number> | null;
	/** The node under the pointer. */
	readonly pointed: number | null;
	/** Where the keyboard is, or the note that is open. */
	readonly current: number | null;
	/** The nodes of the way that is looked at, in order. */
	readonly way: readonly number[];
}

export const NOTHING: Attention = { group: null, found: null, pointed: null, current: null, way: [] };

interface NodeLook {
	readonly color: string;
	readonly size: number;
	readonly label: string;
	readonly forceLabel: boolean;
	readonly highlighted: boolean;
	readonly zIndex: number;
}

interface EdgeLook {
	readonly color: string;
	readonly size: number;
	readonly zIndex: number;
}

/** How much of the background is in what is not looked at. */
const DIM = 0.82;
const HALF = 0.5;
const MAX_LABEL_CHARS = 36;
const MAX_LABELLED_HITS = 12;

/** Decides how each node and edge looks, given what a person looks at. */
export class Emphasis {
	readonly #lit: (id: number) => boolean;
	readonly #steps: ReadonlySet<string>;

	constructor(
		private readonly picture: Picture,
		private readonly groups: Groups,
		private readonly theme: Theme,
		private readonly attention: Attention,
	) {
		this.#lit = litBy(picture, groups, attention);
		this.#steps = new Set(attention.way.slice(1).map((id, at) => pair(attention.way[at] ?? id, id)));
	}

	/** @param scale How much larger it is drawn than a disc. */
	node(node: ViewNode, scale = 1): NodeLook {
		const { attention, theme } = this;
		const lit = this.#lit(node.id);
		const colour = colourOf(node, this.groups, theme);
		const special = node.id === attention.current || attention.way.includes(node.id);
		const found = attention.found !== null && attention.found.size <= MAX_LABELLED_HITS && attention.found.has(node.id);
		return {
			color: toHex(lit ? colour : mixColours(colour, theme.background, DIM)),
			size: scale * radius(node.size, this.picture.nodes.length),
			label: lit || special ? shortenTitle(node.title) : "",
			forceLabel: lit && (special || found),
			highlighted: node.id === attention.current,
			zIndex: special || found ? 2 : lit ? 1 : 0,
		};
	}

	edge({ source, target }: ViewEdge): EdgeLook {
		const { attention, theme } = this;
		if (this.#steps.has(pair(source, target))) return { color: toHex(theme.accent), size: 3, zIndex: 2 };
		if (source === attention.pointed || target === attention.pointed) return { color: toHex(mixColours(theme.text, theme.background, HALF)), size: 1.5, zIndex: 1 };
		const lit = attention.pointed === null && this.#lit(source) && this.#lit(target);
		return { color: toHex(lit ? theme.line : mixColours(theme.line, theme.background, DIM)), size: 1, zIndex: 0 };
	}
}

/** The colour of a node: that of its group, and else the plain one. */
export function colourOf(node: ViewNode, groups: Groups, theme: Theme): Colour {
	const key = groups.of.get(node.id);
	const group = groups.all.find((one) => one.key === key);
	return theme.palette[group?.colour ?? -1] ?? theme.plain;
}

/** How large a node is drawn, in pixels from its middle: in a crowd all are smaller. */
export function radius(size: number, nodes: number): number {
	const crowd = nodes <= 60 ? 1 : nodes <= 400 ? 0.75 : 0.5;
	return (2.5 + size * 0.9) * crowd;
}

/** A title that does not cover half of the picture. */
export function shortenTitle(title: string, most = MAX_LABEL_CHARS): string {
	const letters = [...title];
	return letters.length <= most ? title : `${letters.slice(0, most - 1).join("")}…`;
}

function litBy(picture: Picture, groups: Groups, { group, found, pointed, way }: Attention): (id: number) => boolean {
	if (pointed !== null) {
		const near = new Set([pointed, ...picture.around(pointed)]);
		return (id) => near.has(id);
	}
	if (way.length > 0) {
		const on = new Set(way);
		return (id) => on.has(id);
	}
	return (id) => (group === null || groups.of.get(id) === group) && (found === null || found.has(id));
}

function pair(one: number, other: number): string {
	return one < other ? `${one} ${other}` : `${other} ${one}`;
}
