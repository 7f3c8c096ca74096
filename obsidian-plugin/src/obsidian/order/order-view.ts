import type { IconName, WorkspaceLeaf } from "obsidian";
import { type Host, ORDER } from "../host";
import { Pane } from "../pane";
import { growth, hubs, lostLinks, orphans } from "./graph-reports";
import { properties } from "./properties";
import { ReportPart } from "./report-part";
import { merges, prospects, staleNotes, violations } from "./reports";
import { tasks } from "./tasks";

/** Shows what in the vault could be put in order, each with what can be done about it. */
export class OrderView extends Pane {
	readonly #unfolded = new Set<string>();

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "list-checks";
	}

	getViewType(): string {
		return ORDER;
	}

	getDisplayText(): string {
		return "Order";
	}

	override getIcon(): IconName {
		return "list-checks";
	}

	protected show(el: HTMLElement): void {
		const body = el.createDiv({ cls: "vaultside-body vaultside-order" });
		const { host } = this;
		const unfolded = this.#unfolded;
		const parts = [
			new ReportPart(body, unfolded, merges(host)),
			new ReportPart(body, unfolded, violations(host)),
			new ReportPart(body, unfolded, prospects(host)),
			new ReportPart(body, unfolded, lostLinks(host)),
			new ReportPart(body, unfolded, orphans(host)),
			new ReportPart(body, unfolded, staleNotes(host)),
			new ReportPart(body, unfolded, properties(host)),
			new ReportPart(body, unfolded, tasks(host)),
			new ReportPart(body, unfolded, hubs(host)),
			new ReportPart(body, unfolded, growth(host)),
		];
		this.whileShown(() => parts.forEach((part) => part.stop()));
	}
}
