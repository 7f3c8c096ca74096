import { Notice } from "obsidian";
import type { AppliedPlan, PlannedFinding, ShownPlan, TidyRule } from "../../protocol/operations";
import { AnswerOrder } from "../../core/answer-order";
import { stripStyle } from "../../core/markdown-text";
import { explainRefusal } from "../../client/client";
import { byCheck, canApply, checkTitle, describeApplied, summary, tickLines, writeValue } from "../../core/tidy/plan";
import { addButton, addButtonRow } from "../button";
import { ChangePreview, showDiff } from "../changes/change-preview";
import { addSmallLine, addStatusLine, showText } from "../lines";
import type { Host } from "../host";
import { openHit } from "../note-links";
import { Fold } from "../related/fold";
import { keepOpen, type Rows } from "../rows";
import { offerAction, showRefusal } from "../notices";
import { Confirm } from "../modals";
import { describeChange, distinctTitles } from "../../core/tidy/reports";

/** Findings in a plan at most. */
const MAX_FINDINGS = 200;

const STATES: Readonly<Record<Exclude<PlannedFinding["state"], "open">, string>> = {
	applied: "Applied.",
	proposed: "An agent would apply it; awaiting approval.",
	stale: "A note changed since; the next plan looks again.",
};

/** The plan, one row a check: a person ticks what is to be done. Without a plan, what one would propose. */
export class PlanPart {
	/** The note of the plan. */
	path: string | undefined;
	readonly #el: HTMLElement;
	readonly #head: HTMLElement;
	readonly #says: HTMLElement;
	readonly #list: HTMLElement;
	#round = 0;
	#isMaking = false;

	constructor(
		el: HTMLElement,
		private readonly host: Host,
		private readonly unfolded: Set<string>,
		private readonly rows: Rows,
	) {
		this.#el = el.createDiv();
		this.#head = addButtonRow(this.#el);
		this.#says = addStatusLine(this.#el);
		this.#list = this.#el.createDiv({ cls: "vaultside-body vaultside-tidy" });
	}

