import { Compartment, type Extension, StateField } from "@codemirror/state";
import { EditorView, type ViewUpdate } from "@codemirror/view";

export interface Position {
	readonly line: number;
	readonly ch: number;
}

/** What an editor belongs to (obsidian.d.ts: interface MarkdownFileInfo). */
export interface Info {
	readonly app: unknown;
	readonly file: { readonly path: string } | null;
	readonly editor: Editor;
}

function given<T>(value: T): StateField<T> {
	return StateField.define<T>({ create: () => value, update: (old) => old });
}

/** "Use this StateField to get information about this Markdown editor, such as the associated file, or the Editor." */
export const editorInfoField = given<Info | null>(null);
/** obsidian.d.ts: const editorEditorField: StateField<EditorView>. */
export const editorEditorField = given<EditorView | null>(null);
/** "Use this StateField to check whether Live Preview is active". */
export const editorLivePreviewField = given(true);

/** obsidian.d.ts: class Editor, over the CodeMirror 6 that the app has (docs, "Editor extensions"). */
export class Editor {
	/** Not in the typings, but in the docs: "Communicating with editor extensions". */
	readonly cm: EditorView;
	private readonly plugins = new Compartment();

	constructor(parent: HTMLElement, info: (editor: Editor) => Info, extensions: Extension, updated: (update: ViewUpdate) => void) {
		this.cm = new EditorView({
			parent,
			extensions: [
				editorInfoField.init(() => info(this)),
				editorEditorField.init(() => this.cm),
				editorLivePreviewField,
				EditorView.lineWrapping,
				EditorView.updateListener.of(updated),
				this.plugins.of(extensions),
			],
		});
	}

	/** What `Workspace.updateOptions` does to each editor. */
	reconfigure__(extensions: Extension): void {
		this.cm.dispatch({ effects: this.plugins.reconfigure(extensions) });
	}

	getValue(): string {
		return this.cm.state.doc.toString();
	}

	setValue(text: string): void {
		this.cm.dispatch({ changes: { from: 0, to: this.cm.state.doc.length, insert: text } });
	}

	getLine(line: number): string {
		return this.cm.state.doc.line(line + 1).text;
	}

	lineCount(): number {
		return this.cm.state.doc.lines;
	}

	getSelection(): string {
		const { from, to } = this.cm.state.selection.main;
		return this.cm.state.sliceDoc(from, to);
	}

	somethingSelected(): boolean {
		return !this.cm.state.selection.main.empty;
	}

	getRange(from: Position, to: Position): string {
		return this.cm.state.sliceDoc(this.posToOffset(from), this.posToOffset(to));
	}

	replaceSelection(text: string): void {
		this.cm.dispatch(this.cm.state.replaceSelection(text));
	}

	/** The selection is mapped through the change, so that a cursor at its beginning stays before what is inserted. */
	replaceRange(text: string, from: Position, to: Position = from): void {
		this.cm.dispatch({ changes: { from: this.posToOffset(from), to: this.posToOffset(to), insert: text } });
	}

	getCursor(side: "from" | "to" | "head" | "anchor" = "head"): Position {
		return this.offsetToPos(this.cm.state.selection.main[side]);
	}

	setCursor(at: Position | number, ch = 0): void {
		this.setSelection(typeof at === "number" ? { line: at, ch } : at);
	}

	setSelection(anchor: Position, head: Position = anchor): void {
		this.cm.dispatch({ selection: { anchor: this.posToOffset(anchor), head: this.posToOffset(head) }, scrollIntoView: true });
	}

	/** Several changes at once, all counted in the text as it was. */
	transaction({ changes = [] }: { changes?: readonly { text: string; from: Position; to?: Position }[] }): void {
		const each = changes.map(({ text, from, to }) => ({ from: this.posToOffset(from), to: this.posToOffset(to ?? from), insert: text }));
		this.cm.dispatch({ changes: each });
	}

	posToOffset({ line, ch }: Position): number {
		const { doc } = this.cm.state;
		const found = doc.line(Math.min(Math.max(line, 0), doc.lines - 1) + 1);
		return Math.min(found.from + ch, found.to);
	}

	offsetToPos(offset: number): Position {
		const line = this.cm.state.doc.lineAt(offset);
		return { line: line.number - 1, ch: offset - line.from };
	}

	focus(): void {
		this.cm.focus();
	}

	blur(): void {
		this.cm.contentDOM.blur();
	}

	hasFocus(): boolean {
		return this.cm.hasFocus;
	}

	scrollIntoView({ from }: { from: Position }): void {
		this.cm.dispatch({ effects: EditorView.scrollIntoView(this.posToOffset(from)) });
	}
}
