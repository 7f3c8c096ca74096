import type { App } from "./app";
import { Component } from "./component";
import { makeEl } from "./dom";
import type { WorkspaceLeaf } from "./workspace";

/** obsidian.d.ts: class View. */
export abstract class View extends Component {
	readonly app: App;
	icon = "file-text";
	readonly containerEl = makeEl("div", { cls: "workspace-leaf-content" });

	constructor(readonly leaf: WorkspaceLeaf) {
		super();
		this.app = leaf.app;
	}

	async onOpen(): Promise<void> {}

	async onClose(): Promise<void> {}

	abstract getViewType(): string;
	abstract getDisplayText(): string;

	getIcon(): string {
		return this.icon;
	}

	/** What of the view is kept with the workspace, and given back to it. */
	getState(): Record<string, unknown> {
		return {};
	}

	async setState(_state: unknown, _result: object): Promise<void> {}
}

export abstract class ItemView extends View {
	readonly contentEl = makeEl("div", { cls: "view-content" }, this.containerEl);
}
