import { type IconName, Notice, type WorkspaceLeaf } from "obsidian";
import type { Answer } from "../../bridge/client";
import type { OperationName, VaultStatus } from "../../bridge/operations";
import { explained, inWords } from "../../core/connection";
import { type Host, STATUS } from "../host";
import { showFindings } from "./findings";
import { showNote } from "./note-status";
import { Pane } from "../pane";

const AGAIN_MS = 1000;

/** Tells what is indexed, and what is not and why. */
export class StatusView extends Pane {
	private timer: number | undefined;
	private vaultEl: HTMLElement | null = null;
	private noteEl: HTMLElement | null = null;

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
		this.vaultEl = el.createDiv({ cls: "vault-bridge-body" });
		this.noteEl = el.createDiv({ cls: "vault-bridge-body" });
		void showFindings(el.createDiv({ cls: "vault-bridge-body" }), this.host);
		const opened = this.app.workspace.on("file-open", () => this.refreshNote());
		this.whileShown(() => this.app.workspace.offref(opened));
		this.whileShown(this.host.events.add(({ kind }) => {
			if (kind === "index_progress") this.soon();
		}));
		void this.refresh();
	}

	protected override hide(): void {
		window.clearTimeout(this.timer);
		this.timer = undefined;
		this.vaultEl = this.noteEl = null;
	}

	private soon(): void {
		this.timer ??= window.setTimeout(() => {
			this.timer = undefined;
			void this.refresh();
		}, AGAIN_MS);
	}

	private async refresh(): Promise<void> {
		this.refreshNote();
		const answer = await this.host.link.call("status", {});
		const vault = answer.ok ? answer.result.vaults[0] : undefined;
		if (this.vaultEl === null || vault === undefined || !answer.ok) return;
		this.vaultEl.empty();
		this.showVault(this.vaultEl, vault, answer.result.version);
	}

	private refreshNote(): void {
		const file = this.app.workspace.getActiveFile();
		if (this.noteEl !== null && file !== null) void showNote(this.noteEl, this.host, file.path);
	}

	private showVault(el: HTMLElement, vault: VaultStatus, version: string): void {
		const { connection } = this.host.link;
		el.createEl("h4", { text: vault.name, attr: { dir: "auto" } });
		el.createDiv({ cls: "vault-bridge-say", text: `${inWords(connection)}. ${explained(connection)}`, attr: { role: "status" } });
		if (connection.is === "indexing") {
			el.createEl("progress", { attr: { max: 1, value: connection.done, "aria-label": "Indexed" } });
		}
		const facts: readonly (readonly [string, string])[] = [
			["Notes", count(vault.notes)],
			["Passages", count(vault.passages)],
			["Still to read", count(vault.pending.keyword)],
			["Still to embed", vault.model === null ? "–" : count(vault.pending.vectors)],
			["Model", vault.model?.id ?? "None: search is by words only"],
			["Bridge", version],
		];
		const list = el.createEl("dl", { cls: "vault-bridge-table" });
		for (const [name, fact] of facts) {
			list.createEl("dt", { text: name });
			list.createEl("dd", { text: fact });
		}
		this.showLeft(el, "Skipped", vault.skipped);
		this.showLeft(el, "Could not be read", vault.failed);
		const buttons = el.createDiv({ cls: "vault-bridge-buttons" });
		this.button(buttons, "Compare with the vault", "reindex", "The vault is compared with the index.");
		if (vault.paused) this.button(buttons, "Go on embedding", "resume_indexing", "Embedding goes on.");
		else this.button(buttons, "Pause embedding", "pause_indexing", "Embedding waits; words and links stay up to date.");
	}

	private showLeft(el: HTMLElement, name: string, left: VaultStatus["skipped"]): void {
		if (left.count === 0) return;
		const details = el.createEl("details");
		details.createEl("summary", { text: `${name}: ${count(left.count)}` });
		for (const { path, reason } of left.first) {
			const row = details.createDiv({ cls: "vault-bridge-left" });
			row.createDiv({ text: path, attr: { dir: "auto" } });
			row.createDiv({ cls: "vault-bridge-small", text: reason });
		}
		if (left.count > left.first.length) details.createDiv({ cls: "vault-bridge-small", text: "and more" });
	}

	private button(el: HTMLElement, text: string, operation: "reindex" | "pause_indexing" | "resume_indexing", done: string): void {
		el.createEl("button", { text }).addEventListener("click", () => {
			void this.host.link.call(operation, {}).then((answer: Answer<OperationName>) => {
				new Notice(answer.ok ? done : answer.error.message);
				void this.refresh();
			});
		});
	}
}

function count(number: number): string {
	return number.toLocaleString();
}
