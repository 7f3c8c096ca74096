import { type IconName, setIcon, type ViewStateResult, type WorkspaceLeaf } from "obsidian";
import type { IndexProgress } from "../../protocol/events";
import { type Filters, NONE } from "../../core/filters";
import { fetchGraph, type GraphAnswer, type GraphScope, type Look, LOOK, restoreLook } from "../../core/graph/graph-request";
import { pickNote, type PathStart } from "../../core/graph/selection";
import { countNodes, Picture } from "../../core/graph/picture";
import { changesLinks } from "../../core/bridge-events";
import { titleOf } from "../../core/place";
import { GRAPH, type Host } from "../host";
import { Pane } from "../pane";
import { offerFilters, showChips } from "../search/filter-menu";
import { FindField } from "./find-field";
import { type Buttons, graphHead } from "./graph-head";
import { GraphStage } from "./graph-stage";
import { lookMenu } from "./menus";
import { addStatusLine } from "../lines";

const SETTLE_MS = 250;
const AFTER_CHANGES_MS = 1_000;

/** What is drawn while the bridge is connected. */
interface Parts {
	readonly title: HTMLElement;
	readonly buttons: Buttons;
	readonly chips: HTMLElement;
	readonly say: HTMLElement;
	readonly stage: GraphStage;
}

