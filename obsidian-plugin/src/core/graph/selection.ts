import type { GraphPath, ViewNode } from "../../protocol/operations";
import type { Attention } from "./emphasis";
import type { Picture } from "./picture";

/** What is drawn, with the ways from one end to the other where a way is shown. */
export interface GraphDrawing {
	readonly picture: Picture;
	readonly ways: readonly GraphPath[];
}

/** What a person looks at, from one picture to the next. */
export class Selection {
	/** The group that was chosen in the legend. */
	group: string | null = null;
	/** The node under the pointer. */
	pointed: number | null = null;
	/** Which of the ways. */
	wayIndex = 0;
	/** The note that is open, or where the keyboard is. */
	current: string | null = null;
	#typed = "";
	#paths: ReadonlySet<string> = new Set();

	/** Look at another picture. */
	reset(): void {
		[this.group, this.pointed, this.wayIndex] = [null, null, 0];
	}

	/** Look for what was typed, and what a search found for it. */
	find(typed: string, paths: ReadonlySet<string>): void {
		[this.#typed, this.#paths] = [typed, paths];
	}

	attention({ picture, ways }: GraphDrawing): Attention {
		return {
			group: this.group,
			pointed: this.pointed,
			found: findNodes(picture.nodes, this.#typed, this.#paths),
			current: this.node({ picture, ways })?.id ?? null,
			way: ways[this.wayIndex]?.notes.flatMap((path) => picture.at(path)?.id ?? []) ?? [],
		};
	}

	/** The node that is come to. */
	node({ picture }: GraphDrawing): ViewNode | null {
		return picture.nodes.find((node) => keyOf(node) === this.current) ?? null;
	}

	/** Come to a node. */
	select(node: ViewNode): void {
		this.current = keyOf(node);
	}

	/** The next of what was found, the first again after the last; null when nothing was. */
	next(drawn: GraphDrawing): number | null {
		const { found: all, current } = this.attention(drawn);
		const ids = [...(all ?? [])];
		return ids[(current === null ? 0 : ids.indexOf(current) + 1) % Math.max(ids.length, 1)] ?? null;
	}
}

/** What a node is known by from one picture to the next. */
function keyOf({ path, title }: ViewNode): string {
	return path ?? `[[${title}]]`;
}

/**
 * The nodes whose title says what was typed, and those that a search found; null when nothing was typed.
 *
 * @param paths What a search by words and meaning found.
 */
export function findNodes(nodes: readonly ViewNode[], typed: string, paths: ReadonlySet<string>): ReadonlySet<number> | null {
	const wanted = foldText(typed.trim());
	if (wanted === "") return null;
	const fits = ({ title, path }: ViewNode): boolean => foldText(title).includes(wanted) || (path !== null && paths.has(path));
	return new Set(nodes.filter(fits).map((node) => node.id));
}

/** Without case and accents. */
function foldText(text: string): string {
	return text.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
}

/** Two notes are picked one after the other; between, the first waits for the second. */
export type PathStart = { readonly from: string } | null;

/** What follows when a note is picked: it waits, or the way from the first to it is shown. */
export function pickNote(before: PathStart, path: string): { readonly now: PathStart; readonly way: readonly [string, string] | null } {
	if (before === null) return { now: { from: path }, way: null };
	// The same note again takes it back.
	return { now: null, way: before.from === path ? null : [before.from, path] };
}
