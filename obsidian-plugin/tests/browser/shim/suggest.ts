import type { ViewUpdate } from "@codemirror/view";
import type { App } from "./app";
import { makeEl } from "./dom";
import type { Editor, Position } from "./editor";
import { Scope } from "./keymap";
import type { TFile } from "./vault";

interface Owner<T> {
	renderSuggestion(value: T, el: HTMLElement): void;
	selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void;
}

interface Instruction {
	readonly command: string;
	readonly purpose: string;
}

/** The list that suggests and modals share (obsidian.d.ts: interface ISuggestOwner). Not in the typings, but many plugins use it: its items, which is selected, and `useSelectedItem`. */
export class Suggestions<T> {
	values: readonly T[] = [];
	selectedItem = 0;
	private rows: HTMLElement[] = [];

	constructor(
		private readonly owner: Owner<T>,
		readonly el: HTMLElement,
		scope: Scope,
	) {
		const move = (by: number): Parameters<Scope["register"]>[2] => (event) => {
			if (event.isComposing) return undefined;
			this.setSelectedItem((this.selectedItem + by + this.values.length) % Math.max(this.values.length, 1));
			return false;
		};
		scope.register([], "ArrowDown", move(1));
		scope.register([], "ArrowUp", move(-1));
		scope.register([], "Enter", (event) => (event.isComposing ? undefined : this.useSelectedItem(event)));
	}

	useSelectedItem(event: MouseEvent | KeyboardEvent): false {
		const value = this.values[this.selectedItem];
		if (value !== undefined) this.owner.selectSuggestion(value, event);
		return false;
	}

	setSuggestions(values: readonly T[]): void {
		this.values = values;
		this.el.replaceChildren();
		this.rows = values.map((value, at) => {
			const row = makeEl("div", { cls: "suggestion-item" }, this.el);
			this.owner.renderSuggestion(value, row);
			row.addEventListener("mousedown", (event) => event.preventDefault());
			row.addEventListener("mousemove", () => this.setSelectedItem(at));
			row.addEventListener("click", (event) => {
				this.setSelectedItem(at);
				this.useSelectedItem(event);
			});
			return row;
		});
		this.setSelectedItem(0);
	}

	setSelectedItem(at: number): void {
		this.selectedItem = at;
		for (const [index, row] of this.rows.entries()) row.classList.toggle("is-selected", index === at);
		this.rows[at]?.scrollIntoView({ block: "nearest" });
	}
}

export function showInstructions(el: HTMLElement, all: readonly Instruction[]): void {
	el.querySelector(".prompt-instructions")?.remove();
	const row = makeEl("div", { cls: "prompt-instructions" }, el);
	for (const { command, purpose } of all) {
		const one = makeEl("div", { cls: "prompt-instruction" }, row);
		makeEl("span", { cls: "prompt-instruction-command", text: command }, one);
		makeEl("span", { text: purpose }, one);
	}
}

/** obsidian.d.ts: class PopoverSuggest. */
export abstract class PopoverSuggest<T> implements Owner<T> {
	readonly scope: Scope;
	protected readonly suggestEl = makeEl("div", { cls: "suggestion-container" });
	readonly suggestions: Suggestions<T>;

	constructor(
		readonly app: App,
		scope?: Scope,
	) {
		this.scope = scope ?? new Scope();
		this.suggestions = new Suggestions(this, makeEl("div", { cls: "suggestion" }, this.suggestEl), this.scope);
		this.scope.register([], "Escape", () => {
			this.close();
			return false;
		});
	}

	open(): void {
		activeDocument.body.append(this.suggestEl);
		this.app.keymap.pushScope(this.scope);
	}

	close(): void {
		this.suggestEl.remove();
		this.app.keymap.popScope(this.scope);
	}

	abstract renderSuggestion(value: T, el: HTMLElement): void;
	abstract selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void;
}

/** obsidian.d.ts: class AbstractInputSuggest, below "an `<input>` text box". */
export abstract class AbstractInputSuggest<T> extends PopoverSuggest<T> {
	limit = 100;
	private readonly chosen: ((value: T, event: MouseEvent | KeyboardEvent) => unknown)[] = [];

	constructor(
		app: App,
		readonly inputEl: HTMLInputElement,
	) {
		super(app);
		inputEl.addEventListener("input", () => void this.offer());
		inputEl.addEventListener("focus", () => void this.offer());
		inputEl.addEventListener("blur", () => this.close());
	}

	protected abstract getSuggestions(query: string): T[] | Promise<T[]>;

	/** "Sets the value into the input element." */
	setValue(value: string): void {
		this.inputEl.value = value;
	}

	/** "Registers a callback to handle when a suggestion is selected by the user." */
	onSelect(callback: (value: T, event: MouseEvent | KeyboardEvent) => unknown): this {
		this.chosen.push(callback);
		return this;
	}

	override selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void {
		for (const callback of this.chosen) callback(value, event);
	}

