import { titleOf } from "../../core/place";
import { Fold } from "./fold";
import { addButton } from "../button";

/** Shows which notes are hidden beside a note, to be shown again. */
export class HiddenPart {
	readonly #fold: Fold;

	constructor(
		parent: HTMLElement,
		unfolded: Set<string>,
		private readonly unhide: (path: string) => void,
	) {
		this.#fold = new Fold(parent, "Hidden here", unfolded);
		this.show([]);
	}

	show(paths: readonly string[]): void {
		const { body } = this.#fold;
		this.#fold.count(paths.length === 0 ? null : paths.length);
		body.empty();
		for (const path of paths) {
			const row = body.createDiv({ cls: "vaultside-hidden" });
			row.createSpan({ cls: "vaultside-hidden-name", text: titleOf(path), attr: { dir: "auto" } });
			addButton(row, { text: "Show again", label: `Show ${titleOf(path)} again` }, () => this.unhide(path));
		}
	}
}
