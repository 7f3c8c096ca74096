import { type IconName, Notice, setIcon, type TFile, type WorkspaceLeaf } from "obsidian";
import type { ListedModel, Operations, VaultAnswer } from "../../protocol/operations";
import { asMarkdown, type Asked, historyOf, nameOf } from "../../core/answers/conversation";
import { newPath } from "../../core/notes/templates";
import { explainRefusal } from "../../client/client";
import { facts, installCommand } from "../../core/settings/models";
import { addSmallLine, showCommand } from "../lines";
import { ASK, type Host } from "../host";
import { openOnceSeen } from "../notes/new-note";
import { editedView, linkTo } from "../note-links";
import { Pane } from "../pane";
import { AnswerPart } from "./answer-part";
import { MentionSuggest } from "./mention-suggest";
import { SummaryPart } from "./summary-part";
import type { TurnPart } from "./turn-part";
import { showRefusal } from "../notices";

/** What the command and the button do. */
export const SUMMARISE = "Summarise this note";

/** Answers questions from the notes; what was asked is gone when the pane is closed. */
export class AskView extends Pane {
	#asked: Asked[] = [];
	/** What is typed and not asked yet, kept while the bridge is away. */
	#typed = "";
	#field: HTMLInputElement | null = null;
	#button: HTMLButtonElement | null = null;
	/** What is shown before the first question. */
	#introEl: HTMLElement | null = null;
	#turnsEl: HTMLElement | null = null;
	#breakOff: (() => void) | null = null;

	constructor(leaf: WorkspaceLeaf, host: Host) {
		super(leaf, host);
		this.icon = "message-circle-question";
	}

	getViewType(): string {
		return ASK;
	}

	getDisplayText(): string {
		return "Ask your notes";
	}

	override getIcon(): IconName {
		return "message-circle-question";
	}

	/** Put the cursor into the field. */
	focus(): void {
		this.#field?.focus();
	}

