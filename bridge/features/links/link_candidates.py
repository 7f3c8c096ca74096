"""Suggests links for a text: each note that it mentions without a link, with the evidence."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Final, Protocol

from msgspec import Struct, field

from bridge.engine.open_vault import OpenVault
from bridge.features.links import evidence
from bridge.features.links.evidence import (
    THRESHOLDS,
    Evidence,
    FeedbackModel,
    Strictness,
    graph_evidence,
    similarity_evidence,
)
from bridge.features.links.mentions import Corpus, Mention, Name
from bridge.features.links.note_candidates import markup_spans
from bridge.markdown.note import Note
from bridge.markdown.prose import protected_spans
from bridge.records import Record
from bridge.text.words import ALPHABETIC
from bridge.types import Span, VaultPath


class Suggestion(Record):
    """A possibly missing link from `span` of the text to `target`."""

    target: VaultPath
    span: Span
    text: str
    form: str
    """The folded name in the text."""
    score: float
    parts: tuple[Evidence, ...]
    almost: bool = False
    """Whether the text is only similar to the name."""

    @property
    def why(self) -> tuple[str, ...]:
        return tuple(part.why for part in self.parts if part.why)


class TargetFacts(Protocol):
    """The vault's facts about the notes that a text may link to."""

    def count_linking_notes(self, target: VaultPath, /) -> int:
        """Count the notes that link to a note."""
        ...

    def resolve(self, wording: str, /) -> VaultPath | None:
        """Return which of several notes with one name a link would mean."""
        ...

    def more(self, target: VaultPath, form: str, /) -> Sequence[Evidence]:
        """Judge the two notes and the folded name by other facts: semantic similarity, links, past feedback."""
        ...


class Source(Record):
    """The text to suggest links for."""

    text: str
    protected: Sequence[Span] = ()
    path: VaultPath | None = None
    linked: Collection[VaultPath] = field(default_factory=frozenset)
    """The notes that it links to already."""
    within: Span | None = None
    """The part of the text that is searched; None for all of it."""

    def holds(self, span: Span) -> bool:
        return self.within is None or (self.within[0] <= span[0] and span[1] <= self.within[1])


def suggest(
    source: Source, corpus: Corpus, around: TargetFacts, strictness: Strictness = "balanced"
) -> list[Suggestion]:
    """Return the links that a text may lack, likeliest first; one per note, at its likeliest place."""
    best: dict[VaultPath, Suggestion] = {}
    for found in find_mentions(source, corpus, around, almost=strictness != "conservative"):
        if found.target not in source.linked and found.score >= THRESHOLDS[strictness]:
            best[found.target] = max(best.get(found.target, found), found, key=lambda one: one.score)
    return sorted(best.values(), key=lambda found: (-found.score, found.span))


def find_mentions(source: Source, corpus: Corpus, around: TargetFacts, *, almost: bool) -> Iterator[Suggestion]:
    """Yield every mention of a note in order, however unlikely a link is there."""
    judging = MentionJudge(source, corpus, around)
    for mention in corpus.names.mentions(source.text, source.protected, almost=almost):
        name = judging.choose(mention) if source.holds(mention.span) else None
        if name is not None:
            yield judging.judge(mention, name)


class MentionJudge:
    """Judges the mentions of one text, with a cache, because most of them repeat."""

    def __init__(self, source: Source, corpus: Corpus, around: TargetFacts) -> None:
        """Prepare for one text."""
        self._source = source
        self._corpus = corpus
        self._around = around
        self._names: dict[tuple[str, str], Name | None] = {}
        self._parts: dict[tuple[VaultPath, str], tuple[Evidence, ...]] = {}

    def choose(self, mention: Mention) -> Name | None:
        """Return the note that a mention means: the one that a link would resolve to, else the first."""
        wording = self._source.text[slice(*mention.span)]
        key = mention.form, wording
        if key not in self._names:
            names = sorted(mention.names, key=lambda n: (n.alias, n.path))
            # The note's own title means the note itself, and not another by an alias.
            own_title = any(name.path == self._source.path and not name.alias for name in names)
            names = [name for name in names if name.path != self._source.path and not (own_title and name.alias)]
            if len(names) > 1:
                target = self._around.resolve(wording)
                names = [name for name in names if name.path == target] or names
            self._names[key] = next(iter(names), None)
        return self._names[key]

    def judge(self, mention: Mention, name: Name) -> Suggestion:
        wording = self._source.text[slice(*mention.span)]
        parts = (
            *evidence.name_evidence(wording, name.text.strip(), alias=name.alias, almost=mention.almost),
            *evidence.place_evidence(self._source.text, *mention.span),
            *self._of_note(name.path, mention.form),
        )
        score = evidence.likelihood(parts)
        return Suggestion(name.path, mention.span, wording, mention.form, score, parts, mention.almost)

    def _of_note(self, path: VaultPath, form: str) -> tuple[Evidence, ...]:
        if (path, form) not in self._parts:
            notes = self._corpus.notes(form)
            habit = evidence.habit_evidence(self._around.count_linking_notes(path), notes)
            more = self._around.more(path, form)
            self._parts[path, form] = (evidence.rarity_evidence(notes), *([habit] if habit else ()), *more)
        return self._parts[path, form]


