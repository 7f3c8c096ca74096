"""Notes that others mention without linking to them."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from bridge.linking import evidence
from bridge.linking.capitals import markup_of
from bridge.linking.corpus import Corpus
from bridge.linking.evidence import THRESHOLDS
from bridge.linking.mentions import Mention
from bridge.types import VaultPath

_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Unlinked:
    """The likeliest place of a note that says another's name and does not link to it."""

    source: VaultPath
    line: int
    text: str
    score: float


@dataclass(slots=True)
class Overlooked:
    """A note that others say and do not link to."""

    path: VaultPath
    linked: int
    places: list[Unlinked] = field(default_factory=list)
    """One a note, by path."""

    @property
    def worth(self) -> float:
        """How many of them should link."""
        return sum(place.score for place in self.places)

    @property
    def said(self) -> tuple[str, ...]:
        """The names by which it is mentioned, the most frequent first."""
        return tuple(text for text, _ in Counter(place.text for place in self.places).most_common())


def overlooked(
    corpus: Corpus,
    texts: Mapping[VaultPath, str],
    links_to: Callable[[VaultPath], Collection[VaultPath]],
    linked_from: Callable[[VaultPath], Collection[VaultPath]],
) -> list[Overlooked]:
    """Return the notes that are mentioned without a link, those first to which most links are missing.

    A mention counts where it would be suggested as a link by what the names alone tell. What else is known, such as
    nearness in meaning, is left aside: it would have to be asked for each mention of the vault.

    Args:
        corpus: Which names the notes say.
        texts: What the notes say that may mention others.
        links_to: Says what a note links to.
        linked_from: Says which notes link to one.
    """
    found: dict[VaultPath, Overlooked] = {}
    for source in sorted(texts):
        best: dict[VaultPath, Unlinked] = {}
        linked = {source, *links_to(source)}
        if all(target_of(corpus, form) in linked for form in corpus.said(source)):
            continue
        text = texts[source]
        for mention in corpus.names.mentions(text, markup_of(text)):
            path = target_of(corpus, mention.form)
            if path is None or path in linked:
                continue
            score = likely(corpus, mention, text, len(linked_from(path)))
            if score >= THRESHOLDS["balanced"] and (path not in best or score > best[path].score):
                start, end = mention.span
                best[path] = Unlinked(source, text.count("\n", 0, start) + 1, text[start:end], score)
        for path, place in best.items():
            found.setdefault(path, Overlooked(path, len(linked_from(path)))).places.append(place)
    return sorted(found.values(), key=lambda one: (-one.worth, one.path))


def target_of(corpus: Corpus, form: str) -> VaultPath | None:
    """Return the note of a folded name; None when several have it, or when it is only a number."""
    paths = {name.path for name in corpus.names.of(form)} if _LETTER.search(form) else set()
    return next(iter(paths)) if len(paths) == 1 else None


def likely(corpus: Corpus, mention: Mention, text: str, linked: int) -> float:
    """Return how likely a mention should be a link, by the name and by where it stands."""
    name = min(mention.names, key=lambda name: name.alias)
    said, notes = text[slice(*mention.span)], corpus.notes(mention.form)
    habit = evidence.of_habit(linked, notes)
    return evidence.likelihood(
        (
            *evidence.of_name(said, name.text.strip(), alias=name.alias),
            *evidence.of_place(text, *mention.span),
            evidence.of_rarity(notes),
            *((habit,) if habit else ()),
        )
    )
