import { type IconName, Notice, type TFile, type WorkspaceLeaf } from "obsidian";
import type { AppliedPlan, PlannedFinding, ShownPlan } from "../../protocol/operations";
import { applied, byCheck, checkTitle, counted, tickLines, writeValue } from "../../core/garden";
import { unstyled } from "../../core/plain";
import { withHint } from "../../core/refusal";
import { showSaid } from "../command";
import { showDiff } from "../changes/look-first";
import { GARDEN, type Host } from "../host";
import { open } from "../opening";
import { Pane } from "../pane";
import { Confirm } from "../settings/confirm";
import { offering } from "../undoing";
import { addButton } from "../button";
import { sayRefusal } from "../say-refusal";
import { addSayLine } from "../say-line";

/** What the property `type` of a plan's note says. */
const TYPE = "garden-plan";

const STATES: Readonly<Record<Exclude<PlannedFinding["state"], "open">, string>> = {
	applied: "Applied.",
	proposed: "An agent would apply it; awaiting approval.",
	stale: "A note changed since; the next plan looks again.",
};

/** Shows the newest plan of the gardener: what it proposes, of which a person ticks what is to be done. */
export class GardenView extends Pane {
	#head: HTMLElement | null = null;
	#says: HTMLElement | null = null;
	#list: HTMLElement | null = null;
	/** The plan that was made here, of which the app may not know yet. */
	#made: string | undefined;
	#round = 0;

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
		this.#head = el.createDiv({ cls: "vault-bridge-buttons" });
		this.#says = addSayLine(el);
		this.#list = el.createDiv({ cls: "vault-bridge-body vault-bridge-garden" });
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
		this.#head = this.#says = this.#list = null;
	}

	/** Show a plan that was just made. */
	showPlan(path: string): void {
		this.#made = path;
		void this.#load();
	}

	/** The path of the plan that is open, else of the newest. */
	#plan(): string | undefined {
		const { metadataCache, vault, workspace } = this.app;
		const isPlan = (file: TFile): boolean => metadataCache.getFileCache(file)?.frontmatter?.["type"] === TYPE;
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
		const answer = path === undefined ? undefined : await this.host.link.call("show_plan", { path });
		const rules = await this.host.link.call("garden_rules", {});
		const head = this.#head;
		if (round !== this.#round || head === null) return;
		head.empty();
		addButton(head, { cls: path === undefined ? "mod-cta" : "", text: "Look for what to tidy" }, () => this.#make());
		this.#list?.empty();
		if (path === undefined || answer === undefined) {
			this.#say("The gardener looks for broken links, notes that may be one, stray spellings and the like, and writes what it would do into a note. Nothing is changed before you apply it.");
			return;
		}
		addButton(head, { text: "Open the plan" }, () => open(this.app, { path, lines: [1, 1] }, false));
		if (!answer.ok) {
			this.#say(withHint(answer.error), true);
			return;
		}
		this.#show(answer.result, rules.ok ? rules.result.rules.filter((rule) => rule.ticked).map(({ check }) => check) : []);
	}

	#show({ path: plan, findings, ticked, forecast, notices }: ShownPlan, favoured: readonly string[]): void {
		this.#say([`${ticked.toLocaleString()} of ${findings.length.toLocaleString()} ticked.`, counted(forecast), ...notices].filter((text) => text !== "").join(" "));
		if (ticked > 0 && this.#head !== null) addButton(this.#head, { cls: "mod-cta", text: "Apply what is ticked…" }, () => this.#apply(plan));
		for (const [check, own] of byCheck(findings)) this.#showCheck(plan, check, own, favoured.includes(check));
	}

	#showCheck(plan: string, check: string, findings: readonly PlannedFinding[], isFavoured: boolean): void {
		const open = findings.filter(({ state }) => state === "open");
		const el = this.#list?.createDiv();
		const title = el?.createEl("label", { cls: "vault-bridge-part" });
		if (el === undefined || title === undefined) return;
		const all = title.createEl("input", { type: "checkbox", attr: { "aria-label": `All of ${checkTitle(check)}` } });
		all.checked = open.length > 0 && open.every((one) => one.ticked);
		all.indeterminate = !all.checked && open.some((one) => one.ticked);
		all.disabled = open.length === 0;
		all.addEventListener("change", () => void this.#tick(plan, open, all.checked));
		title.appendText(`${checkTitle(check)} (${findings.length.toLocaleString()})`);
		addButton(title, { text: isFavoured ? "Always ticked" : "Tick always", label: `${isFavoured ? "No longer tick" : "Always tick"} all of ${checkTitle(check)}` }, () => this.#favour(plan, check, open, !isFavoured));
		const list = el.createDiv({ attr: { role: "list", "aria-label": checkTitle(check) } });
		for (const one of findings) this.#showFinding(list, plan, one);
	}

	#showFinding(list: HTMLElement, plan: string, finding: PlannedFinding): void {
		const { id, state, ticked, notes, value } = finding;
		const text = unstyled(finding.text);
		const isOpen = state === "open" || state === "proposed";
		const row = list.createDiv({ cls: "vault-bridge-missing", attr: { role: "listitem" } });
		const label = row.createEl("label", { attr: { dir: "auto" } });
		const box = label.createEl("input", { type: "checkbox" });
		box.checked = ticked;
		box.disabled = !isOpen;
		box.addEventListener("change", () => void this.#tick(plan, [finding], box.checked));
		label.appendText(text);
		row.createDiv({ cls: "vault-bridge-small", text: state === "open" ? unstyled(finding.why) : STATES[state] });
		const acts = row.createDiv({ cls: "vault-bridge-missing-acts" });
		const [path] = notes;
		if (path !== undefined) addButton(acts, { text: "Open", label: `Open ${path}` }, () => open(this.app, { path, lines: [1, 1] }, false));
		if (isOpen) addButton(acts, { text: "Look", label: `What would change: ${text}` }, () => this.#look(row, plan, id));
		if (isOpen && value !== null) addButton(acts, { text: "Edit", label: `Write another value: ${text}` }, () => this.#edit(row, plan, id, value));
		if (isOpen) addButton(acts, { text: "Never", label: `Never propose again: ${text}` }, () => this.#reject(plan, id));
	}

	/** Change the lines of the note, as a person would. */
	async #write(plan: string, change: (text: string) => string): Promise<void> {
		const file = this.app.vault.getFileByPath(plan);
		if (file !== null) await this.app.vault.process(file, change);
	}

	#tick(plan: string, findings: readonly PlannedFinding[], ticked: boolean): Promise<void> {
		return this.#write(plan, (text) => tickLines(text, new Set(findings.map(({ id }) => id)), ticked));
	}

	/** Have all that a check finds ticked from now on, or no longer. */
	async #favour(plan: string, check: string, findings: readonly PlannedFinding[], ticked: boolean): Promise<void> {
		const answer = await this.host.link.call("switch_garden_rule", { check, ticked });
		if (!answer.ok) sayRefusal(answer.error);
		else if (ticked) await this.#tick(plan, findings, true);
		await this.#load();
	}

	/** Let the person write another value than the proposed one. */
	#edit(row: HTMLElement, plan: string, id: string, value: string): void {
		const input = row.createEl("input", { type: "text", value, attr: { "aria-label": "Value", dir: "auto" } });
		input.addEventListener("change", () => void this.#write(plan, (text) => writeValue(text, id, input.value.trim())));
		input.addEventListener("blur", () => input.remove());
		input.focus();
	}

	/** Show what a finding would change, or no longer. */
	async #look(row: HTMLElement, path: string, finding: string): Promise<void> {
		const shown = row.querySelector(".vault-bridge-renamed");
		if (shown !== null) {
			shown.remove();
			return;
		}
		const answer = await this.host.link.call("show_plan", { path, finding });
		if (!answer.ok) sayRefusal(answer.error);
		else showDiff(row.createDiv({ cls: "vault-bridge-renamed" }), answer.result.diff ?? "");
	}

	async #reject(path: string, finding: string): Promise<void> {
		const answer = await this.host.link.call("judge_finding", { path, finding, verdict: "reject" });
		if (!answer.ok) sayRefusal(answer.error);
		else if (answer.result.muted) new Notice(`“${checkTitle(answer.result.check)}” is left out of plans from now on, as nearly all it found was rejected.`);
		await this.#load();
	}

	async #make(): Promise<void> {
		this.#say("Looking…");
		const answer = await this.host.link.call("plan_garden", { confirm: true });
		if (!answer.ok) {
			this.#say(withHint(answer.error), true);
			return;
		}
		const { path, notices } = answer.result;
		this.#made = path ?? undefined;
		await this.#load();
		if (path === null) this.#say(["Nothing is out of order.", ...notices].join(" "));
	}

	/** Say what would be done, and do it if that is wanted. */
	async #apply(path: string): Promise<void> {
		const tried = await this.host.link.call("apply_plan", { path, dry_run: true });
		if (!tried.ok) {
			this.#say(withHint(tried.error), true);
			return;
		}
		new Confirm(this.app, "Apply what is ticked?", applied(tried.result), "Apply", async () => {
			const answer = await this.host.link.call("apply_plan", { path, confirm: true });
			if (!answer.ok) this.#say(withHint(answer.error), true);
			else this.#applied(answer.result);
		}).open();
	}

	#applied(result: AppliedPlan): void {
		const { session } = result;
		void this.#load();
		if (session === null) new Notice(applied(result));
		else offering(applied(result), "Undo", () => void this.#undo(session));
	}

	async #undo(session: string): Promise<void> {
		const answer = await this.host.link.call("undo_session", { session });
		new Notice(answer.ok ? "Undone." : withHint(answer.error));
		await this.#load();
	}
}
