import type { App } from "./app";
import { makeEl } from "./dom";
import { Scope } from "./keymap";
import { showInstructions, Suggestions } from "./suggest";

/** obsidian.d.ts: class Modal. */
export class Modal {
	readonly scope = new Scope();
	readonly containerEl = makeEl("div", { cls: "modal-container" });
	readonly modalEl: HTMLElement;
	readonly titleEl: HTMLElement;
	readonly contentEl: HTMLElement;
	private focused: Element | null = null;

	constructor(readonly app: App) {
		makeEl("div", { cls: "modal-bg" }, this.containerEl).addEventListener("click", () => this.close());
		this.modalEl = makeEl("div", { cls: "modal", attr: { role: "dialog" } }, this.containerEl);
		const button = makeEl("div", { cls: "modal-close-button", attr: { "aria-label": "Close" } }, this.modalEl);
		button.addEventListener("click", () => this.close());
		this.titleEl = makeEl("div", { cls: "modal-title" }, makeEl("div", { cls: "modal-header" }, this.modalEl));
		this.contentEl = makeEl("div", { cls: "modal-content" }, this.modalEl);
		this.scope.register([], "Escape", () => {
			this.close();
			return false;
		});
	}

	setTitle(title: string): this {
		this.titleEl.textContent = title;
		return this;
	}

	onOpen(): unknown {
		return undefined;
	}

	onClose(): void {}

	open(): void {
		this.focused = activeDocument.activeElement;
		activeDocument.body.append(this.containerEl);
		this.app.keymap.pushScope(this.scope);
		this.onOpen();
	}

	/** "shouldRestoreSelection": where one was before is where one is again. */
	close(): void {
		if (!this.containerEl.isConnected) return;
		this.containerEl.remove();
		this.app.keymap.popScope(this.scope);
		if (this.focused?.instanceOf(HTMLElement) === true) this.focused.focus();
		this.onClose();
	}
}

/** obsidian.d.ts: class SuggestModal. */
export abstract class SuggestModal<T> extends Modal {
	limit = 100;
	emptyStateText = "No results found.";
	readonly inputEl: HTMLInputElement;
	readonly resultContainerEl: HTMLElement;
	private readonly suggestions: Suggestions<T>;
	private asked = 0;

	constructor(app: App) {
		super(app);
		this.modalEl.className = "prompt";
		this.modalEl.replaceChildren();
		this.inputEl = makeEl("input", { cls: "prompt-input", type: "text", attr: { spellcheck: "false" } }, makeEl("div", { cls: "prompt-input-container" }, this.modalEl)) as HTMLInputElement;
		this.resultContainerEl = makeEl("div", { cls: "prompt-results" }, this.modalEl);
		this.suggestions = new Suggestions(this, this.resultContainerEl, this.scope);
		this.inputEl.addEventListener("input", () => void this.draw());
	}

	setPlaceholder(text: string): void {
		this.inputEl.placeholder = text;
	}

	setInstructions(all: readonly { command: string; purpose: string }[]): void {
		showInstructions(this.modalEl, all);
	}

	override open(): void {
		super.open();
		this.inputEl.focus();
		void this.draw();
	}

	onNoSuggestion(): void {
		this.resultContainerEl.replaceChildren(makeEl("div", { cls: "suggestion-empty", text: this.emptyStateText }));
	}

	selectSuggestion(value: T, event: MouseEvent | KeyboardEvent): void {
		this.close();
		this.onChooseSuggestion(value, event);
	}

	selectActiveSuggestion(event: MouseEvent | KeyboardEvent): void {
		this.suggestions.useSelectedItem(event);
	}

	abstract getSuggestions(query: string): T[] | Promise<T[]>;
	abstract renderSuggestion(value: T, el: HTMLElement): void;
	abstract onChooseSuggestion(item: T, event: MouseEvent | KeyboardEvent): void;

	private async draw(): Promise<void> {
		const asked = (this.asked += 1);
		const found = await this.getSuggestions(this.inputEl.value);
		if (asked !== this.asked) return;
		this.suggestions.setSuggestions(found.slice(0, this.limit));
		if (found.length === 0) this.onNoSuggestion();
	}
}

interface Match<T> {
	readonly item: T;
	readonly match: { readonly score: number; readonly matches: readonly [number, number][] };
}

/** obsidian.d.ts: class FuzzySuggestModal; its fuzziness is that of a part of the text. */
export abstract class FuzzySuggestModal<T> extends SuggestModal<Match<T>> {
	abstract getItems(): T[];
	abstract getItemText(item: T): string;
	abstract onChooseItem(item: T, event: MouseEvent | KeyboardEvent): void;

	getSuggestions(query: string): Match<T>[] {
		const found = this.getItems().filter((one) => this.getItemText(one).toLowerCase().includes(query.toLowerCase()));
		return found.map((item) => ({ item, match: { score: 0, matches: [] } }));
	}

	renderSuggestion({ item }: Match<T>, el: HTMLElement): void {
		el.textContent = this.getItemText(item);
	}

	onChooseSuggestion({ item }: Match<T>, event: MouseEvent | KeyboardEvent): void {
		this.onChooseItem(item, event);
	}
}
