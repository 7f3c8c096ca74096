"""Every title and alias of a vault, found in a text in one pass."""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bridge.linking.almost import Almost
from bridge.linking.folding import UNSPACED, Folded, fold
from bridge.types import Span, VaultPath

LEAST: Final = 2
"""Characters of the shortest name that is looked for: one letter is everywhere."""

LONGEST: Final = 200
SHORT: Final = 3
"""Letters up to which a name must be written in its own case: `IT` is not `it`."""

_GLUED: Final = re.compile(f"(?![{UNSPACED}])\\w")
"""A character that makes one word with its neighbour; scripts without spaces have no such characters."""

_SAYS: Final = re.compile(r"[^\W_]")
_NUMBER: Final = re.compile(r"\d{1,3}")


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a note as it is written there."""

    path: VaultPath
    text: str
    alias: bool = False


@dataclass(frozen=True, slots=True)
class Mention:
    """A place where a text says a name; `form` is the name folded, `names` are the notes of that name."""

    span: Span
    form: str
    names: Sequence[Name]
    almost: bool = False
    """Whether it says something like the name."""


class Names:
    """Names to look for; replaced, never changed."""

    def __init__(self, names: Iterable[Name] = ()) -> None:
        """Gather the names that can be found in prose."""
        from ahocorasick_rs import AhoCorasick, MatchKind

        forms: dict[str, list[Name]] = {}
        for name in names:
            form = fold(name.text).strip()
            if findable(form):
                forms.setdefault(form, []).append(name)
        self._forms: Mapping[str, Sequence[Name]] = forms
        self._patterns = list(forms)
        self._automaton = AhoCorasick(self._patterns, matchkind=MatchKind.Standard) if forms else None

    def __len__(self) -> int:
        """Count the names, each once however many notes have it."""
        return len(self._forms)

    def __contains__(self, form: object) -> bool:
        return form in self._forms

    def __iter__(self) -> Iterator[str]:
        return iter(self._forms)

    def only(self, forms: Iterable[str]) -> "Names":
        """Return a choice of these names."""
        return Names(name for form in forms for name in self.of(form))

    def of(self, form: str) -> Sequence[Name]:
        """Return the notes of a folded name."""
        return self._forms.get(form, ())

    @cached_property
    def _almost(self) -> Almost:
        """What finds names that are said almost."""
        return Almost(self._forms)

    def mentions(self, text: str, protected: Sequence[Span] = (), *, almost: bool = False) -> list[Mention]:
        """Return where a text says a name as words of its own: of names within each other the longest.

        Args:
            text: What to search.
            protected: Stretches, in order, where nothing is a mention.
            almost: Also where it says something like a name and no name itself.
        """
        folded = Folded(text)
        found: list[Mention] = []
        for first, last, form in self._whole_words(folded.text):
            span = folded.place(first), folded.place(last)
            if touches(span, protected):
                continue
            said = text[slice(*span)]
            names = self._forms[form]
            if len(form) <= SHORT and said.isascii():
                names = [name for name in names if name.text.strip() == said]
            if names:
                found.append(Mention(span, form, names))
        exact = longest(found)
        if not almost:
            return exact
        taken = [mention.span for mention in exact]
        alike = (
            Mention((folded.place(first), folded.place(last)), form, self._forms[form], almost=True)
            for first, last, form in self._almost.find(folded.text)
        )
        free = (one for one in alike if not touches(one.span, protected) and not touches(one.span, taken))
        return sorted([*exact, *longest(free)], key=lambda mention: mention.span)

    def forms(self, text: str) -> frozenset[str]:
        """Return which names a text says anywhere, as words of their own."""
        return frozenset(form for _, _, form in self._whole_words(fold(text)))

    def _whole_words(self, folded: str) -> Iterator[tuple[int, int, str]]:
        if self._automaton is None:
            return
        for number, first, last in self._automaton.find_matches_as_indexes(folded, overlapping=True):
            if not (
                (first and _GLUED.match(folded, first - 1) and _GLUED.match(folded, first))
                or (last < len(folded) and _GLUED.match(folded, last) and _GLUED.match(folded, last - 1))
            ):
                yield first, last, self._patterns[number]


def touches(span: Span, others: Sequence[Span]) -> bool:
    """Say whether a stretch overlaps one of others, which are in order and apart."""
    before = bisect_left(others, span[1], key=lambda other: other[0]) - 1
    return before >= 0 and others[before][1] > span[0]


def findable(form: str) -> bool:
    """Say whether a folded name can be told from the words around it."""
    return LEAST <= len(form) <= LONGEST and _SAYS.search(form) is not None and not _NUMBER.fullmatch(form)


def longest(mentions: Iterable[Mention]) -> list[Mention]:
    """Keep, from left to right, the longest of the mentions that overlap."""
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda mention: (mention.span[0], -mention.span[1])):
        if not kept or mention.span[0] >= kept[-1].span[1]:
            kept.append(mention)
    return kept
