import type { GraphPath, ViewNode } from "../../protocol/operations";
import type { Attention } from "./emphasis";
import { findNodes } from "./found";
import type { Picture } from "./picture";

/** What is drawn, with the ways from one end to the other where a way is shown. */
export interface Drawn {
	readonly picture: Picture;
	readonly ways: readonly GraphPath[];
}

/** What a person looks at, from one picture to the next. */
export class Looking {
	/** The group that was chosen in the legend. */
	group: string | null = null;
	/** The node under the pointer. */
	pointed: number | null = null;
	/** Which of the ways. */
	way = 0;
	/** The note that is open, or where the keyboard is. */
	current: string | null = null;
	#typed = "";
	#paths: ReadonlySet<string> = new Set();

	/** Look at another picture. */
	turn(): void {
		[this.group, this.pointed, this.way] = [null, null, 0];
	}

	/** Look for what was typed, and what a search found for it. */
	find(typed: string, paths: ReadonlySet<string>): void {
		[this.#typed, this.#paths] = [typed, paths];
	}

	at({ picture, ways }: Drawn): Attention {
		return {
			group: this.group,
			pointed: this.pointed,
			found: findNodes(picture.nodes, this.#typed, this.#paths),
			current: this.node({ picture, ways })?.id ?? null,
			way: ways[this.way]?.notes.flatMap((path) => picture.at(path)?.id ?? []) ?? [],
		};
	}

	/** The node that is come to. */
	node({ picture }: Drawn): ViewNode | null {
		return picture.nodes.find((node) => keyOf(node) === this.current) ?? null;
	}

	/** Come to a node. */
	come(node: ViewNode): void {
		this.current = keyOf(node);
	}

	/** The next of what was found, the first again after the last; null when nothing was. */
	next(drawn: Drawn): number | null {
		const { found: all, current } = this.at(drawn);
		const ids = [...(all ?? [])];
		return ids[(current === null ? 0 : ids.indexOf(current) + 1) % Math.max(ids.length, 1)] ?? null;
	}
}

/** What a node is known by from one picture to the next. */
function keyOf({ path, title }: ViewNode): string {
	return path ?? `[[${title}]]`;
}
