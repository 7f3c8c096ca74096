import Sigma from "sigma";
import type { ViewEdge, ViewNode } from "../../protocol/operations";
import { Emphasis, type Attention, NOTHING, type Theme } from "../../core/graph/emphasis";
import { type Groups, shapeOf } from "../../core/graph/groups";
import type { Box, Place } from "../../core/graph/layout";
import type { Picture } from "../../core/graph/picture";
import { DrawnGraph, type EdgeData, type NodeData } from "./drawn-graph";
import { Titles } from "./labels";
import { RingProgram, SHAPE_PROGRAMS } from "./node-shapes";
import { themeOf } from "./theme";

/** What the picture tells of the pointer. */
export interface PictureListener {
	readonly onPoint: (node: ViewNode | null) => void;
	readonly onPointEdge: (edge: ViewEdge | null) => void;
	readonly onClick: (node: ViewNode | null, event: MouseEvent) => void;
	readonly onMenu: (node: ViewNode, event: MouseEvent) => void;
	/** The graphics driver took its memory back. */
	readonly onLoss: () => void;
}

/** Edges from which on arrows and edges under the pointer cost more than they tell. */
const MANY_EDGES = 2_000;
/** A shape with corners fits into the disc around it, so that it must be larger to look as large. */
const CORNERED = 1.3;
const ZOOM_MS = 200;
const ZOOM = 1.5;

/** Whether pictures can be drawn here. */
export function canDraw(): boolean {
	const canvas = createEl("canvas");
	const context = canvas.getContext("webgl2") ?? canvas.getContext("webgl");
	context?.getExtension("WEBGL_lose_context")?.loseContext();
	return context !== null;
}

/** A graph drawn into an element, in the window that the element is in. */
export class GraphCanvas {
	private readonly sigma: Sigma<NodeData, EdgeData>;
	readonly #sizes: ResizeObserver;
	readonly #undo: (() => void)[] = [];
	#theme: Theme;
	#attention: Attention = NOTHING;
	#drawn: { readonly picture: Picture; readonly groups: Groups } | null = null;
	#emphasis: Emphasis | null = null;
	#pointed: ViewNode | null = null;

