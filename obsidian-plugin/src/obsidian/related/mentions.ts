import type { NoteMention } from "../../protocol/operations";
import { titleOf } from "../../core/place";
import { type Missing, unlinkedMentions } from "../../core/missing-links";
import { quoteSpan } from "../../core/quotes";
import type { Host } from "../host";
import { Fold } from "./fold";
import type { LinkMaker } from "./link-maker";
import { showRow, showSome } from "./missing-row";
import { addSmallLine } from "../lines";

const SHOWN = 10;
/** Notes that are shown at most; the others are counted. */
const MAX_NOTES = 60;

interface Found {
	readonly mention: NoteMention;
	readonly missing: Missing;
}

/** Shows which notes say a note's name without linking to it. They are looked for only while somebody looks. */
export class MentionPart {
	readonly #fold: Fold;
	#round = 0;
	#path: string | null = null;
	#found: readonly Found[] = [];

	constructor(
		parent: HTMLElement,
		private readonly host: Host,
		private readonly maker: LinkMaker,
		unfolded: Set<string>,
	) {
		this.#fold = new Fold(parent, "Mentioned without a link", unfolded, () => void this.#ask());
		this.#fold.count(null);
	}

	async show(path: string | null): Promise<void> {
		if (path !== this.#path) {
			this.#fold.body.empty();
			this.#fold.count(path === null ? null : undefined);
		}
		this.#path = path;
		await this.#ask();
	}

	async #ask(): Promise<void> {
		const path = this.#path;
		const round = (this.#round += 1);
		if (path === null || !this.#fold.open) return;
		const answer = await this.host.link.call("note_links", { path, mentions: true });
		const all = answer.ok ? unlinkedMentions(answer.result) : [];
		const found = await Promise.all(all.slice(0, MAX_NOTES).map(async (mention) => ({ mention, missing: await this.#locate(path, mention) })));
		if (round !== this.#round) return;
		this.#found = found;
		this.#fold.count(all.length);
		this.#fold.body.empty();
		if (all.length === 0) addSmallLine(this.#fold.body, answer.ok ? "No other note mentions it without a link." : answer.error.message);
		const list = this.#fold.body.createDiv({ attr: { role: "list", "aria-label": "Mentioned without a link" } });
		showSome(list, found, SHOWN, (one) => this.#row(list, one));
	}

	async #locate(target: string, { path, span, text }: NoteMention): Promise<Missing> {
		const file = this.host.app.vault.getFileByPath(path);
		return { target, text, span, quote: file && quoteSpan(await this.host.app.vault.read(file), span, text) };
	}

	#row(list: HTMLElement, { mention, missing }: Found): void {
		const name = titleOf(mention.path);
		showRow(list, this.host.app, {
			name,
			path: mention.path,
			line: mention.line,
			quote: missing.quote,
			text: mention.context,
			more: [],
			waits: this.maker.waits(mention.path, missing),
			acts: [{ text: "Link…", label: `Link “${mention.text}” in ${name}`, act: () => this.#preview(mention.path) }],
		});
	}

	/** Another note is changed, so that the change is shown before it is made. */
	async #preview(path: string): Promise<void> {
		if (await this.maker.save(path)) await this.#ask();
		const missing = this.#found.find(({ mention }) => mention.path === path)?.missing;
		if (missing !== undefined) await this.maker.preview(path, [missing], null);
	}
}
