import { type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap } from "@codemirror/view";
import { moveOffers, type Offer, type Offers, without } from "../../core/offers";
import { OfferBar, type OfferActs } from "./offer-bar";

interface Shown {
	readonly offers: Offers;
	readonly acts: OfferActs;
}

/** Show offers, or none. */
export const showOffers = StateEffect.define<Shown | null>();
/** These were made or declined, with the changes of the same transaction. */
export const settleOffers = StateEffect.define<readonly Offer[]>();

const WORDS = Decoration.mark({ class: "vaultside-offered" });

/** What is offered in an editor: chips below the paragraph, and its words marked. */
export const offersField = StateField.define<Shown | null>({
	create: () => null,
	update(shown, { effects, changes, docChanged }) {
		for (const effect of effects) {
			if (effect.is(showOffers)) return effect.value;
			if (effect.is(settleOffers)) return shown && withOffers(shown, without(shown.offers, effect.value, changes));
		}
		return shown !== null && docChanged ? withOffers(shown, moveOffers(shown.offers, changes)) : shown;
	},
	provide: (field) => [EditorView.decorations.from(field, decorate)],
});

/** What an editor needs to show offers. */
export const offersExtension: Extension = [
	offersField,
	keymap.of([{ key: "Escape", run: (view) => view.state.field(offersField) !== null && closeOffers(view) }]),
];

/** Take the offers away. */
export function closeOffers(view: EditorView): true {
	view.dispatch({ effects: showOffers.of(null) });
	return true;
}

function withOffers({ acts }: Shown, offers: Offers | null): Shown | null {
	return offers && { acts, offers };
}

function decorate(shown: Shown | null): DecorationSet {
	if (shown === null) return Decoration.none;
	const { offers, acts } = shown;
	const bar = Decoration.widget({ widget: new OfferBar(offers, acts), block: true, side: 1 });
	return Decoration.set([...offers.all.map(({ from, to }) => WORDS.range(from, to)), bar.range(offers.to)], true);
}
