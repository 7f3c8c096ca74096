import { ItemView, type WorkspaceLeaf } from "obsidian";
import { isOpen } from "../core/connection";
import type { Host } from "./host";
import { showAbsence } from "./status/absence";

/** A side pane: shows its content while the bridge is connected, and else how to get it so. */
export abstract class Pane extends ItemView {
	#content: HTMLElement | null = null;
	#contentEnds: (() => void)[] = [];
	readonly #unfolded = new Set<string>();

	constructor(
		leaf: WorkspaceLeaf,
		protected readonly host: Host,
	) {
		super(leaf);
	}

	/** Fill an empty element; called anew each time the bridge comes back. */
	protected abstract show(el: HTMLElement): void;

	/** Give up what was shown. */
	protected hide(): void {}

	/** Do this when the content goes. */
	protected whileShown(undo: () => void): void {
		this.#contentEnds.push(undo);
	}

	override async onOpen(): Promise<void> {
		this.contentEl.addClass("vaultside-pane");
		this.register(this.host.connections.add(() => this.#render()));
		this.register(this.host.settingsListeners.add(() => this.#applySettings()));
		this.#applySettings();
		this.#render();
	}

	override async onClose(): Promise<void> {
		this.#leave();
	}

	#render(): void {
		const { connection } = this.host.link;
		if (isOpen(connection)) {
			if (this.#content !== null) return;
			this.contentEl.empty();
			this.#content = this.contentEl.createDiv({ cls: "vaultside-content" });
			this.show(this.#content);
			return;
		}
		this.#leave();
		showAbsence(this.contentEl.createDiv({ cls: "vaultside-content" }), this.host, this.#unfolded);
	}

	/** Look as the settings say. */
	#applySettings(): void {
		const { density, showWhy } = this.host.settings;
		this.contentEl.toggleClass("is-compact", density === "compact");
		this.contentEl.toggleClass("is-without-why", !showWhy);
	}

	#leave(): void {
		for (const undo of this.#contentEnds.splice(0)) undo();
		if (this.#content !== null) this.hide();
		this.#content = null;
		this.contentEl.empty();
	}
}
