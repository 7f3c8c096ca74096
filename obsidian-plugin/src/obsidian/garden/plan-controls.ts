import { Notice, type TFile } from "obsidian";
import type { Answer } from "../../client/client";
import type { AppliedPlan, PlannedFinding } from "../../protocol/operations";
import { Newest } from "../../core/newest";
import { describeApplied, checkTitle, tickLines, writeValue } from "../../core/garden";
import { stripStyle } from "../../core/plain";
import { addButton } from "../button";
import { showDiff } from "../changes/look-first";
import type { Host } from "../host";
import { open } from "../opening";
import { keepOpen } from "../rows";
import { sayRefusal } from "../say-refusal";
import { Confirm } from "../settings/confirm";
import { offerAction } from "../undoing";
import { addSmallLine } from "../small-line";

/** What the property `type` of a plan's note says. */
export const PLAN = "tidy-plan";

const STATES: Readonly<Record<Exclude<PlannedFinding["state"], "open">, string>> = {
	applied: "Applied.",
	proposed: "An agent would apply it; awaiting approval.",
	stale: "A note changed since; the next plan looks again.",
};

/** A plan as the bridge says it is now. */
export interface LoadedPlan {
	readonly shown: Answer<"show_plan">;
	/** The checks of which all findings are always ticked. */
	readonly favoured: ReadonlySet<string>;
}

/** What a person does with a plan and its findings, in the pane and in the plan's note. */
export class PlanControls {
	/**
	 * @param plan The note of the plan.
	 * @param load Shows the plan again, after it changed.
	 */
	constructor(
		private readonly host: Host,
		private readonly plan: Pick<TFile, "path">,
		private readonly load: () => Promise<void>,
	) {}

	/** Ask the bridge how the plan is now. */
	async ask(): Promise<LoadedPlan> {
		const { link } = this.host;
		const [shown, rules] = await Promise.all([link.call("show_plan", { path: this.plan.path }), link.call("tidy_rules", {})]);
		return { shown, favoured: new Set(rules.ok ? rules.result.rules.filter(({ ticked }) => ticked).map(({ check }) => check) : []) };
	}

	/** Add the button that applies the plan. */
	addApply(el: HTMLElement): void {
		addButton(el, { cls: "mod-cta", text: "Apply what is ticked…" }, () => this.#apply());
	}

	/** Add a box for all open findings of a check, and a button that has them always ticked. */
	addCheck(el: HTMLElement, text: string, check: string, findings: readonly PlannedFinding[], isFavoured: boolean): void {
		el.setAttr("data-row", this.#row(check));
		const open = findings.filter(({ state }) => state === "open");
		const label = el.createEl("label", { cls: "vaultside-part" });
		const all = label.createEl("input", { type: "checkbox", attr: { "aria-label": `All of ${checkTitle(check)}` } });
		all.checked = open.length > 0 && open.every(({ ticked }) => ticked);
		all.indeterminate = !all.checked && open.some(({ ticked }) => ticked);
		all.disabled = open.length === 0;
		all.addEventListener("change", () => void this.tick(open, all.checked));
		label.appendText(text);
		addButton(label, { text: isFavoured ? "Always ticked" : "Tick always", label: `${isFavoured ? "No longer tick" : "Always tick"} all of ${checkTitle(check)}` }, () => this.#favour(check, open, !isFavoured));
	}

	/** Add what became of a finding, and what can be done with it. */
	addFinding(el: HTMLElement, { id, state, notes, value, ...finding }: PlannedFinding): void {
		// What was opened in it has no place where there is nothing left to do.
		el.setAttr("data-row", this.#row(canApply(state) ? id : `${id} ${state}`));
		const text = stripStyle(finding.text);
		if (state !== "open") addSmallLine(el, STATES[state]);
		const acts = el.createDiv({ cls: "vaultside-missing-acts" });
		const [path] = notes;
		if (path !== undefined) addButton(acts, { text: "Open", label: `Open ${path}` }, () => open(this.host.app, { path, lines: [1, 1] }, false));
		if (!canApply(state)) return;
		addButton(acts, { text: "Look", label: `What would change: ${text}` }, () => this.#look(el, id));
		if (value !== null) addButton(acts, { text: "Edit", label: `Write another value: ${text}` }, () => this.#edit(el, id, value));
		addButton(acts, { text: "Never", label: `Never propose again: ${text}` }, () => this.#reject(id));
	}

	/** Tick or untick findings in the note, as a person would. */
	tick(findings: readonly PlannedFinding[], ticked: boolean): Promise<void> {
		return this.#write((text) => tickLines(text, new Set(findings.map(({ id }) => id)), ticked));
	}

	#row(name: string): string {
		return `${this.plan.path} ${name}`;
	}

	async #write(change: (text: string) => string): Promise<void> {
		const { vault } = this.host.app;
		const file = vault.getFileByPath(this.plan.path);
		if (file !== null) await vault.process(file, change);
	}

	/** Have all that a check finds ticked from now on, or no longer. */
	async #favour(check: string, findings: readonly PlannedFinding[], ticked: boolean): Promise<void> {
		const answer = await this.host.link.call("tidy_rules", { check, ticked });
		if (!answer.ok) sayRefusal(answer.error);
		else if (ticked) await this.tick(findings, true);
		await this.load();
	}

	/** Let the person write another value than the proposed one. */
	#edit(el: HTMLElement, id: string, value: string): void {
		const opened = el.querySelector<HTMLElement>("input[data-opened]");
		if (opened !== null) {
			opened.focus();
			return;
		}
		const input = el.createEl("input", { type: "text", value, attr: { "aria-label": "Value", dir: "auto" } });
		const leave = (): void => {
			input.remove();
			const typed = input.value.trim();
			if (typed !== value) void this.#write((text) => writeValue(text, id, typed));
		};
		input.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && !event.isComposing) leave();
		});
		// A redraw takes the focus away, too, and gives it back.
		input.addEventListener("blur", () => {
			input.win.setTimeout(() => {
				if (input.isConnected && input.doc.activeElement !== input) leave();
			});
		});
		keepOpen(input, () => {
			if (input.doc.activeElement === input.doc.body) input.focus({ preventScroll: true });
		});
		input.focus();
	}

