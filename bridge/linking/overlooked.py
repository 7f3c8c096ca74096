"""Notes that others mention without linking to them."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final

from bridge.linking import evidence
from bridge.linking.corpus import Corpus
from bridge.linking.evidence import THRESHOLDS, Part
from bridge.types import VaultPath

_LETTER: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Overlooked:
    """A note, and those that say one of its names and do not link to it."""

    path: VaultPath
    sources: tuple[VaultPath, ...]
    linked: int
    worth: float
    """How many of them should link, by what is known of its names alone."""


def overlooked(
    corpus: Corpus,
    sources: Iterable[VaultPath],
    links_to: Callable[[VaultPath], Collection[VaultPath]],
    linked_from: Callable[[VaultPath], Collection[VaultPath]],
) -> list[Overlooked]:
    """Return the notes that are mentioned without a link, those first to which most links are missing.

    Names of several notes count for none of them; dates and other numbers stand in too many properties to count.

    Args:
        corpus: Which names the notes say.
        sources: The notes that may mention others.
        links_to: Says what a note links to.
        linked_from: Says which notes link to one.
    """
    saying: dict[VaultPath, dict[str, set[VaultPath]]] = defaultdict(lambda: defaultdict(set))
    for source in sources:
        linked = links_to(source)
        for form in filter(_LETTER.search, corpus.said(source)):
            called = {name.path for name in corpus.names.of(form)}
            for path in called if len(called) == 1 else ():
                if path != source and path not in linked:
                    saying[path][form].add(source)
    found = []
    for path, forms in saying.items():
        linking = len(linked_from(path))
        likelihoods = {form: likely(corpus, path, form, linking) for form in forms}
        saying_it = {form: notes for form, notes in forms.items() if likelihoods[form] >= THRESHOLDS["aggressive"]}
        worth = sum(len(notes) * likelihoods[form] for form, notes in saying_it.items())
        if saying_it:
            found.append(Overlooked(path, tuple(sorted(set().union(*saying_it.values()))), linking, worth))
    return sorted(found, key=lambda one: (-one.worth, one.path))


def likely(corpus: Corpus, path: VaultPath, form: str, linked: int) -> float:
    """Return how likely a mention of a note by a name should be a link, whatever is around it."""
    alias = all(name.alias for name in corpus.names.of(form) if name.path == path)
    habit = evidence.of_habit(linked, corpus.notes(form))
    parts = (Part("prior", evidence.PRIOR), evidence.of_length(form), evidence.of_rarity(corpus.notes(form)))
    named = (Part("alias", evidence.ALIAS),) if alias else ()
    return evidence.likelihood((*parts, *((habit,) if habit else ()), *named))
