import { AbstractInputSuggest, type App, type TAbstractFile, TFolder } from "obsidian";
import { mentionBefore, mentionOf, withMention } from "../../core/answers/conversation";

const MAX_SUGGESTIONS = 20;

/** Offers notes and folders after an `@` in a field. */
export class MentionSuggest extends AbstractInputSuggest<TAbstractFile> {
	constructor(
		app: App,
		private readonly field: HTMLInputElement,
	) {
		super(app, field);
	}

	protected override getSuggestions(): TAbstractFile[] {
		const typed = mentionBefore(this.#before);
		if (typed === null) return [];
		const wanted = typed.toLowerCase();
		const { vault } = this.app;
		const all = [...vault.getMarkdownFiles(), ...vault.getAllFolders(false)];
		return all.filter(({ path }) => path.toLowerCase().includes(wanted)).sort((one, other) => one.path.length - other.path.length).slice(0, MAX_SUGGESTIONS);
	}

	override renderSuggestion(file: TAbstractFile, el: HTMLElement): void {
		el.setText(file instanceof TFolder ? `${file.path}/` : file.path.replace(/\.md$/, ""));
		el.setAttr("dir", "auto");
	}

	override selectSuggestion(file: TAbstractFile): void {
		const { text, cursor } = withMention(this.#before, this.field.value.slice(this.#before.length), mentionOf(file.path, file instanceof TFolder));
		this.field.value = text;
		this.field.setSelectionRange(cursor, cursor);
		this.close();
	}

	get #before(): string {
		return this.field.value.slice(0, this.field.selectionStart ?? this.field.value.length);
	}
}
