import { type MarkdownPostProcessorContext, MarkdownRenderChild, type MarkdownSectionInformation, type Plugin, type TAbstractFile, type TFile } from "obsidian";
import { isOpen } from "../../core/connection";
import { byCheck, checkTitle, isTop, summary, taskIds } from "../../core/garden";
import { withHint } from "../../core/refusal";
import { showSaid } from "../command";
import type { Host } from "../host";
import { Rows } from "../rows";
import { type LoadedPlan, PLAN, PlanControls } from "./plan-controls";

/** Show in the notes of plans, where they are read, what can be done with each finding. */
export function registerPlanNotes(plugin: Plugin & Host): void {
	const { metadataCache, vault } = plugin.app;
	const notes = new Map<TAbstractFile, PlanNote>();
	plugin.registerMarkdownPostProcessor((el, context) => {
		const file = vault.getFileByPath(context.sourcePath);
		if (file === null) return;
		const properties: unknown = context.frontmatter ?? metadataCache.getFileCache(file)?.frontmatter;
		if ((properties as { type?: unknown } | undefined)?.type !== PLAN) return;
		const note = notes.get(file) ?? new PlanNote(plugin, file);
		notes.set(file, note);
		context.addChild(new PlanSection(el, context, note));
	});
	const reload = (file: TAbstractFile): void => void notes.get(file)?.load();
	plugin.registerEvent(vault.on("modify", reload));
	plugin.registerEvent(vault.on("rename", reload));
	let was = "";
	plugin.register(
		plugin.connections.add(({ is }) => {
			if (is !== was) for (const note of notes.values()) void note.load();
			was = is;
		}),
	);
	plugin.register(() => {
		for (const note of notes.values()) note.show(undefined);
	});
}

/** The note of a plan where it is read: the bridge is asked once for all of its sections, which come and go. */
class PlanNote {
	readonly controls: PlanControls;
	readonly rows = new Rows();
	readonly #sections = new Set<PlanSection>();
	#plan: LoadedPlan | undefined;
	#round = 0;

	constructor(
		private readonly host: Host,
		file: TFile,
	) {
		this.controls = new PlanControls(host, file, () => this.load());
	}

	add(section: PlanSection): void {
		this.#sections.add(section);
		if (this.#plan !== undefined) section.show(this.#plan);
		else if (this.#sections.size === 1) void this.load();
	}

	remove(section: PlanSection): void {
		this.#sections.delete(section);
		// By the time that the note is shown again, other notes may have changed.
		if (this.#sections.size === 0) this.#plan = undefined;
	}

	async load(): Promise<void> {
		const round = (this.#round += 1);
		const plan = this.#sections.size > 0 && isOpen(this.host.link.connection) ? await this.controls.ask() : undefined;
		if (round === this.#round) this.show(plan);
	}

	show(plan: LoadedPlan | undefined): void {
		this.#plan = plan;
		for (const section of this.#sections) section.show(plan);
	}
}

/** A section of the note, as the app renders it by itself. */
class PlanSection extends MarkdownRenderChild {
	#added: HTMLElement[] = [];

	constructor(
		containerEl: HTMLElement,
		private readonly context: MarkdownPostProcessorContext,
		private readonly note: PlanNote,
	) {
		super(containerEl);
	}

	override onload(): void {
		this.note.add(this);
	}

	override onunload(): void {
		this.note.rows.take(this.containerEl);
		this.note.remove(this);
	}

	/** Show what can be done; without a plan, the note is as it is without the plugin. */
	show(plan: LoadedPlan | undefined): void {
		const section = this.context.getSectionInfo(this.containerEl);
		// The app need not say where a section stands; then what is there stays.
		if (plan !== undefined && section === null) return;
		this.note.rows.redraw(this.containerEl, () => this.#draw(plan, section));
	}

	#draw(plan: LoadedPlan | undefined, section: MarkdownSectionInformation | null): void {
		for (const el of this.#added.splice(0)) el.remove();
		if (plan === undefined || section === null) return;
		const { controls } = this.note;
		const { shown, favoured } = plan;
		const lines = section.text.split(/\r?\n/);
		if (isTop(lines, section.lineStart)) {
			const el = this.#add(this.containerEl.createDiv({ cls: "vaultside-plan", prepend: true }));
			showSaid(el.createDiv({ cls: "vaultside-small" }), shown.ok ? summary(shown.result) : withHint(shown.error));
			if (shown.ok && shown.result.ticked > 0) controls.addApply(el);
		}
		if (!shown.ok) return;
		const { findings } = shown.result;
		const title = this.containerEl.querySelector("h1, h2, h3, h4, h5, h6")?.textContent?.trim();
		for (const [check, own] of byCheck(findings)) {
			if (checkTitle(check) === title) controls.addCheck(this.#add(this.containerEl.createDiv({ cls: "vaultside-plan" })), "All", check, own, favoured.has(check));
		}
		const items = this.containerEl.querySelectorAll("li.task-list-item");
		const ids = taskIds(lines.slice(section.lineStart, section.lineEnd + 1));
		// Tasks are known by their order, as the app shows no ids.
		if (ids.length !== items.length) return;
		items.forEach((item, at) => {
			const finding = findings.find(({ id }) => id === ids[at]);
			if (finding === undefined) return;
			const el = this.#add(item.createDiv({ cls: "vaultside-plan" }));
			item.querySelector(":scope > ul, :scope > ol")?.before(el);
			controls.addFinding(el, finding);
		});
	}

	#add(el: HTMLElement): HTMLElement {
		this.#added.push(el);
		return el;
	}
}
