import { type IconName, type WorkspaceLeaf } from "obsidian";
import { type Host, STATUS } from "./host";
import { Pane } from "./pane";

/** Tells what is indexed, and what is not and why. */
export class StatusView extends Pane {
	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "activity";
	}

	getViewType(): string {
		return STATUS;
	}

	getDisplayText(): string {
		return "Bridge status";
	}

	override getIcon(): IconName {
		return "activity";
	}

	protected show(el: HTMLElement): void {
		el.createDiv({ text: "…" });
	}
}
