import { Keymap } from "obsidian";
import type { ViewNode } from "../../protocol/operations";
import type { Theme } from "../../core/graph/emphasis";
import { type Groups, groupNodes } from "../../core/graph/groups";
import { listSections } from "../../core/graph/listed";
import { type Drawn, Looking } from "../../core/graph/looking";
import { ARROWS, nearest } from "../../core/graph/nearest";
import type { Look } from "../../core/graph/shown";
import { Telling } from "../../core/graph/telling";
import type { Host } from "../host";
import { canDraw, GraphCanvas } from "./graph-canvas";
import { showLegend } from "./legend";
import { NodeList } from "./node-list";
import { type NodeActs, nodeMenu, openNote } from "./node-menu";
import { Tell } from "./tell";
import { themeOf } from "./theme";
import { showWays } from "./ways-list";

const NO_WEBGL = "This window cannot draw with WebGL, so the graph is a list.";
const LOST = "The graphics driver dropped the picture, so the graph is a list.";

/** What the stage asks of its pane. */
export interface StageEar {
	readonly around: (path: string) => void;
	readonly pick: (path: string) => void;
	/** The first end of a way, where one was picked. */
	readonly from: () => string | null;
	/** Give up the way that is shown or picked. */
	readonly back: () => void;
}

/** Shows a graph as a picture or as a list, what the pointer is on, what the colours mean, and the sentences of a way. */
export class GraphStage {
	readonly #pictureEl: HTMLElement;
	readonly #listEl: HTMLElement;
	readonly #reasonEl: HTMLElement;
	readonly #legendEl: HTMLElement;
	readonly #waysEl: HTMLElement;
	readonly #tell: Tell;
	readonly #list: NodeList;
	private canvas: GraphCanvas | null = null;
	private drawn: Drawn | null = null;
	#look: Look | null = null;
	#groups: Groups = { of: new Map(), all: [], others: 0 };
	#telling: Telling | null = null;
	#cannot: string | null = null;
	#theme: Theme;
	readonly #looking = new Looking();

