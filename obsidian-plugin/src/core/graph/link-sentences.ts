import type { ViewEdge, ViewNode } from "../../protocol/operations";
import { stripLine } from "../markdown-text";
import type { Call } from "./graph-request";
import type { Picture } from "./picture";

/** A sentence that joins two notes, and where it stands. */
export interface LinkSentence {
	readonly text: string;
	/** The title of the note that says it. */
	readonly source: string;
}

/** Finds the sentence that joins two nodes, each pair once. */
export class LinkSentences {
	readonly #known = new Map<string, Promise<LinkSentence | null>>();

	constructor(
		private readonly call: Call,
		private readonly picture: Picture,
	) {}

	/** What joins a node with the one through which it hangs together with the middle. */
	async ofNode(node: ViewNode): Promise<LinkSentence | null> {
		const other = this.picture.towards(node.id);
		return other === null ? null : this.#join(other, node);
	}

	async ofEdge({ source, target }: ViewEdge): Promise<LinkSentence | null> {
		const [one, other] = [this.picture.byId.get(source), this.picture.byId.get(target)];
		return one === undefined || other === undefined ? null : this.#join(one, other);
	}

	#join(one: ViewNode, other: ViewNode): Promise<LinkSentence | null> {
		const key = [one.id, other.id].sort((a, b) => a - b).join(" ");
		const told = this.#known.get(key) ?? this.#find(one, other);
		this.#known.set(key, told);
		return told;
	}

	async #find(one: ViewNode, other: ViewNode): Promise<LinkSentence | null> {
		if (one.path === null || other.path === null) return this.#findName(one, other);
		const answer = await this.call("graph_path", { source: one.path, target: other.path, alternatives: 1 });
		const step = answer.ok ? answer.result.paths[0]?.steps[0] : undefined;
		if (step === undefined || step.text === "") return null;
		const source = step.note === other.path ? other.title : one.title;
		return { text: stripLine(step.text), source };
	}

	/** The sentence in which a note names what no note is called. */
	async #findName(one: ViewNode, other: ViewNode): Promise<LinkSentence | null> {
		const [note, stub] = one.path === null ? [other, one] : [one, other];
		if (note.path === null) return null;
		const answer = await this.call("note_links", { path: note.path, context: true });
		const nameOf = (target: string): string => target.replace(/[#^].*$/, "").replace(/\.md$/i, "").trim().toLowerCase();
		const link = answer.ok ? answer.result.unresolved.find(({ target }) => nameOf(target) === nameOf(stub.title)) : undefined;
		return link?.context == null ? null : { text: stripLine(link.context), source: note.title };
	}
}
