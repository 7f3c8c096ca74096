import { EditorView } from "@codemirror/view";
import { type Editor, type MarkdownFileInfo, MarkdownView, Notice, type TFile } from "obsidian";
import { type Offer, offersIn, paragraphAt } from "../../core/offers";
import { onLine } from "../../core/link-query";
import { checkConnection, showRefusal } from "../notices";
import type { Host } from "../host";
import { judgeLink } from "../note-links";
import { focusedOffer, focusOffer, type OfferActs } from "./offer-bar";
import { closeOffers, offersField, settleOffers, showOffers } from "./offers-field";

const MAX_OFFERS = 200;

/** Offer the links that the paragraph at the cursor misses, as chips below it; asked again, go to them. */
export async function offerLinks(host: Host, editor: Editor, info: MarkdownView | MarkdownFileInfo): Promise<void> {
	const view = codeMirror(editor);
	const { file } = info;
	if (view === null || file === null || !checkConnection(host)) return;
	if (view.state.field(offersField, false) != null) {
		focusOffer(view, 0);
		return;
	}
	const text = editor.getValue();
	const lines = text.split("\n");
	const paragraph = paragraphAt(lines, editor.getCursor().line);
	if (paragraph === null) {
		new Notice("There is no paragraph here.");
		return;
	}
	// Somebody looks at each of them, so that unlikely ones do no harm. What is judged is the file, which the app would write soon in any case.
	if (info instanceof MarkdownView) await info.save();
	const saved = await host.app.vault.read(file);
	const [first, last] = paragraph;
	const answer = await host.link.call("suggest_links", { path: file.path, lines: [first + 1, last + 1], strictness: "aggressive", limit: MAX_OFFERS });
	if (!answer.ok) {
		showRefusal(answer.error);
		return;
	}
	if (editor.getValue() !== text || saved.replaceAll("\r\n", "\n") !== text) {
		new Notice("The note changed meanwhile. Ask once more.");
		return;
	}
	const from = editor.posToOffset({ line: first, ch: 0 });
	const to = editor.posToOffset({ line: last, ch: lines[last]?.length ?? 0 });
	const all = offersIn(saved, text, answer.result.suggestions, from, to);
	if (all.length === 0) {
		new Notice("No link is missing in this paragraph.");
		return;
	}
	view.dispatch({ effects: showOffers.of({ offers: { from, to, all }, acts: acts(host, file) }) });
	focusOffer(view, 0);
}

function acts(host: Host, file: TFile): OfferActs {
	return {
		make: (view, offers) => {
			const { doc } = view.state;
			const changes = offers.flatMap((offer) => {
				const insert = doc.sliceString(offer.from, offer.to) === offer.text ? writeLink(host, file, offer, doc.lineAt(offer.from).text) : null;
				return insert === null ? [] : [{ offer, from: offer.from, to: offer.to, insert }];
			});
			for (const { offer } of changes) judgeLink(host, file.path, offer.target, offer.text, "accept");
			settle(view, offers, changes);
		},
		decline: (view, offer) => {
			judgeLink(host, file.path, offer.target, offer.text, "decline");
			settle(view, [offer], []);
		},
		close: (view) => {
			closeOffers(view);
			view.focus();
		},
	};
}

/** Write the link of an offer as the person writes links; null when its note is gone. */
function writeLink({ app }: Host, here: TFile, { target, text }: Offer, line: string): string | null {
	const file = app.vault.getFileByPath(target);
	if (file === null) new Notice(`${target} is no longer there.`);
	return file && onLine(app.fileManager.generateMarkdownLink(file, here.path, "", text === file.basename ? "" : text), line);
}

/** Take offers away with the changes they led to, and go to the next. */
function settle(view: EditorView, offers: readonly Offer[], changes: readonly { from: number; to: number; insert: string }[]): void {
	const at = focusedOffer(view);
	view.dispatch({ changes, effects: settleOffers.of(offers) });
	const left = view.state.field(offersField)?.offers.all.length ?? 0;
	if (left === 0) view.focus();
	else focusOffer(view, Math.min(Math.max(at, 0), left - 1));
}

/** The editor below the app's (docs, "Communicating with editor extensions"); null where it is another. */
function codeMirror(editor: Editor): EditorView | null {
	const { cm } = editor as { cm?: unknown };
	return cm instanceof EditorView ? cm : null;
}