	constructor(
		el: HTMLElement,
		private readonly host: Host,
		private readonly ear: StageEar,
	) {
		const stage = el.createDiv({ cls: "vaultside-graph-stage" });
		this.#reasonEl = stage.createDiv({ cls: "vaultside-say" });
		this.#pictureEl = stage.createDiv({ cls: "vaultside-graph-picture", attr: { tabindex: "0", role: "application" } });
		this.#pictureEl.addEventListener("keydown", (event) => this.#pressed(event));
		this.#listEl = stage.createDiv({ cls: "vaultside-graph-list" });
		this.#tell = new Tell(stage);
		this.#legendEl = el.createDiv({ cls: "vaultside-graph-legend", attr: { role: "group", "aria-label": "What the colours mean" } });
		this.#waysEl = el.createDiv({ cls: "vaultside-graph-ways" });
		this.#list = new NodeList(this.#listEl, {
			clicked: (node, event) => this.#clicked(node, event),
			menu: (node, event) => this.#menu(node, event),
			cameTo: (node) => this.#tellOf(node),
		});
		this.#theme = themeOf(el);
		if (!canDraw()) this.#cannot = NO_WEBGL;
	}

	/** How many of the nodes were searched for and found; null when nothing was searched for. */
	get foundCount(): number | null {
		return this.drawn === null ? null : (this.#looking.at(this.drawn).found?.size ?? null);
	}

	/**
	 * Show a graph.
	 *
	 * @param fresh Whether it is another one than before.
	 */
	show(drawn: Drawn, look: Look, fresh: boolean): void {
		if (fresh) this.#looking.turn();
		if (look.colours !== this.#look?.colours) this.#looking.group = null;
		[this.drawn, this.#look] = [drawn, look];
		this.#groups = groupNodes(drawn.picture.view, look.colours);
		this.#telling = new Telling((name, given) => this.host.link.call(name, given), drawn.picture);
		this.#tell.clear();
		const asList = look.list || this.#cannot !== null;
		this.#pictureEl.toggle(!asList);
		this.#listEl.toggle(asList);
		this.#reasonEl.setText(this.#cannot ?? "");
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
		this.#tell.clear();
		for (const el of [this.#listEl, this.#legendEl, this.#waysEl]) el.empty();
	}

	/** Make what was searched for stand out. */
	find(text: string, paths: ReadonlySet<string>): void {
		this.#looking.find(text, paths);
		this.#attend();
	}

	/** Go to the next of what was found. */
	next(): void {
		const next = this.drawn === null ? null : this.#looking.next(this.drawn);
		if (next !== null) this.#goTo(next);
	}

	/** The note that is open; it is ringed. */
	setActive(path: string | null): void {
		if (path === this.#looking.current) return;
		this.#looking.current = path;
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
		this.#tell.say(text);
	}

	/** Give everything back. */
	kill(): void {
		this.#tell.clear();
		this.#dropCanvas();
	}

	#draw(fresh: boolean): void {
		if (this.drawn === null) return;
		this.canvas ??= new GraphCanvas(this.#pictureEl, {
			pointedAt: (node) => this.#pointAt(node),
			pointedAtEdge: (edge) => {
				const [source, target] = edge === null ? [] : [edge.source, edge.target].map((id) => this.drawn?.picture.byId.get(id));
				if (edge !== null && source !== undefined && target !== undefined) {
					this.#tell.edge(source, target, async () => (await this.#telling?.ofEdge(edge)) ?? null);
				} else if (this.#looking.pointed === null) this.#tell.clear();
			},
			clicked: (node, event) => this.#clicked(node, event),
			menu: (node, event) => this.#menu(node, event),
			lost: () => {
				this.#cannot = LOST;
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
		const looking = this.#looking;
		if (drawn === null) return;
		const attention = looking.at(drawn);
		this.canvas?.attend(attention);
		if (this.canvas === null) this.#list.show(listSections(drawn.picture, attention.found, attention.way), groups, theme);
		showLegend(this.#legendEl, groups, theme, looking.group, (key) => this.#choose(key));
		showWays(this.#waysEl, this.host.app, drawn.ways, looking.way, (at) => {
			if (at === null) {
				this.ear.back();
				return;
			}
			looking.way = at;
			this.#attend();
		});
	}

	#choose(group: string | null): void {
		this.#looking.group = group;
		this.#attend();
	}

	#pointAt(node: ViewNode | null): void {
		this.#looking.pointed = node?.id ?? null;
		if (this.drawn !== null) this.canvas?.attend(this.#looking.at(this.drawn));
		if (node === null) this.#tell.clear();
		else this.#tellOf(node);
	}

	#tellOf(node: ViewNode): void {
		this.#tell.node(node, async () => (await this.#telling?.ofNode(node)) ?? null);
	}

	#goTo(id: number): void {
		const node = this.drawn?.picture.byId.get(id);
		if (node === undefined) return;
		this.#looking.come(node);
		this.#attend();
		this.canvas?.bringIntoView(id);
		this.#tellOf(node);
	}

	#clicked(node: ViewNode | null, event: MouseEvent): void {
		if (node === null) {
			if (this.#looking.group !== null) this.#choose(null);
		} else if (node.path === null) this.#goTo(node.id);
		else if (event.shiftKey || this.ear.from() !== null) this.ear.pick(node.path);
		else void openNote(this.host.app, node.path, Keymap.isModEvent(event));
	}

	#menu(node: ViewNode, event: MouseEvent): void {
		const acts: NodeActs = { around: this.ear.around, pick: this.ear.pick, from: this.ear.from() };
		nodeMenu(this.host.app, node, acts)?.showAtMouseEvent(event);
	}

	#pressed(event: KeyboardEvent): void {
		if (this.drawn === null || this.canvas === null) return;
		const { picture } = this.drawn;
		const node = this.#looking.node(this.drawn) ?? picture.nodes[0];
		if (node === undefined) return;
		const direction = ARROWS[event.key];
		if (direction !== undefined) {
			const [from] = this.canvas.places([node.id]);
			const next = from && nearest(from, this.canvas.places(picture.around(node.id)), direction);
			this.#goTo(next ?? node.id);
		} else if (event.key === "Enter" && node.path !== null) {
			if (event.shiftKey || this.ear.from() !== null) this.ear.pick(node.path);
			else void openNote(this.host.app, node.path, Keymap.isModEvent(event));
		} else if (event.key === "+" || event.key === "-") this.canvas.zoom(event.key === "+" ? 1 : -1);
		else if (event.key === "Escape") this.ear.back();
		else return;
		event.preventDefault();
	}
}
