"""Names of notes that are not links yet."""

import re
from collections.abc import Iterator
from typing import Final

from bridge.engine.link_context import LinkContext, source_of
from bridge.features.gardener.edits import replace_span
from bridge.features.gardener.finding import TICKED, GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.index.note import IndexedNote
from bridge.linking.apply import LinkPlace, insert_links
from bridge.linking.evidence import FeedbackModel
from bridge.linking.suggest import suggest
from bridge.markdown.kinds import title_of
from bridge.notebook.plan_note import plain_words, plan_link
from bridge.text.fold import fold_case, fold_word, letters_and_digits
from bridge.types import Span, VaultPath

LONGEST: Final = 100_000
"""Characters of a note up to which it is looked at."""

DAY: Final = re.compile(r"\d{4}[-_. ]?\d{2}[-_. ]?\d{2}")

_BEFORE_LABEL: Final = re.compile(r"[ \t>]*(?:[-*+]|\d+[.)])?[ \t]*[*_]*")
_BEHIND_LABEL: Final = re.compile(r"[*_]*[ \t]*[:\uff1a]")

LEAST: Final = 0.7
"""Likelihood from which a link is proposed."""


class MissingLinks:
    """Finds the first mention of each note that a note names without linking to it."""

    name = "missing_links"
    sentence = "Names of notes that are no links yet."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each link that can be made."""
        vault, learned = garden.vault, FeedbackModel(garden.vault.store.feedback.all(), for_user=True)
        for note in garden.fresh():
            own = {fold_case(name) for name in (note.title, *note.aliases)}
            if note.size > LONGEST or not garden.corpus.forms_in(note.path) - own:
                continue
            read = garden.read(note)
            if read is None:
                continue
            found = suggest(
                source_of(vault, read), garden.corpus, LinkContext(vault, note.path, learned), "conservative"
            )
            # A day that a text names is seldom about what was written on it, and a note's own name about a namesake.
            wanted = [
                one
                for one in found
                if one.score >= LEAST
                and one.target in garden.notes
                and not DAY.fullmatch(title_of(one.target))
                and fold_case(one.text) not in own
            ]
            if not wanted:
                continue
            places = [LinkPlace(one.target, one.span) for one in wanted]
            links = {one.place: one.link for one in insert_links(read, places, vault.names, garden.style).links}
            for one, place in zip(wanted, places, strict=True):
                edit = replace_span(note, read.text, one.span, links[place]) if place in links else None
                if edit is None:
                    continue
                yield GardenFinding(
                    check=self.name,
                    notes=(note.path, one.target),
                    text=f"In {plan_link(note.path)}, link “{plain_words(one.text)}” to {plan_link(one.target)}",
                    why=plain_words(one.why[0]) if one.why else "it is the name of the note",
                    confidence=_confidence(
                        one.score,
                        note,
                        garden.notes[one.target],
                        is_doubtful=is_label(read.text, one.span) or says_nothing(garden, one.target),
                    ),
                    request=edit,
                )


def _confidence(likelihood: float, note: IndexedNote, target: IndexedNote, *, is_doubtful: bool) -> float:
    """Return how sure a link is: less where the notes are in two languages, as a quotation or a namesake is."""
    differ = bool(note.language and target.language) and note.language != target.language
    return round(min(likelihood, TICKED - 0.01) if differ or is_doubtful else likelihood, 2)


def is_label(text: str, span: Span) -> bool:
    """Return whether words stand alone before a colon, as what introduces the lines below does: `**Modules:**`."""
    start, end = text.rfind("\n", 0, span[0]) + 1, text.find("\n", span[1])
    before, behind = text[start : span[0]], text[span[1] : end if end >= 0 else len(text)]
    return _BEFORE_LABEL.fullmatch(before) is not None and _BEHIND_LABEL.match(behind) is not None


def says_nothing(garden: Garden, path: VaultPath) -> bool:
    words = letters_and_digits(fold_word(garden.texts.get(path, "")))
    return words in ("", letters_and_digits(fold_word(title_of(path))))
