import { type App, type Editor, type EditorPosition, EditorSuggest, type EditorSuggestContext, type EditorSuggestTriggerInfo, Notice, parseFrontMatterAliases, stripHeadingForLink, type TFile, type Workspace } from "obsidian";
import type { Hit } from "../../protocol/operations";
import { type LiveAnswer, LiveSearch, refine } from "../../core/live-search";
import { isOpen } from "../../core/connection";
import { type NoteNames, displayText, onLine, linkQueryAt } from "../../core/link-query";
import { headings, placeOf, titleOf } from "../../core/place";
import { checkConnection, showRefusal } from "../notices";
import type { Host } from "../host";
import { judgeLink } from "../note-links";
import { markedLine, splitMarked, TITLE } from "../../core/markdown-text";
import { showParts } from "../lines";

const MAX_SUGGESTIONS = 12;

/** Offers, after `[[?`, the notes that the words may mean; words answer first, and meaning refines in place. */
export class LinkPicker extends EditorSuggest<Hit> {
	readonly #search: LiveSearch;
	/** Takes the first answer; what comes later refines it. */
	#first: ((hits: Hit[]) => void) | null = null;
	#wanted = "";
	#shown: readonly Hit[] = [];
	#told = false;

	constructor(private readonly host: Host) {
		super(host.app);
		this.limit = MAX_SUGGESTIONS;
		this.setInstructions([
			{ command: "↵", purpose: "to link the note" },
			{ command: "shift ↵", purpose: "to link the section" },
			{ command: "|", purpose: "to say what it shows" },
			{ command: "esc", purpose: "to leave it as typed" },
		]);
		this.scope.register(["Shift"], "Enter", (event) => {
			if (event.isComposing) return undefined;
			innerList(this)?.useSelectedItem(event);
			return false;
		});
		this.#search = new LiveSearch(
			({ query, limit, mode }) => host.link.call("pick_link", { words: query, ...(limit === undefined ? {} : { limit }), ...(mode === undefined || mode === "deep" ? {} : { mode }), ...this.#place() }),
			(found) => this.#showAnswer(found),
			() => new Promise((done) => window.setTimeout(done, host.settings.patience)),
		);
	}

	onTrigger({ line, ch }: EditorPosition, editor: Editor, _file: TFile | null): EditorSuggestTriggerInfo | null {
		const picking = linkQueryAt(editor.getLine(line), ch);
		const open = picking !== null && this.#mayAsk();
		if (picking === null) this.#told = false;
		if (!open) {
			this.#search.stop();
			return null;
		}
		return { start: { line, ch: picking.from }, end: { line, ch }, query: picking.query };
	}

	getSuggestions({ query, file }: EditorSuggestContext): Hit[] | Promise<Hit[]> {
		if (query === "") {
			this.#search.stop();
			this.#shown = recentNotes(this.app, file);
			return [...this.#shown];
		}
		this.#wanted = query;
		return new Promise((resolve) => {
			this.#first = resolve;
			this.#search.ask({ query, limit: MAX_SUGGESTIONS });
		});
	}

	renderSuggestion(hit: Hit, el: HTMLElement): void {
		showPick(el, hit);
	}

	selectSuggestion(hit: Hit, event: MouseEvent | KeyboardEvent): void {
		const { context, app } = this;
		const file = app.vault.getFileByPath(hit.path);
		if (context === null) return;
		const { editor, end } = context;
		const line = editor.getLine(end.line);
		const picking = linkQueryAt(line, end.ch);
		this.close();
		if (picking === null) return;
		if (file === null) {
			new Notice(`${hit.path} is no longer there.`);
			return;
		}
		const heading = event.shiftKey ? headings(hit).at(-1) : undefined;
		const shown = picking.shown ?? displayText(picking.query, namesOf(app, file, hit));
		const section = heading === undefined ? "" : `#${stripHeadingForLink(heading)}`;
		const link = onLine(app.fileManager.generateMarkdownLink(file, context.file.path, section, shown), line);
		editor.replaceRange(link, { line: end.line, ch: picking.from }, { line: end.line, ch: picking.to });
		editor.setCursor({ line: end.line, ch: picking.from + link.length });
		judgeLink(this.host, context.file.path, hit.path, picking.query, "accept");
	}

	/** Whether the bridge can be asked; if not, that is told once for each link that is begun. */
	#mayAsk(): boolean {
		if (isOpen(this.host.link.connection)) return true;
		if (!this.#told) checkConnection(this.host);
		this.#told = true;
		return false;
	}

	#place(): { path?: string } {
		return this.context === null ? {} : { path: this.context.file.path };
	}

	#showAnswer({ question, answer, final }: LiveAnswer): void {
		// What is offered must be for what stands there, as Enter takes it.
		if (question.query !== this.#wanted) return;
		if (!answer.ok && !this.#told) showRefusal(answer.error);
		this.#told ||= !answer.ok;
		const hits = answer.ok ? answer.result.hits : [];
		const first = this.#first;
		// Without a word in common there may still be one in meaning: the list stays as it is until that is known.
		if (first !== null && (hits.length > 0 || final)) {
			this.#first = null;
			this.#shown = hits;
			first([...hits]);
		} else if (first === null && this.context !== null) this.#refine(hits);
	}

	/** Show a better answer without moving what was come to. */
	#refine(hits: readonly Hit[]): void {
		const list = innerList(this);
		if (list === null || hits.length === 0) return;
		const at = list.selectedItem;
		this.#shown = refine(this.#shown, hits, at > 0 ? at + 1 : 0).slice(0, MAX_SUGGESTIONS);
		list.setSuggestions(this.#shown);
		list.setSelectedItem(at, null);
	}
}

/** What a note is called, as its links may say it. */
function namesOf(app: App, file: TFile, { title }: Hit): NoteNames {
	const aliases = parseFrontMatterAliases(app.metadataCache.getFileCache(file)?.frontmatter ?? null);
	return { name: file.basename, title, aliases: aliases ?? [] };
}

/** The notes that were open last, to begin with. */
function recentNotes(app: App, here: TFile): readonly Hit[] {
	const paths = app.workspace.getLastOpenFiles().filter((path) => path !== here.path && app.vault.getFileByPath(path) !== null);
	return paths.slice(0, MAX_SUGGESTIONS).map((path) => ({ path, title: titleOf(path), heading: "", lines: [1, 1], snippet: "", score: 0, why: ["open lately"], tags: [], modified: "", digest: "" }));
}

/** The list of an app's suggest, which the typings leave out and most plugins that suggest use. */
interface InnerList<T> {
	readonly selectedItem: number;
	setSuggestions(values: readonly T[]): void;
	setSelectedItem(at: number, event: KeyboardEvent | null): void;
	useSelectedItem(event: KeyboardEvent): void;
}

/** Return the list of a suggest; null where the app has another, which then does without. */
function innerList<T>(suggest: EditorSuggest<T>): InnerList<T> | null {
	const { suggestions } = suggest as { suggestions?: Partial<InnerList<T>> };
	const has = (["setSuggestions", "setSelectedItem", "useSelectedItem"] as const).every((name) => typeof suggestions?.[name] === "function");
	return has && typeof suggestions?.selectedItem === "number" ? (suggestions as InnerList<T>) : null;
}

/** Ask a suggest before the app's own, which would take everything after `[[` for itself. */
export function askFirst(workspace: Workspace, suggest: object): void {
	const { editorSuggest } = workspace as { editorSuggest?: { suggests?: unknown } };
	const { suggests } = editorSuggest ?? {};
	if (!Array.isArray(suggests)) return;
	const at = suggests.indexOf(suggest);
	if (at > 0) suggests.unshift(...(suggests.splice(at, 1) as object[]));
}

/** Show a note that may be linked: its title, where it is, and a line of what speaks for it. */
function showPick(el: HTMLElement, hit: Hit): void {
	el.addClass("vaultside-pick");
	const head = el.createDiv({ cls: "vaultside-pick-head" });
	head.createSpan({ cls: "vaultside-pick-title", text: hit.title, attr: { dir: "auto" } });
	const place = placeOf(hit);
	if (place !== "") head.createSpan({ cls: "vaultside-pick-place", text: place, attr: { dir: "auto" } });
	const line = markedLine(hit.snippet);
	if (line !== "") showParts(el.createDiv({ cls: "vaultside-pick-text", attr: { dir: "auto" } }), "mark", splitMarked(line));
	const [why] = hit.why;
	if (why !== undefined) showParts(el.createDiv({ cls: "vaultside-pick-why", attr: { dir: "auto" } }), "em", splitMarked(why, TITLE));
}
