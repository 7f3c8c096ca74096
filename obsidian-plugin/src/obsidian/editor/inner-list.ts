import type { EditorSuggest, Workspace } from "obsidian";

/** The list of an app's suggest, which the typings leave out and most plugins that suggest use. */
interface InnerList<T> {
	readonly selectedItem: number;
	setSuggestions(values: readonly T[]): void;
	setSelectedItem(at: number, event: KeyboardEvent | null): void;
	useSelectedItem(event: KeyboardEvent): void;
}

/** Return the list of a suggest; null where the app has another, which then does without. */
export function innerList<T>(suggest: EditorSuggest<T>): InnerList<T> | null {
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