/** Shows the graph around the active note, the whole of it, or the way between two notes. */
export class GraphView extends Pane {
	#scope: GraphScope = { is: "around", path: null };
	/** What was shown before a way was. */
	#before: GraphScope = this.#scope;
	#look: Look = { ...LOOK, colours: this.host.settings.graphColours };
	#filters: Filters = NONE;
	#pinned = false;
	#pathStart: PathStart = null;
	/** The note that was active last. */
	#active: string | null = null;
	/** What is said of how much is drawn. */
	#summary = "";
	private parts: Parts | null = null;
	#timer: number | undefined;
	#round = 0;
	#progress: IndexProgress | null = null;
	/** What was drawn last, to tell whether something else comes and whether anything changed. */
	#last = { key: "", answer: "" };

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "chart-network";
	}

	getViewType(): string {
		return GRAPH;
	}

	getDisplayText(): string {
		return "Graph of links";
	}

	override getIcon(): IconName {
		return "chart-network";
	}

	override getState(): Record<string, unknown> {
		return { ...super.getState(), ...this.#look, whole: this.#scope.is === "whole" };
	}

	override async setState(state: unknown, result: ViewStateResult): Promise<void> {
		this.#look = restoreLook(state, this.host.settings.graphColours);
		if (typeof state === "object" && state !== null && "whole" in state && state.whole === true) this.#scope = { is: "whole" };
		this.#soon(0);
		await super.setState(state, result);
	}

	/** Show how a note leads to another. */
	showPath(from: string, to: string): void {
		if (this.#scope.is !== "way") this.#before = this.#scope;
		this.#turnTo({ is: "way", from, to });
	}

	protected show(el: HTMLElement): void {
		el.addClass("vaultside-graph");
		const { title, buttons } = graphHead(el, {
			onWhole: () => this.#turnTo(this.#scope.is === "whole" ? this.#around() : { is: "whole" }),
			onPin: () => {
				this.#pinned = !this.#pinned;
				this.#follow();
			},
			onList: () => this.#restyle({ ...this.#look, list: !this.#look.list }),
			onLook: (event) => lookMenu(this.#look, (look) => this.#restyle(look)).showAtMouseEvent(event),
		});
		const row = el.createDiv({ cls: "vaultside-head" });
		const field = new FindField(row, this.host, {
			onText: (text, paths) => {
				this.parts?.stage.find(text, paths);
				this.#tellCount();
			},
			onNext: () => this.parts?.stage.next(),
		});
		const narrow = row.createEl("button", { cls: "clickable-icon", attr: { "aria-label": "Narrow the graph" } });
		setIcon(narrow, "list-filter");
		narrow.addEventListener("click", (event) => void offerFilters(this.host, this.#filters, event, (filters) => this.#narrow(filters)));
		const chipsEl = el.createDiv({ cls: "vaultside-chips" });
		const stage = new GraphStage(el, this.host, {
			onAround: (path) => {
				this.#pinned = true;
				this.#turnTo({ is: "around", path });
			},
			onPick: (path) => this.#pick(path),
			pathStart: () => this.#pathStart?.from ?? null,
			onBack: () => this.#back(),
		});
		const say = addStatusLine(el);
		this.parts = { title, buttons, chips: chipsEl, say, stage };
		const { workspace } = this.app;
		const listening = [
			workspace.on("file-open", () => this.#follow()),
			workspace.on("active-leaf-change", () => this.#follow()),
			workspace.on("css-change", () => stage.recolour()),
		];
		this.whileShown(() => listening.forEach((ref) => workspace.offref(ref)));
		this.whileShown(this.host.events.add((event) => {
			if (changesLinks(event, this.#progress)) this.#soon(AFTER_CHANGES_MS);
			if (event.kind === "index_progress") this.#progress = event;
		}));
		this.whileShown(this.host.settingsListeners.add(({ graphColours: colours }) => colours !== this.#look.colours && this.#restyle({ ...this.#look, colours })));
		this.whileShown(el.onWindowMigrated(() => stage.redraw()));
		this.whileShown(() => {
			field.stop();
			stage.kill();
		});
		if (this.#scope.is === "around" && !this.#pinned) this.#scope = this.#around();
		this.#narrow(this.#filters);
	}

	protected override hide(): void {
		window.clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#round += 1;
		this.parts = null;
		this.#last = { key: "", answer: "" };
	}

	#around(): GraphScope {
		return { is: "around", path: this.app.workspace.getActiveFile()?.path ?? null };
	}

	#turnTo(shown: GraphScope): void {
		this.#scope = shown;
		this.#pathStart = null;
		this.#soon(0);
	}

	#restyle(look: Look): void {
		this.#look = look;
		const { settings } = this.host;
		if (look.colours !== settings.graphColours) {
			settings.graphColours = look.colours;
			void this.host.saveSettings();
		}
		this.#last.answer = "";
		this.app.workspace.requestSaveLayout();
		this.#soon(0);
	}

	#narrow(filters: Filters): void {
		this.#filters = filters;
		if (this.parts !== null) showChips(this.parts.chips, filters, (others) => this.#narrow(others));
		this.#soon(0);
	}

	#follow(): void {
		const here = this.#around();
		if (here.is !== "around" || here.path === null) return;
		// Where the keyboard is stays, unless it is another note that is active.
		if (here.path !== this.#active) this.parts?.stage.setActive(here.path);
		this.#active = here.path;
		if (this.#scope.is !== "around" || this.#pinned || here.path === this.#scope.path) this.#drawHead();
		else {
			this.#scope = here;
			this.#soon(SETTLE_MS);
		}
	}

	#pick(path: string): void {
		const { now, way } = pickNote(this.#pathStart, path);
		if (way !== null) this.showPath(...way);
		else {
			this.#pathStart = now;
			this.#describePick();
		}
	}

	/** Give up what was picked, and else the way that is shown. */
	#back(): void {
		if (this.#pathStart === null && this.#scope.is === "way") this.#turnTo(this.#before.is === "whole" || this.#pinned ? this.#before : this.#around());
		this.#pathStart = null;
		this.#describePick();
	}

	#describePick(): void {
		this.parts?.stage.say(this.#pathStart === null ? "" : `Path from ${titleOf(this.#pathStart.from)}: pick the other note.`);
	}

	/** Ask after a while; what is asked sooner goes first. */
	#soon(ms: number): void {
		if (this.parts === null) return;
		if (this.#timer !== undefined && ms >= AFTER_CHANGES_MS) return;
		window.clearTimeout(this.#timer);
		this.#timer = window.setTimeout(() => {
			this.#timer = undefined;
			void this.#ask();
		}, ms);
	}

	async #ask(): Promise<void> {
		const { host } = this;
		const shown = this.#scope;
		const look = this.#look;
		const filters = this.#filters;
		const round = (this.#round += 1);
		this.#drawHead();
		const answer = await fetchGraph((name, given) => host.link.call(name, given), shown, look, filters, Date.now());
		if (round === this.#round) this.#draw(answer, JSON.stringify([shown, look.depth, filters]));
	}

	#draw(answer: GraphAnswer, key: string): void {
		const { parts } = this;
		const shown = this.#scope;
		const last = this.#last;
		const text = JSON.stringify(answer);
		if (parts === null || (key === last.key && text === last.answer)) return;
		this.#last = { key, answer: text };
		if ("said" in answer) {
			parts.stage.clear();
			parts.say.setText(answer.said);
			return;
		}
		const middle = shown.is === "around" ? shown.path : null;
		const fresh = key !== last.key;
		parts.stage.show({ picture: new Picture(answer.view, middle), ways: answer.ways }, this.#look, fresh);
		if (fresh) parts.stage.setActive(shown.is === "way" ? null : (middle ?? this.app.workspace.getActiveFile()?.path ?? null));
		this.#summary = countNodes(answer.view);
		this.#tellCount();
	}

	#tellCount(): void {
		const found = this.parts?.stage.foundCount ?? null;
		this.parts?.say.setText(found === null ? this.#summary : `${found === 0 ? "Nothing" : found} found · ${this.#summary}`);
	}

	#drawHead(): void {
		const shown = this.#scope;
		const { parts } = this;
		if (parts === null) return;
		parts.title.setText(shown.is === "whole" ? "Whole vault" : shown.is === "way" ? "Path" : shown.path === null ? "No note is open" : titleOf(shown.path));
		parts.buttons.show({ whole: shown.is === "whole", pinned: this.#pinned, list: this.#look.list });
	}
}