class UnlinkedMention(Record):
    """The likeliest place in a note that mentions another without a link to it."""

    source: VaultPath
    line: int
    text: str
    score: float


class OverlookedNote(Struct):
    """A note that others mention without a link."""

    path: VaultPath
    linked: int
    places: list[UnlinkedMention] = field(default_factory=list)
    """One per note, by path."""

    @property
    def worth(self) -> float:
        """The expected number of them that should be links."""
        return sum(place.score for place in self.places)

    @property
    def names_used(self) -> tuple[str, ...]:
        """The names by which it is mentioned, most frequent first."""
        return tuple(text for text, _ in Counter(place.text for place in self.places).most_common())


MAX_MENTIONS: Final = 100
"""Mentions of one note in another that are judged to find the likeliest."""


def find_overlooked(
    corpus: Corpus,
    texts: Mapping[VaultPath, str],
    links_to: Callable[[VaultPath], Collection[VaultPath]],
    linked_from: Callable[[VaultPath], Collection[VaultPath]],
) -> list[OverlookedNote]:
    """Return the notes that are mentioned without a link, those with the most missing links first.

    A mention counts if the names alone would make it a suggested link. Other facts, such as semantic similarity, are
    not used, because they would be needed for each mention of the vault.
    """
    found: dict[VaultPath, OverlookedNote] = {}
    target = cache(partial(mention_target, corpus))
    for source in sorted(texts):
        best: dict[VaultPath, UnlinkedMention] = {}
        judged: Counter[VaultPath] = Counter()
        linked = {source, *links_to(source)}
        if all(target(form) in linked for form in corpus.forms_in(source)):
            continue
        text = texts[source]
        for mention in corpus.names.mentions(text, markup_spans(text)):
            path = target(mention.form)
            if path is None or path in linked or judged[path] == MAX_MENTIONS:
                continue
            judged[path] += 1
            score = link_likelihood(corpus, mention, text, len(linked_from(path)))
            if score >= THRESHOLDS["balanced"] and (path not in best or score > best[path].score):
                start, end = mention.span
                best[path] = UnlinkedMention(source, text.count("\n", 0, start) + 1, text[start:end], score)
        for path, place in best.items():
            found.setdefault(path, OverlookedNote(path, len(linked_from(path)))).places.append(place)
    return sorted(found.values(), key=lambda one: (-one.worth, one.path))


def mention_target(corpus: Corpus, form: str) -> VaultPath | None:
    paths = {name.path for name in corpus.names.of(form)} if ALPHABETIC.search(form) else set()
    return next(iter(paths)) if len(paths) == 1 else None


def link_likelihood(corpus: Corpus, mention: Mention, text: str, linked: int) -> float:
    name = min(mention.names, key=lambda name: name.alias)
    wording, notes = text[slice(*mention.span)], corpus.notes(mention.form)
    habit = evidence.habit_evidence(linked, notes)
    return evidence.likelihood(
        (
            *evidence.name_evidence(wording, name.text.strip(), alias=name.alias),
            *evidence.place_evidence(text, *mention.span),
            evidence.rarity_evidence(notes),
            *((habit,) if habit else ()),
        )
    )


def source_of(vault: OpenVault, note: Note, end: int | None = None) -> Source:
    """Return a note's prose, up to an offset if given, and its existing link targets."""
    written = {(link.target, link.kind) for link in note.links}
    targets = (vault.names.resolve(target, note.path, kind).path for target, kind in written)
    return Source(
        note.text, protected_spans(note, end), note.path or None, frozenset(t for t in targets if t is not None)
    )


class LinkContext(Record):
    """What the vault knows about possible link targets of a text."""

    vault: OpenVault
    path: VaultPath | None
    learned: FeedbackModel

    def count_linking_notes(self, target: VaultPath) -> int:
        """Count the notes that link to a note."""
        graph = self.vault.graph
        return len(graph.linked_from(target)) if graph is not None else 0

    def resolve(self, wording: str) -> VaultPath | None:
        """Return the note that a link of this name would resolve to."""
        return self.vault.names.resolve(wording, self.path or VaultPath("")).path

    def more(self, target: VaultPath, form: str) -> Sequence[Evidence]:
        """Return evidence from semantic similarity, shared neighbours and past link feedback."""
        graph, index = self.vault.graph, self.vault.index
        learned = self.learned.part(self.path, target, form)
        parts: list[Evidence] = [learned] if learned is not None else []
        if self.path is None:
            return parts
        near = graph is not None and not graph.neighbours(self.path).isdisjoint(graph.neighbours(target))
        if near:
            parts.append(graph_evidence())
        mine, other = index.vector_of(self.path), index.vector_of(target)
        model = index.answering_model
        if mine is not None and other is not None and model is not None:
            meaning = similarity_evidence(float(mine @ other), model)
            parts += [meaning] if meaning else []
        return parts