	protected show(el: HTMLElement): void {
		const form = el.createEl("form", { cls: "vaultside-search-head" });
		this.#field = form.createEl("input", { type: "text", value: this.#typed, placeholder: "Ask your notes…", attr: { "aria-label": "Question", dir: "auto" } });
		this.#button = form.createEl("button", { text: "Ask", type: "submit", cls: "mod-cta" });
		const summarise = form.createEl("button", { cls: "clickable-icon", type: "button", attr: { "aria-label": SUMMARISE } });
		setIcon(summarise, "list-collapse");
		summarise.addEventListener("click", () => this.summarise(this.app.workspace.getActiveFile()));
		const suggest = new MentionSuggest(this.app, this.#field);
		form.addEventListener("submit", (event) => {
			event.preventDefault();
			if (this.#breakOff !== null) this.#stop();
			else this.#begin();
		});
		this.#introEl = el.createDiv({ cls: "vaultside-empty", text: "Ask in your own words, such as “When did I last write about bread?”. Type @ to ask only one note or folder." });
		void this.#showModel(this.#introEl);
		this.#turnsEl = el.createDiv({ cls: "vaultside-body", attr: { role: "log", "aria-label": "Answers" } });
		this.whileShown(() => suggest.close());
	}

	protected override hide(): void {
		this.#breakOff?.();
		this.#typed = this.#field?.value ?? "";
		this.#breakOff = this.#field = this.#button = this.#introEl = this.#turnsEl = null;
		this.#asked = [];
	}

	/** Summarise a note. */
	summarise(file: TFile | null, length: "short" | "long" = "short"): void {
		if (file === null) {
			new Notice("Open the note that should be summarised.");
			return;
		}
		const turnEl = this.#turn();
		if (turnEl === null) return;
		const part = new SummaryPart(turnEl, this.host, file.path, length === "long" ? null : () => this.summarise(file, "long"));
		this.#follow("summarise", { paths: [file.path], length }, part);
	}

	#begin(): void {
		const question = this.#field?.value.trim() ?? "";
		if (question === "" || this.#field === null) return;
		this.#field.value = "";
		this.#ask(question, []);
	}

	#ask(question: string, without: readonly string[]): void {
		const turnEl = this.#turn();
		if (turnEl === null) return;
		const part = new AnswerPart(turnEl, this.host, question, {
			insert: (answer) => this.#insert(answer),
			keep: (answer) => void this.#keep(question, answer),
			askWithout: (path) => this.#ask(question, [...without, path]),
		});
		this.#follow("ask", { question, history: historyOf(this.#asked), without }, part, (kind, data) => {
			if (kind === "quotes") part.quotes(data as VaultAnswer);
			else if (kind === "token") part.write(String(data));
			else if (kind === "done") this.#asked.push({ question, answer: data as VaultAnswer });
		});
	}

	/** Show what a call says as it comes, and its result. */
	#follow<Name extends "ask" | "summarise">(name: Name, given: Operations[Name]["arguments"], part: TurnPart<Operations[Name]["result"]>, hear?: (kind: string, data: unknown) => void): void {
		const breakOff = this.host.link.stream(name, given, {
			onPart: (kind, data) => {
				if (kind === "status") part.say(String(data));
				else hear?.(kind, data);
			},
			onEnd: (answer) => {
				this.#finish();
				if (!answer.ok) part.refuse(explainRefusal(answer.error));
				else {
					part.show(answer.result);
					hear?.("done", answer.result);
				}
			},
		});
		this.#breakOff = () => {
			breakOff();
			part.stop();
		};
	}

	/** Begin a turn above the others; null while another is under way. */
	#turn(): HTMLElement | null {
		if (this.#turnsEl === null) return null;
		if (this.#breakOff !== null) {
			new Notice("Stop what is being written first.");
			return null;
		}
		this.#button?.setText("Stop");
		this.#introEl?.remove();
		return this.#turnsEl.createDiv({ cls: "vaultside-turn", prepend: true });
	}

	#stop(): void {
		this.#breakOff?.();
		this.#finish();
	}

	#finish(): void {
		this.#breakOff = null;
		this.#button?.setText("Ask");
	}

	#insert(answer: VaultAnswer): void {
		const edited = editedView(this.app);
		if (edited?.file == null) {
			new Notice("Open the note that the answer should go into.");
			return;
		}
		const { editor, file } = edited;
		const { line } = editor.getCursor();
		const end = { line, ch: editor.getLine(line).length };
		editor.replaceRange(`\n\n${this.#markdown(answer, file.path)}\n`, end);
		editor.focus();
	}

	async #keep(question: string, answer: VaultAnswer): Promise<void> {
		const { vault, fileManager, workspace } = this.app;
		const folder = fileManager.getNewFileParent(workspace.getActiveFile()?.path ?? "").path;
		const exists = (path: string): boolean => vault.getAbstractFileByPath(path) !== null;
		let path = newPath(folder, nameOf(question), exists);
		for (let count = 2; exists(path); count++) path = newPath(folder, `${nameOf(question)} ${count}`, exists);
		const text = `${this.#markdown(answer, path)}\n`;
		const kept = await this.host.link.call("create_note", { path, text, confirm: true });
		if (!kept.ok) showRefusal(kept.error);
		else if (kept.result.state === "proposed") new Notice("Proposed; awaiting approval.");
		else openOnceSeen(this.app, path);
	}

	#markdown(answer: VaultAnswer, from: string): string {
		return asMarkdown(answer, (path) => linkTo(this.app, { path, title: "", heading: "" }, from) ?? path);
	}

	/** Say which model writes answers, or how to get one. */
	async #showModel(el: HTMLElement): Promise<void> {
		const answer = await this.host.link.call("read_settings", { models: true });
		const models = ((answer.ok ? answer.result.models : undefined) ?? []).filter(({ purpose }) => purpose === "chat");
		const chosen = models.find((one) => one.chosen);
		if (chosen?.installed === true) {
			addSmallLine(el, `${chosen.title} writes the answers, on this computer.`);
			return;
		}
		const wanted: ListedModel | undefined = chosen ?? models[0];
		if (wanted === undefined) return;
		const fold = el.createEl("details");
		fold.createEl("summary", { cls: "vaultside-small", text: "Answers are quotes: no chat model is in use" });
		if (wanted.installed) addSmallLine(fold, "Choose one in the settings.");
		else {
			showCommand(fold, installCommand(wanted));
			addSmallLine(fold, facts(wanted));
		}
	}
}
