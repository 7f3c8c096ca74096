import { Keymap } from "obsidian";
import type { ViewNode } from "../../protocol/operations";
import type { Theme } from "../../core/graph/emphasis";
import { type Groups, groupNodes } from "../../core/graph/groups";
import { listSections } from "../../core/graph/picture";
import { type GraphDrawing, Selection } from "../../core/graph/selection";
import { ARROWS, nearest } from "../../core/graph/layout";
import type { Look } from "../../core/graph/graph-request";
import { LinkSentences } from "../../core/graph/link-sentences";
import type { Host } from "../host";
import { canDraw, GraphCanvas } from "./graph-canvas";
import { showLegend } from "./legend";
import { NodeList } from "./node-list";
import { type NodeActs, nodeMenu, openNote } from "./menus";
import { Caption } from "./caption";
import { themeOf } from "./theme";
import { showPaths } from "./path-list";

const NO_WEBGL = "This window cannot draw with WebGL, so the graph is a list.";
const LOST = "The graphics driver dropped the picture, so the graph is a list.";

/** What the stage asks of its pane. */
export interface StageListener {
	readonly onAround: (path: string) => void;
	readonly onPick: (path: string) => void;
	/** The first end of a way, where one was picked. */
	readonly pathStart: () => string | null;
	/** Give up the way that is shown or picked. */
	readonly onBack: () => void;
}

/** Shows a graph as a picture or as a list, what the pointer is on, what the colours mean, and the sentences of a way. */
export class GraphStage {
	readonly #pictureEl: HTMLElement;
	readonly #listEl: HTMLElement;
	readonly #reasonEl: HTMLElement;
	readonly #legendEl: HTMLElement;
	readonly #pathsEl: HTMLElement;
	readonly #caption: Caption;
	readonly #list: NodeList;
	private canvas: GraphCanvas | null = null;
	private drawn: GraphDrawing | null = null;
	#look: Look | null = null;
	#groups: Groups = { of: new Map(), all: [], others: 0 };
	#sentences: LinkSentences | null = null;
	#obstacle: string | null = null;
	#theme: Theme;
	readonly #selection = new Selection();