	/** Show what a finding would change, or no longer. */
	async #look(el: HTMLElement, finding: string): Promise<void> {
		const shown = el.querySelector(".vaultside-renamed");
		if (shown !== null) {
			shown.remove();
			return;
		}
		const preview = el.createDiv({ cls: "vaultside-renamed" });
		const newest = new Newest();
		const ask = async (): Promise<void> => {
			const isLate = newest.ask();
			const answer = await this.host.link.call("show_plan", { path: this.plan.path, finding });
			if (isLate()) return;
			preview.empty();
			if (answer.ok) {
				showDiff(preview, answer.result.diff ?? "");
				return;
			}
			preview.remove();
			sayRefusal(answer.error);
		};
		keepOpen(preview, () => void ask());
		await ask();
	}

	async #reject(finding: string): Promise<void> {
		const answer = await this.host.link.call("judge_finding", { path: this.plan.path, finding, verdict: "reject" });
		if (!answer.ok) sayRefusal(answer.error);
		else if (answer.result.muted) new Notice(`“${checkTitle(answer.result.check)}” is left out of plans from now on, as nearly all it found was rejected.`);
		await this.load();
	}

	/** Say what would be done, and do it if that is wanted. */
	async #apply(): Promise<void> {
		const { app, link } = this.host;
		const { path } = this.plan;
		const tried = await link.call("apply_plan", { path, dry_run: true });
		if (!tried.ok) {
			sayRefusal(tried.error);
			return;
		}
		new Confirm(app, "Apply what is ticked?", describeApplied(tried.result), "Apply", async () => {
			const answer = await link.call("apply_plan", { path, confirm: true });
			if (!answer.ok) sayRefusal(answer.error);
			else this.#applied(answer.result);
		}).open();
	}

	#applied(result: AppliedPlan): void {
		const { session } = result;
		void this.load();
		if (session === null) new Notice(describeApplied(result));
		else offerAction(describeApplied(result), "Undo", () => void this.#undo(session));
	}

	async #undo(session: string): Promise<void> {
		const answer = await this.host.link.call("undo_session", { session });
		if (!answer.ok) sayRefusal(answer.error);
		else new Notice("Undone.");
		await this.load();
	}
}

/** Whether a finding can still be applied. */
export function canApply(state: PlannedFinding["state"]): boolean {
	return state === "open" || state === "proposed";
}