	constructor(
		private readonly el: HTMLElement,
		private readonly listener: PictureListener,
	) {
		this.#theme = themeOf(el);
		const still = el.win.matchMedia("(prefers-reduced-motion: reduce)").matches;
		const titles = new Titles(() => this.#theme, () => this.#boxes());
		this.sigma = new Sigma<NodeData, EdgeData>(new DrawnGraph([], [], false).asGraph, el, {
			allowInvalidContainer: true,
			nodeProgramClasses: { ...SHAPE_PROGRAMS, ring: RingProgram },
			labelFont: el.win.getComputedStyle(el).fontFamily,
			labelSize: 12,
			// Which have room is decided when they are written.
			labelDensity: 100,
			labelRenderedSizeThreshold: 0,
			minCameraRatio: 0.02,
			maxCameraRatio: 4,
			stagePadding: 36,
			zIndex: true,
			zoomDuration: still ? 1 : ZOOM_MS,
			inertiaDuration: still ? 1 : ZOOM_MS,
			doubleClickZoomingDuration: still ? 1 : ZOOM_MS,
			defaultDrawNodeLabel: titles.take,
			defaultDrawNodeHover: titles.hover,
			nodeReducer: (_, { node, type, ...place }) => ({ ...place, type, ...this.#emphasis?.node(node, type === "circle" || type === "ring" ? 1 : CORNERED) }),
			edgeReducer: (_, { edge, type }) => ({ type, ...this.#emphasis?.edge(edge) }),
		});
		this.sigma.on("afterRender", () => titles.write());
		this.#listen();
		// That of its own window, as the first one may not be drawn at all.
		this.#sizes = new (el.doc.defaultView ?? window).ResizeObserver(() => this.sigma.resize().scheduleRefresh());
		this.#sizes.observe(el);
	}

	/**
	 * Draw a picture.
	 *
	 * @param fresh Whether it shows something else than the one before, so that nothing is kept of where one looked.
	 */
	show(picture: Picture, groups: Groups, fresh: boolean): void {
		// In the same frame as before, so that what stays is seen where it was.
		const frame = fresh || this.#drawn === null ? null : this.sigma.getBBox();
		this.#drawn = { picture, groups };
		this.#decide();
		const many = picture.edges.length > MANY_EDGES;
		this.sigma.setCustomBBox(frame);
		this.sigma.setSettings({ enableEdgeEvents: !many, hideEdgesOnMove: many });
		this.sigma.setGraph(new DrawnGraph(picture.nodes, picture.edges, !many, (id) => shapeOf(id, groups)).asGraph);
		if (fresh) this.sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: 1, angle: 0 });
	}

	/** Show what a person looks at. */
	attend(attention: Attention): void {
		this.#attention = attention;
		this.#decide();
		this.sigma.refresh({ skipIndexation: true });
	}

	/** Take up the colours of a theme that changed. */
	recolour(): void {
		this.#theme = themeOf(this.el);
		this.attend(this.#attention);
	}

	/** Where nodes are in the picture, with y growing upwards. */
	places(ids: readonly number[]): readonly Place[] {
		return ids.flatMap((id) => {
			const data = this.sigma.getNodeDisplayData(String(id));
			return data === undefined ? [] : [{ id, x: data.x, y: data.y }];
		});
	}

	/** Where a node is in the element, in pixels from its corner. */
	positionOf(id: number): { readonly x: number; readonly y: number } | null {
		const data = this.sigma.getNodeDisplayData(String(id));
		return data === undefined ? null : this.sigma.framedGraphToViewport(data);
	}

	/** Move so that a node is seen, if it is not. */
	bringIntoView(id: number): void {
		const at = this.positionOf(id);
		const { width, height } = this.sigma.getDimensions();
		if (at === null || (at.x > 0 && at.x < width && at.y > 0 && at.y < height)) return;
		const data = this.sigma.getNodeDisplayData(String(id));
		if (data !== undefined) this.sigma.getCamera().setState({ x: data.x, y: data.y });
	}

	/** Come nearer, or with a number below 0 go away. */
	zoom(by: number): void {
		const camera = this.sigma.getCamera();
		camera.setState({ ratio: camera.getBoundedRatio(camera.ratio * ZOOM ** -by) });
	}

	/** What the nodes cover. */
	#boxes(): Box[] {
		return this.sigma.getGraph().nodes().flatMap((key) => {
			const data = this.sigma.getNodeDisplayData(key);
			if (data === undefined) return [];
			const { x, y } = this.sigma.framedGraphToViewport(data);
			const radius = this.sigma.scaleSize(data.size);
			return [{ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }];
		});
	}

	/** Give everything back. */
	kill(): void {
		for (const undo of this.#undo) undo();
		this.#sizes.disconnect();
		this.sigma.kill();
	}

	#decide(): void {
		if (this.#drawn !== null) this.#emphasis = new Emphasis(this.#drawn.picture, this.#drawn.groups, this.#theme, this.#attention);
	}

	#listen(): void {
		const { listener: ear, el } = this;
		const { sigma } = this;
		const node = (key: string): ViewNode => sigma.getGraph().getNodeAttributes(key).node;
		const point = (at: ViewNode | null): void => {
			this.#pointed = at;
			el.toggleClass("is-pointing", at !== null);
			ear.onPoint(at);
		};
		sigma.on("enterNode", ({ node: key }) => point(node(key)));
		sigma.on("leaveNode", () => point(null));
		sigma.on("enterEdge", ({ edge }) => ear.onPointEdge(sigma.getGraph().getEdgeAttributes(edge).edge));
		sigma.on("leaveEdge", () => ear.onPointEdge(null));
		sigma.on("clickNode", ({ node: key, event: { original } }) => "button" in original && ear.onClick(node(key), original));
		sigma.on("clickStage", ({ event: { original } }) => "button" in original && ear.onClick(null, original));
		sigma.on("doubleClickNode", (happened) => happened.preventSigmaDefault());
		sigma.on("rightClickNode", ({ node: key, event: { original } }) => {
			original.preventDefault();
			if ("button" in original) ear.onMenu(node(key), original);
		});
		this.#hear(el, "auxclick", (event) => {
			if (event.button === 1 && this.#pointed !== null) ear.onClick(this.#pointed, event);
		});
		for (const canvas of el.querySelectorAll("canvas")) this.#hear(canvas, "webglcontextlost", () => ear.onLoss());
		// Sigma follows the pointer in the main window alone.
		if (el.win !== window) {
			const captor = sigma.getMouseCaptor();
			this.#hear(el.doc, "mousemove", (event) => captor.handleMove(event));
			this.#hear(el.doc, "mouseup", (event) => captor.handleUp(event));
		}
	}

	#hear(on: EventTarget, kind: string, act: (event: MouseEvent) => void): void {
		const listener = act as (event: Event) => void;
		on.addEventListener(kind, listener);
		this.#undo.push(() => on.removeEventListener(kind, listener));
	}
}
