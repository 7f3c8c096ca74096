import type { IconName, ViewStateResult, WorkspaceLeaf } from "obsidian";
import { type Host, MEMORY } from "../host";
import { Pane } from "../pane";
import { MemoriesPart } from "./memories-part";
import { SessionsPart } from "./sessions-part";
import { addButton } from "../button";

const PARTS = { sessions: "Sessions", memories: "Memories" } as const;
type Part = keyof typeof PARTS;

/** Shows what agents remember, and the sessions in which they worked. */
export class MemoryView extends Pane {
	#part: Part = "memories";
	#open: ((part: Part) => void) | null = null;

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "brain";
	}

	getViewType(): string {
		return MEMORY;
	}

	getDisplayText(): string {
		return "Memory of agents";
	}

	override getIcon(): IconName {
		return "brain";
	}

	override getState(): Record<string, unknown> {
		return { ...super.getState(), part: this.#part };
	}

	override async setState(state: unknown, result: ViewStateResult): Promise<void> {
		if (typeof state === "object" && state !== null && "part" in state && (state.part === "sessions" || state.part === "memories")) this.#part = state.part;
		this.#open?.(this.#part);
		await super.setState(state, result);
	}

	/** Show the sessions, whatever was shown before. */
	showSessions(): void {
		this.#part = "sessions";
		this.#open?.(this.#part);
	}

	protected show(el: HTMLElement): void {
		const tabs = el.createDiv({ cls: "vaultside-segments", attr: { role: "tablist", "aria-label": "What is shown" } });
		const body = el.createDiv({ cls: "vaultside-body" });
		let shown: MemoriesPart | SessionsPart | null = null;
		const buttons = (Object.keys(PARTS) as Part[]).map((part) => {
			const button = addButton(tabs, { text: PARTS[part], attr: { role: "tab" } }, () => {
				this.#open?.(part);
				this.app.workspace.requestSaveLayout();
			});
			return { part, button };
		});
		this.#open = (part) => {
			this.#part = part;
			shown?.stop();
			body.empty();
			for (const one of buttons) one.button.setAttr("aria-selected", String(one.part === part));
			shown = part === "memories" ? new MemoriesPart(body, this.host) : new SessionsPart(body, this.host);
		};
		this.#open(this.#part);
		this.whileShown(() => shown?.stop());
	}

	protected override hide(): void {
		this.#open = null;
	}
}
