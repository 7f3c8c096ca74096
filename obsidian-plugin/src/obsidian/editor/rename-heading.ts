import { type App, type Editor, type MarkdownFileInfo, MarkdownView, Modal, Notice, type TFile } from "obsidian";
import type { Answer } from "../../client/client";
import { titleOf } from "../../core/place";
import { withHint } from "../../core/refusal";
import { follows } from "../../core/renaming";
import { headingAt } from "../../core/sections";
import { changed } from "../../core/unified";
import { showWords } from "../changes/hunks";
import { showSaid } from "../command";
import { isConnected } from "../connected";
import { CHANGES, type Host } from "../host";
import { offering, undo } from "../undoing";

const TYPED_MS = 250;
/** Files whose lines are shown before they change; the others are counted. */
const SHOWN = 12;

/** The heading that the cursor is in, with those above it; none when it is in none, or in one that is not saved yet. */
export function headingHere(app: App, editor: Editor, file: TFile): readonly string[] {
	const headings = app.metadataCache.getFileCache(file)?.headings ?? [];
	const saved = headings.map(({ heading, level, position }) => ({ heading, level, line: position.start.line }));
	return headingAt(editor.getValue().split("\n"), editor.getCursor().line, saved);
}

/** Ask for another text of the heading that the cursor is in, and show what follows before it does. */
export async function renameHeading(host: Host, editor: Editor, { file }: MarkdownView | MarkdownFileInfo): Promise<void> {
	const chain = file === null ? [] : headingHere(host.app, editor, file);
	if (file === null || chain.length === 0 || !isConnected(host)) return;
	// Links may stand in any note, and the bridge changes the files.
	for (const { view } of host.app.workspace.getLeavesOfType("markdown")) if (view instanceof MarkdownView) await view.save();
	const read = await host.link.call("read_note", { path: file.path, max_chars: 1 });
	if (read.ok) new RenameHeading(host, file.path, chain, read.result.digest).open();
	else new Notice(withHint(read.error));
}

class RenameHeading extends Modal {
	private timer: number | undefined;
	private round = 0;

	constructor(
		private readonly host: Host,
		private readonly path: string,
		private readonly chain: readonly string[],
		private readonly digest: string,
	) {
		super(host.app);
		this.setTitle(`Rename a heading in ${titleOf(path)}`);
	}

	override onOpen(): void {
		this.modalEl.addClass("vault-bridge-preview");
		const { contentEl } = this;
		const now = this.chain.at(-1) ?? "";
		const input = contentEl.createEl("input", { type: "text", value: now, attr: { "aria-label": "Heading", dir: "auto", spellcheck: "true" } });
		const says = contentEl.createDiv({ cls: "vault-bridge-say", attr: { role: "status", "aria-live": "polite" } });
		const preview = contentEl.createDiv({ cls: "vault-bridge-renamed" });
		const buttons = contentEl.createDiv({ cls: "vault-bridge-buttons" });
		const rename = buttons.createEl("button", { cls: "mod-cta", text: "Rename" });
		buttons.createEl("button", { text: "Cancel" }).addEventListener("click", () => this.close());
		rename.disabled = true;
		const look = async (): Promise<void> => {
			const round = (this.round += 1);
			const answer = await this.rename(input.value, true);
			if (round !== this.round) return;
			preview.empty();
			says.toggleClass("mod-warning", !answer.ok);
			showSaid(says, answer.ok ? follows(answer.result) : withHint(answer.error));
			rename.disabled = !answer.ok;
			if (!answer.ok) return;
			rename.setText(answer.result.state === "proposed" ? "Propose it" : "Rename");
			this.show(preview, answer.result.diff);
		};
		input.addEventListener("input", () => {
			rename.disabled = true;
			this.round += 1;
			window.clearTimeout(this.timer);
			const same = input.value.trim() === now || input.value.trim() === "";
			if (!same) this.timer = window.setTimeout(() => void look(), TYPED_MS);
			says.setText("");
			if (same) preview.empty();
		});
		input.addEventListener("keydown", (event) => {
			if (event.key === "Enter" && !event.isComposing) rename.click();
		});
		rename.addEventListener("click", () => {
			rename.disabled = true;
			void this.done(input.value, says);
		});
		input.focus();
		input.select();
	}

	override onClose(): void {
		window.clearTimeout(this.timer);
		this.round += 1;
		this.contentEl.empty();
	}

	private show(el: HTMLElement, diff: string): void {
		const files = changed(diff);
		for (const { path, words } of files.slice(0, SHOWN)) {
			el.createDiv({ cls: "vault-bridge-hunk-place", text: titleOf(path), attr: { dir: "auto" } });
			showWords(el, words);
		}
		const more = files.length - SHOWN;
		if (more > 0) el.createDiv({ cls: "vault-bridge-small", text: `and ${more.toLocaleString()} more files` });
	}

	private async done(to: string, says: HTMLElement): Promise<void> {
		const answer = await this.rename(to, false);
		if (!answer.ok) {
			says.addClass("mod-warning");
			showSaid(says, withHint(answer.error));
			return;
		}
		this.close();
		const { change_id: change, state } = answer.result;
		const text = `“${this.chain.at(-1) ?? ""}” is “${to.trim()}” now. ${follows(answer.result)}`;
		if (change === null) return;
		if (state === "proposed") offering(`Proposed, not written yet: ${text}`, "Show", () => void this.host.reveal(CHANGES));
		else offering(text, "Undo", () => void undo(this.host, change));
	}

	/** What is confirmed was shown before. */
	private rename(to: string, dryRun: boolean): Promise<Answer<"rename_heading">> {
		return this.host.link.call("rename_heading", { path: this.path, heading: this.chain.join(" > "), to: to.trim(), digest: this.digest, dry_run: dryRun, confirm: true });
	}
}