	private async offer(): Promise<void> {
		const found = await this.getSuggestions(this.inputEl.value);
		this.close();
		if (found.length === 0 || document.activeElement !== this.inputEl) return;
		const { left, bottom, width } = this.inputEl.getBoundingClientRect();
		Object.assign(this.suggestEl.style, { left: `${left}px`, top: `${bottom}px`, width: `${width}px` });
		this.suggestions.setSuggestions(found.slice(0, this.limit));
		this.open();
	}
}

interface Trigger {
	readonly start: Position;
	readonly end: Position;
	readonly query: string;
}

interface Context extends Trigger {
	readonly editor: Editor;
	readonly file: TFile;
}

/** obsidian.d.ts: class EditorSuggest. */
export abstract class EditorSuggest<T> extends PopoverSuggest<T> {
	/** "This will be null any time the EditorSuggest is not supposed to run." */
	context: Context | null = null;
	limit = 100;

	setInstructions(all: readonly Instruction[]): void {
		showInstructions(this.suggestEl, all);
	}

	abstract onTrigger(cursor: Position, editor: Editor, file: TFile | null): Trigger | null;
	abstract getSuggestions(context: Context): readonly T[] | Promise<readonly T[]>;

	override close(): void {
		super.close();
		this.context = null;
	}

	/** Whether it is its turn: "triggered very often (on each keypress)". An answer to what is not the context any more is dropped. */
	trigger__(editor: Editor, file: TFile | null): boolean {
		const info = file && this.onTrigger(editor.getCursor(), editor, file);
		if (info === null) {
			this.close();
			return false;
		}
		const context = (this.context = { ...info, editor, file: file as TFile });
		const found = this.getSuggestions(context);
		if (Array.isArray(found)) this.show(found);
		else void Promise.resolve(found).then((values) => context === this.context && this.show(values));
		return true;
	}

	private show(values: readonly T[]): void {
		const { context } = this;
		if (context === null) return;
		this.suggestions.setSuggestions(values.slice(0, this.limit));
		if (values.length === 0) {
			this.suggestEl.remove();
			this.app.keymap.popScope(this.scope);
			return;
		}
		this.open();
		// Measured when the editor has laid itself out, which it has not while it tells of an update.
		context.editor.cm.requestMeasure({
			read: (view) => view.coordsAtPos(context.editor.posToOffset(context.start)),
			write: (at) => {
				const { width, height } = this.suggestEl.getBoundingClientRect();
				const below = (at?.bottom ?? 0) + 4;
				const fits = below + height < window.innerHeight - 8;
				this.suggestEl.style.left = `${Math.max(8, Math.min(at?.left ?? 0, window.innerWidth - width - 8))}px`;
				this.suggestEl.style.top = `${fits ? below : Math.max(8, (at?.top ?? 0) - height - 4)}px`;
			},
		});
	}
}

/** The app's own suggest for links, of which only what it takes for itself counts here. */
class BuiltInLinks extends EditorSuggest<TFile> {
	onTrigger(cursor: Position, editor: Editor): Trigger | null {
		const before = editor.getLine(cursor.line).slice(0, cursor.ch);
		const at = before.lastIndexOf("[[");
		if (at === -1 || before.includes("]]", at)) return null;
		return { start: { line: cursor.line, ch: at + 2 }, end: cursor, query: before.slice(at + 2) };
	}

	getSuggestions({ query }: Trigger): readonly TFile[] {
		return this.app.vault.getMarkdownFiles().filter((file) => file.path.toLowerCase().includes(query.toLowerCase()));
	}

	renderSuggestion(file: TFile, el: HTMLElement): void {
		el.textContent = file.basename;
	}

	selectSuggestion(file: TFile): void {
		const { context } = this;
		this.close();
		context?.editor.replaceRange(`${file.basename}]]`, context.start, context.end);
	}
}

/**
 * Asks the suggests in turn. Not in the typings: that the app's own come first, so that a plugin that wants `[[` moves
 * its own to the front of `suggests`, is what many plugins do and rely on.
 */
export class EditorSuggests {
	suggests: EditorSuggest<unknown>[];

	constructor(app: App) {
		this.suggests = [new BuiltInLinks(app) as EditorSuggest<unknown>];
	}

	/** For tests: how many are not the app's own. */
	get added__(): number {
		return this.suggests.filter((suggest) => !(suggest instanceof BuiltInLinks)).length;
	}

	addSuggest(suggest: EditorSuggest<unknown>): void {
		this.suggests.push(suggest);
	}

	removeSuggest(suggest: EditorSuggest<unknown>): void {
		suggest.close();
		this.suggests = this.suggests.filter((other) => other !== suggest);
	}

	/** Typing opens one; moving the cursor only closes what is not meant any more. */
	trigger(editor: Editor, file: TFile | null, update: ViewUpdate): void {
		const typed = update.transactions.some((one) => one.isUserEvent("input") || one.isUserEvent("delete"));
		let taken = false;
		for (const suggest of [...this.suggests]) {
			if (taken || !(typed || suggest.context !== null)) suggest.close();
			else taken = suggest.trigger__(editor, file);
		}
	}
}
