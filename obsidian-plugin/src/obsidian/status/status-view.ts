import type { IconName, WorkspaceLeaf } from "obsidian";
import { AnswerOrder } from "../../core/answer-order";
import { type Host, STATUS } from "../host";
import { Pane } from "../pane";
import { Findings } from "./findings";
import { NotePart } from "./note-part";
import { VaultPart } from "./vault-part";

const AGAIN_MS = 1000;

interface Parts {
	readonly vault: VaultPart;
	readonly note: NotePart;
}

/** Tells what is indexed, and what is not and why. */
export class StatusView extends Pane {
	#timer: number | undefined;
	#parts: Parts | null = null;
	readonly #newest = new AnswerOrder();

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "activity";
	}

	getViewType(): string {
		return STATUS;
	}

	getDisplayText(): string {
		return "What is indexed";
	}

	override getIcon(): IconName {
		return "activity";
	}

	protected show(el: HTMLElement): void {
		const part = (): HTMLElement => el.createDiv({ cls: "vaultside-body" });
		this.#parts = { vault: new VaultPart(part(), this.host, () => void this.#refresh()), note: new NotePart(part(), this.host) };
		void new Findings(part(), this.host).check();
		const opened = this.app.workspace.on("file-open", () => this.#showNote());
		this.whileShown(() => this.app.workspace.offref(opened));
		this.whileShown(this.host.connections.add(() => this.#soon()));
		this.whileShown(
			this.host.events.add(({ kind }) => {
				if (kind === "index_progress" || kind === "note_changed") this.#soon();
			}),
		);
		void this.#refresh();
	}

	protected override hide(): void {
		window.clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#parts = null;
	}

	#soon(): void {
		this.#timer ??= window.setTimeout(() => {
			this.#timer = undefined;
			void this.#refresh();
		}, AGAIN_MS);
	}

	async #refresh(): Promise<void> {
		this.#showNote();
		const parts = this.#parts;
		const isLate = this.#newest.ask();
		// To weigh all its files takes the bridge a while, in which it had better index.
		const answer = await this.host.link.call("status", { disk: this.host.link.connection.is !== "indexing" });
		const vault = answer.ok ? answer.result.vaults[0] : undefined;
		if (isLate() || parts === null || parts !== this.#parts || vault === undefined || !answer.ok) return;
		parts.vault.update(vault, answer.result.version, answer.result.disk ?? null);
	}

	#showNote(): void {
		const file = this.app.workspace.getActiveFile();
		if (file !== null) void this.#parts?.note.show(file.path);
	}
}
