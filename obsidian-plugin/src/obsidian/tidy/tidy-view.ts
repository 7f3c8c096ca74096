import type { IconName, WorkspaceLeaf } from "obsidian";
import { type Host, TIDY } from "../host";
import { Pane } from "../pane";
import { Rows } from "../rows";
import { PlanPart } from "./plan-part";
import { properties } from "./properties";
import { ReportPart } from "./report-part";
import { growth, hubs, orphans, staleNotes, tasks, unwritten, violations } from "./reports";

/** Shows what could be tidied: the plan, of which a person ticks what is to be done, and below it what can only be looked through. */
export class TidyView extends Pane {
	readonly #unfolded = new Set<string>();
	readonly #rows = new Rows();

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "list-checks";
	}

	getViewType(): string {
		return TIDY;
	}

	getDisplayText(): string {
		return "Tidy";
	}

	override getIcon(): IconName {
		return "list-checks";
	}

	protected show(el: HTMLElement): void {
		const { host } = this;
		const unfolded = this.#unfolded;
		const plan = new PlanPart(el, host, unfolded, this.#rows);
		const body = el.createDiv({ cls: "vaultside-body vaultside-tidy" });
		const parts = [
			plan,
			new ReportPart(body, unfolded, violations(host)),
			new ReportPart(body, unfolded, unwritten(host)),
			new ReportPart(body, unfolded, orphans(host)),
			new ReportPart(body, unfolded, staleNotes(host)),
			new ReportPart(body, unfolded, properties(host)),
			new ReportPart(body, unfolded, tasks(host)),
			new ReportPart(body, unfolded, hubs(host)),
			new ReportPart(body, unfolded, growth(host)),
		];
		for (const part of parts) void part.load();
		this.whileShown(() => parts.forEach((part) => part.stop()));
		const { vault } = this.app;
		const changed = vault.on("modify", ({ path }) => {
			if (path === plan.path) void plan.load();
		});
		this.whileShown(() => vault.offref(changed));
		this.whileShown(
			host.events.add(({ kind }) => {
				if (kind === "plan_ready") void plan.load();
			}),
		);
	}
}