	/** Ask the bridge how the plan is now. */
	async load(): Promise<void> {
		const round = (this.#round += 1);
		const { link } = this.host;
		const [shown, listed] = await Promise.all([link.call("show_plan", {}), link.call("tidy_rules", {})]);
		if (round !== this.#round) return;
		const rules = new Map((listed.ok ? listed.result.rules : []).map((rule) => [rule.check, rule]));
		if (shown.ok) {
			this.path = shown.result.path;
			this.#draw(summary(shown.result), shown.result.findings, rules, shown.result);
			return;
		}
		this.path = undefined;
		if (shown.error.code !== "note_not_found") {
			this.#draw(explainRefusal(shown.error), [], rules);
			return;
		}
		this.#draw("Looking…", [], rules);
		const found = await link.call("plan_tidy", { limit: MAX_FINDINGS, dry_run: true, confirm: true });
		if (round !== this.#round) return;
		if (found.ok) this.#draw(["This could be tidied. Make a plan to choose what is to be done.", ...found.result.notices].join(" "), found.result.findings, rules);
		else this.#draw(explainRefusal(found.error), [], rules);
	}

	/** Want nothing any more. */
	stop(): void {
		this.#round += 1;
		this.rows.take(this.#el);
	}

	#draw(says: string, findings: readonly PlannedFinding[], rules: ReadonlyMap<string, TidyRule>, plan?: ShownPlan): void {
		this.rows.redraw(this.#el, () => {
			this.#drawHead(plan);
			showText(this.#says, says);
			this.#list.empty();
			for (const [check, own] of byCheck(findings)) {
				const title = checkTitle(check);
				const fold = new Fold(this.#list, title, this.unfolded);
				fold.count(own.length);
				const { body } = fold;
				addSmallLine(body, rules.get(check)?.looks_for ?? "");
				if (plan !== undefined) this.#addCheck(body, check, own, rules.get(check)?.ticked ?? false);
				const list = body.createDiv({ attr: { role: "list", "aria-label": title } });
				for (const one of own) this.#addFinding(list, one, plan !== undefined);
			}
		});
	}

	#drawHead(plan: ShownPlan | undefined): void {
		this.#head.empty();
		const make = addButton(this.#head, { cls: plan === undefined ? "mod-cta" : "", text: plan === undefined ? "Make a plan" : "Make a new plan" }, () => this.#make());
		make.disabled = this.#isMaking;
		if (plan === undefined) return;
		addButton(this.#head, { text: "Open the plan" }, () => openHit(this.host.app, { path: plan.path, lines: [1, 1] }, false));
		if (plan.ticked > 0) addButton(this.#head, { cls: "mod-cta", text: "Apply what is ticked…" }, () => this.#apply());
	}

	/** Add a box for all open findings of a check, and a button that has them always ticked. */
	#addCheck(el: HTMLElement, check: string, findings: readonly PlannedFinding[], isFavoured: boolean): void {
		const open = findings.filter(({ state }) => state === "open");
		const label = el.createEl("label", { cls: "vaultside-part", attr: { "data-row": check } });
		const all = label.createEl("input", { type: "checkbox", attr: { "aria-label": `All of ${checkTitle(check)}` } });
		all.checked = open.length > 0 && open.every(({ ticked }) => ticked);
		all.indeterminate = !all.checked && open.some(({ ticked }) => ticked);
		all.disabled = open.length === 0;
		all.addEventListener("change", () => void this.#tick(open, all.checked));
		label.appendText("All");
		addButton(label, { text: isFavoured ? "Always ticked" : "Tick always", label: `${isFavoured ? "No longer tick" : "Always tick"} all of ${checkTitle(check)}` }, () => this.#favour(check, open, !isFavoured));
	}

	#addFinding(list: HTMLElement, finding: PlannedFinding, isPlanned: boolean): void {
		const { id, check, state, ticked, notes, value, why } = finding;
		const text = stripStyle(finding.text);
		const isOpen = isPlanned && canApply(state);
		// What was opened in it has no place where there is nothing left to do.
		const row = list.createDiv({ cls: "vaultside-missing", attr: { role: "listitem", "data-row": isOpen ? id : `${id} ${state}` } });
		const label = row.createEl("label", { attr: { dir: "auto", title: `${text}: ${stripStyle(why)}` } });
		if (isPlanned) {
			const box = label.createEl("input", { type: "checkbox" });
			box.checked = ticked;
			box.disabled = !isOpen;
			box.addEventListener("change", () => void this.#tick([finding], box.checked));
		}
		label.appendText(text);
		if (state !== "open") addSmallLine(row, STATES[state]);
		const acts = row.createDiv({ cls: "vaultside-missing-acts" });
		const [path, into] = notes;
		if (path !== undefined) addButton(acts, { text: "Open", label: `Open ${path}` }, () => openHit(this.host.app, { path, lines: [1, 1] }, false));
		if (!isOpen) return;
		addButton(acts, { text: "Look", label: `What would change: ${text}` }, () => this.#look(row, finding));
		if (value !== null) addButton(acts, { text: "Edit", label: `Write another value: ${text}` }, () => this.#edit(row, id, value));
		if (check === "duplicates" && path !== undefined && into !== undefined) addButton(acts, { text: "Reverse…", label: `The other way round: ${text}` }, () => mergeNotes(this.host, into, path, () => this.load()));
		addButton(acts, { text: "Never", label: `Never propose again: ${text}` }, () => this.#reject(id));
	}

	/** Tick or untick findings in the note, as a person would. */
	#tick(findings: readonly PlannedFinding[], ticked: boolean): Promise<void> {
		return this.#write((text) => tickLines(text, new Set(findings.map(({ id }) => id)), ticked));
	}

	async #write(change: (text: string) => string): Promise<void> {
		const { vault } = this.host.app;
		const file = this.path === undefined ? null : vault.getFileByPath(this.path);
		if (file !== null) await vault.process(file, change);
	}

	/** Have all that a check finds ticked from now on, or no longer. */
	async #favour(check: string, findings: readonly PlannedFinding[], ticked: boolean): Promise<void> {
		const answer = await this.host.link.call("tidy_rules", { check, ticked });
		if (!answer.ok) showRefusal(answer.error);
		else if (ticked) await this.#tick(findings, true);
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

	/** Show below a finding why and what it would change, or no longer. */
	async #look(el: HTMLElement, { id, why }: PlannedFinding): Promise<void> {
		const shown = el.querySelector(".vaultside-renamed");
		if (shown !== null) {
			shown.remove();
			return;
		}
		const preview = el.createDiv({ cls: "vaultside-renamed" });
		const newest = new AnswerOrder();
		const ask = async (): Promise<void> => {
			const isLate = newest.ask();
			const answer = await this.host.link.call("show_plan", { finding: id });
			if (isLate()) return;
			preview.empty();
			if (answer.ok) {
				addSmallLine(preview, stripStyle(why));
				showDiff(preview, answer.result.diff ?? "");
				return;
			}
			preview.remove();
			showRefusal(answer.error);
		};
		keepOpen(preview, () => void ask());
		await ask();
	}

	async #reject(finding: string): Promise<void> {
		const answer = await this.host.link.call("judge_finding", { finding, verdict: "reject" });
		if (!answer.ok) showRefusal(answer.error);
		else if (answer.result.muted) new Notice(`“${checkTitle(answer.result.check)}” is left out of plans from now on, as nearly all it found was rejected.`);
		await this.load();
	}

	async #make(): Promise<void> {
		this.#isMaking = true;
		this.#head.querySelectorAll("button").forEach((button) => (button.disabled = true));
		showText(this.#says, "Looking…");
		const answer = await this.host.link.call("plan_tidy", { limit: MAX_FINDINGS, confirm: true });
		this.#isMaking = false;
		await this.load();
		if (!answer.ok) showText(this.#says, explainRefusal(answer.error));
		else if (answer.result.path === null) showText(this.#says, ["Nothing is out of order.", ...answer.result.notices].join(" "));
	}

	/** Say what would be done, and do it if that is wanted. */
	async #apply(): Promise<void> {
		const { app, link } = this.host;
		const tried = await link.call("apply_plan", { dry_run: true });
		if (!tried.ok) {
			showRefusal(tried.error);
			return;
		}
		new Confirm(app, "Apply what is ticked?", describeApplied(tried.result), "Apply", async () => {
			const answer = await link.call("apply_plan", { confirm: true });
			if (!answer.ok) showRefusal(answer.error);
			else this.#showApplied(answer.result);
		}).open();
	}

	#showApplied(result: AppliedPlan): void {
		const { session } = result;
		void this.load();
		if (session === null) new Notice(describeApplied(result));
		else offerAction(describeApplied(result), "Undo", () => void this.#undo(session));
	}

	async #undo(session: string): Promise<void> {
		const answer = await this.host.link.call("undo_change", { change_id: session });
		if (!answer.ok) showRefusal(answer.error);
		else new Notice("Undone.");
		await this.load();
	}
}

/** Merge a note into another, after a look at what changes. */
async function mergeNotes(host: Host, path: string, into: string, onMade: () => unknown): Promise<void> {
	const read = await host.link.call("read_note", { path, max_chars: 1 });
	if (!read.ok) {
		showRefusal(read.error);
		return;
	}
	const { digest } = read.result;
	const [one, other] = distinctTitles(path, into);
	new ChangePreview(host, {
		title: `Merge ${one} into ${other}`,
		verb: "Merge",
		make: (_, dryRun) => host.link.call("merge_notes", { path, into, digest, dry_run: dryRun, confirm: true }),
		describe: describeChange,
		report: () => `${one} is a part of ${other} now.`,
		onMade: () => void onMade(),
	}).open();
}