	constructor(
		el: HTMLElement,
		private readonly host: Host,
		private readonly listener: StageListener,
	) {
		const stage = el.createDiv({ cls: "vaultside-graph-stage" });
		this.#reasonEl = stage.createDiv({ cls: "vaultside-say" });
		this.#pictureEl = stage.createDiv({ cls: "vaultside-graph-picture", attr: { tabindex: "0", role: "application" } });
		this.#pictureEl.addEventListener("keydown", (event) => this.#onKey(event));
		this.#listEl = stage.createDiv({ cls: "vaultside-graph-list" });
		this.#caption = new Caption(stage);
		this.#legendEl = el.createDiv({ cls: "vaultside-graph-legend", attr: { role: "group", "aria-label": "What the colours mean" } });
		this.#pathsEl = el.createDiv({ cls: "vaultside-graph-ways" });
		this.#list = new NodeList(this.#listEl, {
			onClick: (node, event) => this.#onClick(node, event),
			onMenu: (node, event) => this.#menu(node, event),
			onFocus: (node) => this.#describe(node),
		});
		this.#theme = themeOf(el);
		if (!canDraw()) this.#obstacle = NO_WEBGL;
	}

	/** How many of the nodes were searched for and found; null when nothing was searched for. */
	get foundCount(): number | null {
		return this.drawn === null ? null : (this.#selection.attention(this.drawn).found?.size ?? null);
	}

	/**
	 * Show a graph.
	 *
	 * @param fresh Whether it is another one than before.
	 */
	show(drawn: GraphDrawing, look: Look, fresh: boolean): void {
		if (fresh) this.#selection.reset();
		if (look.colours !== this.#look?.colours) this.#selection.group = null;
		[this.drawn, this.#look] = [drawn, look];
		this.#groups = groupNodes(drawn.picture.view, look.colours);
		this.#sentences = new LinkSentences((name, given) => this.host.link.call(name, given), drawn.picture);
		this.#caption.clear();
		const asList = look.list || this.#obstacle !== null;
		this.#pictureEl.toggle(!asList);
		this.#listEl.toggle(asList);
		this.#reasonEl.setText(this.#obstacle ?? "");
		if (asList) this.#dropCanvas();
		else this.#draw(fresh);
		const count = drawn.picture.nodes.length;
		this.#pictureEl.setAttr("aria-label", `Graph of ${count} notes. Arrow keys go to linked notes, Enter opens one.`);
		this.#attend();
	}

	/** Show nothing. */
	clear(): void {
		this.#dropCanvas();
		this.drawn = null;
		this.#caption.clear();
		for (const el of [this.#listEl, this.#legendEl, this.#pathsEl]) el.empty();
	}

	/** Make what was searched for stand out. */
	find(text: string, paths: ReadonlySet<string>): void {
		this.#selection.find(text, paths);
		this.#attend();
	}

	/** Go to the next of what was found. */
	next(): void {
		const next = this.drawn === null ? null : this.#selection.next(this.drawn);
		if (next !== null) this.#goTo(next);
	}

	/** The note that is open; it is ringed. */
	setActive(path: string | null): void {
		if (path === this.#selection.current) return;
		this.#selection.current = path;
		this.#attend();
	}

	/** Take up a theme that changed. */
	recolour(): void {
		this.#theme = themeOf(this.#pictureEl);
		this.canvas?.recolour();
		this.#attend();
	}

	/** Draw anew in the window that the pane is in now. */
	redraw(): void {
		this.#dropCanvas();
		if (this.drawn !== null && this.#look !== null) this.show(this.drawn, this.#look, false);
	}

	say(text: string): void {
		this.#caption.say(text);
	}

	/** Give everything back. */
	kill(): void {
		this.#caption.clear();
		this.#dropCanvas();
	}

	#draw(fresh: boolean): void {
		if (this.drawn === null) return;
		this.canvas ??= new GraphCanvas(this.#pictureEl, {
			onPoint: (node) => this.#pointAt(node),
			onPointEdge: (edge) => {
				const [source, target] = edge === null ? [] : [edge.source, edge.target].map((id) => this.drawn?.picture.byId.get(id));
				if (edge !== null && source !== undefined && target !== undefined) {
					this.#caption.edge(source, target, async () => (await this.#sentences?.ofEdge(edge)) ?? null);
				} else if (this.#selection.pointed === null) this.#caption.clear();
			},
			onClick: (node, event) => this.#onClick(node, event),
			onMenu: (node, event) => this.#menu(node, event),
			onLoss: () => {
				this.#obstacle = LOST;
				this.redraw();
			},
		});
		this.canvas.show(this.drawn.picture, this.#groups, fresh);
	}

	#dropCanvas(): void {
		const { canvas } = this;
		this.canvas = null;
		canvas?.kill();
	}

	#attend(): void {
		const { drawn } = this;
		const groups = this.#groups;
		const theme = this.#theme;
		const selection = this.#selection;
		if (drawn === null) return;
		const attention = selection.attention(drawn);
		this.canvas?.attend(attention);
		if (this.canvas === null) this.#list.show(listSections(drawn.picture, attention.found, attention.way), groups, theme);
		showLegend(this.#legendEl, groups, theme, selection.group, (key) => this.#choose(key));
		showPaths(this.#pathsEl, this.host.app, drawn.ways, selection.wayIndex, (at) => {
			if (at === null) {
				this.listener.onBack();
				return;
			}
			selection.wayIndex = at;
			this.#attend();
		});
	}

	#choose(group: string | null): void {
		this.#selection.group = group;
		this.#attend();
	}

	#pointAt(node: ViewNode | null): void {
		this.#selection.pointed = node?.id ?? null;
		if (this.drawn !== null) this.canvas?.attend(this.#selection.attention(this.drawn));
		if (node === null) this.#caption.clear();
		else this.#describe(node);
	}

	#describe(node: ViewNode): void {
		this.#caption.node(node, async () => (await this.#sentences?.ofNode(node)) ?? null);
	}

	#goTo(id: number): void {
		const node = this.drawn?.picture.byId.get(id);
		if (node === undefined) return;
		this.#selection.select(node);
		this.#attend();
		this.canvas?.bringIntoView(id);
		this.#describe(node);
	}

	#onClick(node: ViewNode | null, event: MouseEvent): void {
		if (node === null) {
			if (this.#selection.group !== null) this.#choose(null);
		} else if (node.path === null) this.#goTo(node.id);
		else if (event.shiftKey || this.listener.pathStart() !== null) this.listener.onPick(node.path);
		else void openNote(this.host.app, node.path, Keymap.isModEvent(event));
	}

	#menu(node: ViewNode, event: MouseEvent): void {
		const acts: NodeActs = { around: this.listener.onAround, pick: this.listener.onPick, from: this.listener.pathStart() };
		nodeMenu(this.host.app, node, acts)?.showAtMouseEvent(event);
	}

	#onKey(event: KeyboardEvent): void {
		if (this.drawn === null || this.canvas === null) return;
		const { picture } = this.drawn;
		const node = this.#selection.node(this.drawn) ?? picture.nodes[0];
		if (node === undefined) return;
		const direction = ARROWS[event.key];
		if (direction !== undefined) {
			const [from] = this.canvas.places([node.id]);
			const next = from && nearest(from, this.canvas.places(picture.around(node.id)), direction);
			this.#goTo(next ?? node.id);
		} else if (event.key === "Enter" && node.path !== null) {
			if (event.shiftKey || this.listener.pathStart() !== null) this.listener.onPick(node.path);
			else void openNote(this.host.app, node.path, Keymap.isModEvent(event));
		} else if (event.key === "+" || event.key === "-") this.canvas.zoom(event.key === "+" ? 1 : -1);
		else if (event.key === "Escape") this.listener.onBack();
		else return;
		event.preventDefault();
	}
}
