import { Notice } from "obsidian";
import { type Answer, explainRefusal } from "../../client/client";
import type { Disk, OperationName, Operations, VaultStatus } from "../../protocol/operations";
import { type Fact, describeConnection, facts } from "../../core/status/vault";
import type { Host } from "../host";
import { SkippedFiles } from "./skipped-files";
import { addButton, addButtonRow } from "../button";
import { addStatusLine } from "../lines";

/** What the index holds of the vault; all of it stands where it stood when it is told anew. */
export class VaultPart {
	readonly #nameEl: HTMLElement;
	readonly #sayEl: HTMLElement;
	readonly #barEl: HTMLProgressElement;
	readonly #listEl: HTMLElement;
	/** The facts that are shown. */
	#told = "";
	readonly #skipped: SkippedFiles;
	readonly #failed: SkippedFiles;
	readonly #pauseEl: HTMLButtonElement;
	#isPaused = false;
	#disk: Disk | null = null;
	#taken: VaultStatus["disk"] = null;

	constructor(
		el: HTMLElement,
		private readonly host: Host,
		private readonly onChange: () => void,
	) {
		this.#nameEl = el.createEl("h4", { attr: { dir: "auto" } });
		this.#sayEl = addStatusLine(el);
		this.#barEl = el.createEl("progress", { attr: { max: 1, "aria-label": "Indexed" } });
		this.#listEl = el.createEl("dl", { cls: "vaultside-table" });
		this.#skipped = new SkippedFiles(el, "Skipped");
		this.#failed = new SkippedFiles(el, "Could not be read", (paths) => this.#run("reindex", { paths }, "They are read again."));
		const buttons = addButtonRow(el);
		this.#button(buttons, "Compare with the vault", () => this.#run("reindex", {}, "The vault is compared with the index."));
		this.#button(buttons, "Read everything again", () => this.#run("reindex", { full: true }, "Every note is read again; what did not change keeps its vectors."));
		this.#pauseEl = this.#button(buttons, "", () => {
			if (this.#isPaused) this.#run("resume_indexing", {}, "Embedding resumed.");
			else this.#run("pause_indexing", {}, "Embedding paused; words and links stay up to date.");
		});
	}

	update(vault: VaultStatus, version: string, disk: Disk | null): void {
		const { connection } = this.host.link;
		// What takes long to find out is not asked each time; what was said last is still about right.
		this.#disk = disk ?? this.#disk;
		this.#taken = vault.disk ?? this.#taken;
		this.#nameEl.setText(vault.name);
		this.#sayEl.setText(describeConnection(connection));
		this.#barEl.toggle(connection.is === "indexing");
		this.#barEl.value = connection.is === "indexing" ? connection.done : 1;
		this.#showFacts(facts({ ...vault, disk: this.#taken }, version, this.#disk));
		this.#skipped.update(vault.skipped);
		this.#failed.update(vault.failed);
		this.#isPaused = vault.paused;
		this.#pauseEl.setText(vault.paused ? "Resume embedding" : "Pause embedding");
	}

	#showFacts(told: readonly Fact[]): void {
		const now = JSON.stringify(told);
		if (now === this.#told) return;
		this.#told = now;
		this.#listEl.empty();
		for (const [name, text] of told) {
			this.#listEl.createEl("dt", { text: name });
			this.#listEl.createEl("dd", { text });
		}
	}

	#button(el: HTMLElement, text: string, act: () => void): HTMLButtonElement {
		const button = addButton(el, { text }, act);
		return button;
	}

	#run<Name extends "reindex" | "pause_indexing" | "resume_indexing">(operation: Name, given: Operations[Name]["arguments"], done: string): void {
		void this.host.link.call(operation, given).then((answer: Answer<OperationName>) => {
			new Notice(answer.ok ? done : explainRefusal(answer.error));
			this.onChange();
		});
	}
}
