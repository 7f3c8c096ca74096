"""Suggests links for a text: each note that it mentions and does not link to, with what speaks for it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from bridge.linking import evidence
from bridge.linking.corpus import Corpus
from bridge.linking.evidence import THRESHOLDS, Part, Strictness
from bridge.linking.mentions import Mention, Name
from bridge.types import Span, VaultPath


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A link that may be missing: `span` of the text should lead to `target`."""

    target: VaultPath
    span: Span
    text: str
    form: str
    """The name that it says, folded."""
    score: float
    parts: tuple[Part, ...]
    almost: bool = False
    """Whether the text says only something like the name."""

    @property
    def why(self) -> tuple[str, ...]:
        """What speaks for it, in words."""
        return tuple(part.why for part in self.parts if part.why)


class Surroundings(Protocol):
    """What is known of the notes that a text may link to."""

    def linked(self, target: VaultPath, /) -> int:
        """Count the notes that link to a note."""
        ...

    def resolve(self, said: str, /) -> VaultPath | None:
        """Return which of several notes of one name a link would mean."""
        ...

    def more(self, target: VaultPath, form: str, /) -> Sequence[Part]:
        """Judge by what else is known of the two notes and of the folded name: meaning, nearness, past verdicts."""
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """The text that may link."""

    text: str
    protected: Sequence[Span] = ()
    path: VaultPath | None = None
    linked: Collection[VaultPath] = field(default_factory=frozenset)
    """What it links to already."""
    within: Span | None = None
    """The part of the text that is looked at; without, all of it."""

    def holds(self, span: Span) -> bool:
        """Tell whether a place is looked at."""
        return self.within is None or (self.within[0] <= span[0] and span[1] <= self.within[1])


def suggest(
    source: Source, corpus: Corpus, around: Surroundings, strictness: Strictness = "balanced"
) -> list[Suggestion]:
    """Return the links a text may miss, likeliest first; one a note, at its likeliest place.

    Args:
        source: The text.
        corpus: The names of the vault, and how many notes say each.
        around: What else is known.
        strictness: How likely a link must be.
    """
    best: dict[VaultPath, Suggestion] = {}
    for found in mentioned(source, corpus, around, almost=strictness != "conservative"):
        if found.target not in source.linked and found.score >= THRESHOLDS[strictness]:
            best[found.target] = max(best.get(found.target, found), found, key=lambda one: one.score)
    return sorted(best.values(), key=lambda found: (-found.score, found.span))


def mentioned(source: Source, corpus: Corpus, around: Surroundings, *, almost: bool) -> Iterator[Suggestion]:
    """Yield every place where a text says a note's name, in order, however unlikely a link is there.

    Args:
        source: The text.
        corpus: The names of the vault, and how many notes say each.
        around: What else is known.
        almost: Also places that say something like a name.
    """
    for mention in corpus.names.mentions(source.text, source.protected, almost=almost):
        name = chosen(mention, source, around) if source.holds(mention.span) else None
        if name is not None:
            yield judged(mention, name, source, corpus, around)


def chosen(mention: Mention, source: Source, around: Surroundings) -> Name | None:
    """Choose which note of the name is meant: the one a link would lead to, else the first."""
    names = sorted((name for name in mention.names if name.path != source.path), key=lambda n: (n.alias, n.path))
    if len(names) > 1:
        meant = around.resolve(source.text[slice(*mention.span)])
        names = [name for name in names if name.path == meant] or names
    return next(iter(names), None)


def judged(mention: Mention, name: Name, source: Source, corpus: Corpus, around: Surroundings) -> Suggestion:
    """Gather what speaks for one mention."""
    said = source.text[slice(*mention.span)]
    notes = corpus.notes(mention.form)
    habit = evidence.of_habit(around.linked(name.path), notes)
    parts = (
        *evidence.of_name(said, name.text.strip(), alias=name.alias, almost=mention.almost),
        *evidence.of_place(source.text, *mention.span),
        evidence.of_rarity(notes),
        *([habit] if habit else ()),
        *around.more(name.path, mention.form),
    )
    return Suggestion(name.path, mention.span, said, mention.form, evidence.likelihood(parts), parts, mention.almost)
