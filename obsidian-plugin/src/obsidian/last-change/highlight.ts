import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";
import { editorInfoField } from "obsidian";
import type { ShownHunk } from "../../protocol/operations";
import { firstPlace, type Marks, marks } from "../../core/marks";

/** How long what is not in an editor yet may still come: the app reads a file again a moment after it was written. */
const LATE_MS = 5_000;

const show = StateEffect.define<Marks | null>();

/** Stands where something was taken away. */
class Gone extends WidgetType {
	override toDOM(): HTMLElement {
		return createSpan({ cls: "vaultside-gone", attr: { role: "img", "aria-label": "Text was removed here" } });
	}

	override eq(): boolean {
		return true;
	}
}

const came = Decoration.mark({ class: "vaultside-came" });
const gone = Decoration.widget({ widget: new Gone(), side: -1 });

/** What is marked; a mark goes when its place is edited. */
const marked = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update(before, { changes, docChanged, effects }) {
		let now = before.map(changes);
		if (docChanged && now.size > 0) {
			changes.iterChangedRanges((_from, _to, from, to) => {
				now = now.update({ filterFrom: from, filterTo: to, filter: () => false });
			});
		}
		for (const effect of effects) if (effect.is(show)) now = effect.value === null ? Decoration.none : decorate(effect.value);
		return now;
	},
	provide: (field) => EditorView.decorations.from(field),
});

function decorate({ added, removed }: Marks): DecorationSet {
	const all: Range<Decoration>[] = [...added.map(([from, to]) => came.range(from, to)), ...removed.map((at) => gone.range(at))];
	return Decoration.set(all, true);
}

/** Marks in the editors what a change left there, whatever window they are in. */
export class Highlight {
	readonly #views = new Set<EditorView>();
	/** What is not in the editors yet, by the path of its note. */
	readonly #late = new Map<string, readonly ShownHunk[]>();
	#timer: number | undefined;

	/** What each editor of the app gets. */
	readonly extension: Extension = [
		marked,
		ViewPlugin.define((view) => {
			this.#views.add(view);
			return { update: (update) => this.#onUpdate(update), destroy: () => this.#views.delete(view) };
		}),
		EditorView.domEventHandlers({
			keydown: ({ key }, view) => {
				if (key === "Escape" && view.state.field(marked).size > 0) view.dispatch({ effects: show.of(null) });
				return false;
			},
		}),
	];

	/** Whether a note is in an editor. */
	isOpen(path: string): boolean {
		return [...this.#views].some((view) => pathOf(view) === path);
	}

	/** Mark a change in its note, as soon as it is there. */
	expect(path: string, hunks: readonly ShownHunk[]): void {
		this.#late.set(path, hunks);
		window.clearTimeout(this.#timer);
		this.#timer = window.setTimeout(() => this.#late.clear(), LATE_MS);
		this.#look(path);
	}

	/** Mark a change in its note now, and go there; tells whether anything of it is there. */
	reveal(path: string, hunks: readonly ShownHunk[]): boolean {
		let any = false;
		for (const view of this.#views) {
			const found = pathOf(view) === path ? marks(view.state.doc.toString(), hunks) : null;
			const first = found === null ? null : firstPlace(found);
			if (first === null) continue;
			any = true;
			const count = (found?.added.length ?? 0) + (found?.removed.length ?? 0);
			const said = EditorView.announce.of(count === 1 ? "1 place was changed" : `${count} places were changed`);
			view.dispatch({ selection: { anchor: first }, effects: [show.of(found), said, EditorView.scrollIntoView(first, { y: "center" })] });
		}
		return any;
	}

	stop(): void {
		window.clearTimeout(this.#timer);
		this.#late.clear();
	}

	#onUpdate({ docChanged, view }: ViewUpdate): void {
		const path = docChanged && this.#late.size > 0 ? pathOf(view) : undefined;
		// An editor takes nothing while it is being updated.
		if (path !== undefined && this.#late.has(path)) queueMicrotask(() => this.#look(path));
	}

	#look(path: string): void {
		const hunks = this.#late.get(path);
		if (hunks === undefined) return;
		const found = [...this.#views].filter((view) => pathOf(view) === path).map((view) => ({ view, all: marks(view.state.doc.toString(), hunks) }));
		if (found.some(({ all }) => all.missing > 0)) return;
		this.#late.delete(path);
		for (const { view, all } of found) view.dispatch({ effects: show.of(all) });
	}
}

function pathOf(view: EditorView): string | undefined {
	return view.state.field(editorInfoField, false)?.file?.path;
}
