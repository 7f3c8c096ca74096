import type { IconName, TFile, WorkspaceLeaf } from "obsidian";
import type { PlannedFinding, ShownPlan } from "../../protocol/operations";
import { byCheck, checkTitle, summary } from "../../core/garden";
import { stripStyle } from "../../core/plain";
import { withHint } from "../../core/refusal";
import { addButton } from "../button";
import { showSaid } from "../command";
import { GARDEN, type Host } from "../host";
import { open } from "../opening";
import { Pane } from "../pane";
import { Rows } from "../rows";
import { addSayLine } from "../say-line";
import { canApply, type LoadedPlan, PLAN, PlanControls } from "./plan-controls";
import { addSmallLine } from "../small-line";

/** Shows the newest plan of the gardener: what it proposes, of which a person ticks what is to be done. */
export class GardenView extends Pane {
	#content: HTMLElement | null = null;
	#head: HTMLElement | null = null;
	#says: HTMLElement | null = null;
	#list: HTMLElement | null = null;
	/** The plan that was made here, of which the app may not know yet. */
	#made: string | undefined;
	#round = 0;
	readonly #rows = new Rows();

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "sprout";
	}

	getViewType(): string {
		return GARDEN;
	}

	getDisplayText(): string {
		return "Garden";
	}

	override getIcon(): IconName {
		return "sprout";
	}

	protected show(el: HTMLElement): void {
		this.#content = el;
		this.#head = el.createDiv({ cls: "vaultside-buttons", attr: { "data-row": "" } });
		this.#says = addSayLine(el);
		this.#list = el.createDiv({ cls: "vaultside-body vaultside-garden" });
		const { vault } = this.app;
		const changed = vault.on("modify", ({ path }) => {
			if (path === this.#plan()) void this.#load();
		});
		this.whileShown(() => vault.offref(changed));
		this.whileShown(
			this.host.events.add((event) => {
				if (event.kind === "plan_ready") this.showPlan(event.path);
			}),
		);
		void this.#load();
	}

	protected override hide(): void {
		this.#round += 1;
		if (this.#content !== null) this.#rows.take(this.#content);
		this.#content = this.#head = this.#says = this.#list = null;
	}

	/** Show a plan that was just made. */
	showPlan(path: string): void {
		this.#made = path;
		void this.#load();
	}

	/** The path of the plan that is open, else of the newest. */
	#plan(): string | undefined {
		const { metadataCache, vault, workspace } = this.app;
		const isPlan = (file: TFile): boolean => metadataCache.getFileCache(file)?.frontmatter?.["type"] === PLAN;
		const active = workspace.getActiveFile();
		if (active !== null && isPlan(active)) return active.path;
		return this.#made ?? vault.getMarkdownFiles().filter(isPlan).sort((one, other) => other.stat.ctime - one.stat.ctime)[0]?.path;
	}

	#say(text: string, isWarning = false): void {
		this.#says?.toggleClass("mod-warning", isWarning);
		if (this.#says !== null) showSaid(this.#says, text);
	}

	async #load(): Promise<void> {
		const round = (this.#round += 1);
		const path = this.#plan();
		const controls = path === undefined ? undefined : new PlanControls(this.host, { path }, () => this.#load());
		const plan = await controls?.ask();
		const content = this.#content;
		if (round === this.#round && content !== null) this.#rows.redraw(content, () => this.#draw(path, controls, plan));
	}

	#draw(path: string | undefined, controls: PlanControls | undefined, plan: LoadedPlan | undefined): void {
		const head = this.#head;
		const list = this.#list;
		if (head === null || list === null) return;
		head.empty();
		list.empty();
		addButton(head, { cls: path === undefined ? "mod-cta" : "", text: "Look for what to tidy" }, () => this.#make());
		if (path === undefined || controls === undefined || plan === undefined) {
			this.#say("The gardener looks for broken links, notes that may be one, stray spellings and the like, and writes what it would do into a note. Nothing is changed before you apply it.");
			return;
		}
		addButton(head, { text: "Open the plan" }, () => open(this.app, { path, lines: [1, 1] }, false));
		const { shown, favoured } = plan;
		if (shown.ok) this.#show(list, shown.result, controls, favoured);
		else this.#say(withHint(shown.error), true);
	}

	#show(list: HTMLElement, plan: ShownPlan, controls: PlanControls, favoured: ReadonlySet<string>): void {
		this.#say(summary(plan));
		if (plan.ticked > 0 && this.#head !== null) controls.addApply(this.#head);
		for (const [check, findings] of byCheck(plan.findings)) {
			const el = list.createDiv();
			controls.addCheck(el, `${checkTitle(check)} (${findings.length.toLocaleString()})`, check, findings, favoured.has(check));
			const rows = el.createDiv({ attr: { role: "list", "aria-label": checkTitle(check) } });
			for (const one of findings) showFinding(rows, controls, one);
		}
	}

	async #make(): Promise<void> {
		this.#say("Looking…");
		const answer = await this.host.link.call("plan_tidy", { confirm: true });
		if (!answer.ok) {
			this.#say(withHint(answer.error), true);
			return;
		}
		const { path, notices } = answer.result;
		this.#made = path ?? undefined;
		await this.#load();
		if (path === null) this.#say(["Nothing is out of order.", ...notices].join(" "));
	}
}

function showFinding(list: HTMLElement, controls: PlanControls, finding: PlannedFinding): void {
	const { state, ticked, why, text } = finding;
	const row = list.createDiv({ cls: "vaultside-missing", attr: { role: "listitem" } });
	const label = row.createEl("label", { attr: { dir: "auto" } });
	const box = label.createEl("input", { type: "checkbox" });
	box.checked = ticked;
	box.disabled = !canApply(state);
	box.addEventListener("change", () => void controls.tick([finding], box.checked));
	label.appendText(stripStyle(text));
	if (state === "open") addSmallLine(row, stripStyle(why));
	controls.addFinding(row, finding);
}
