"""Suggests links for a text: each note that it mentions without a link, with the evidence."""

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol, Self

from msgspec import field

from bridge.engine.open_vault import OpenVault
from bridge.features.links import evidence
from bridge.features.links.evidence import (
    THRESHOLDS,
    FeedbackModel,
    LinkEvidence,
    Strictness,
    graph_evidence,
    similarity_evidence,
)
from bridge.features.links.mentions import Corpus, Mention, NoteName
from bridge.markdown.note import Note
from bridge.markdown.prose import protected_spans
from bridge.records import Record
from bridge.types import Span, VaultPath


class Suggestion(Record):
    """A possibly missing link from `span` of the text to `target`."""

    target: VaultPath
    span: Span
    text: str
    form: str
    """The folded name in the text."""
    score: float
    parts: tuple[LinkEvidence, ...]
    almost: bool = False
    """Whether the text is only similar to the name."""

    @property
    def why(self) -> tuple[str, ...]:
        return tuple(part.why for part in self.parts if part.why)


class TargetFacts(Protocol):
    """The vault's facts about the notes that a text may link to."""

    def count_linking_notes(self, target: VaultPath, /) -> int: ...

    def resolve(self, wording: str, /) -> VaultPath | None:
        """Return which of several notes with one name a link would mean."""
        ...

    def more(self, target: VaultPath, form: str, /) -> Sequence[LinkEvidence]:
        """Judge the two notes and the folded name by other facts: semantic similarity, links, past feedback."""
        ...


class SourceText(Record):
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
    source: SourceText, corpus: Corpus, around: TargetFacts, strictness: Strictness = "balanced"
) -> list[Suggestion]:
    """Return the links that a text may lack, likeliest first; one per note, at its likeliest place."""
    best: dict[VaultPath, Suggestion] = {}
    for found in find_mentions(source, corpus, around, almost=strictness != "conservative"):
        if found.target not in source.linked and found.score >= THRESHOLDS[strictness]:
            best[found.target] = max(best.get(found.target, found), found, key=lambda one: one.score)
    return sorted(best.values(), key=lambda found: (-found.score, found.span))


def find_mentions(source: SourceText, corpus: Corpus, around: TargetFacts, *, almost: bool) -> Iterator[Suggestion]:
    """Yield every mention of a note in order, however unlikely a link is there."""
    judging = MentionJudge(source, corpus, around)
    for mention in corpus.names.mentions(source.text, source.protected, almost=almost):
        name = judging.choose(mention) if source.holds(mention.span) else None
        if name is not None:
            yield judging.judge(mention, name)


class MentionJudge:
    """Judges the mentions of one text, with a cache, because most of them repeat."""

    def __init__(self, source: SourceText, corpus: Corpus, around: TargetFacts) -> None:
        self._source = source
        self._corpus = corpus
        self._around = around
        self._names: dict[tuple[str, str], NoteName | None] = {}
        self._parts: dict[tuple[VaultPath, str], tuple[LinkEvidence, ...]] = {}

    def choose(self, mention: Mention) -> NoteName | None:
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

    def judge(self, mention: Mention, name: NoteName) -> Suggestion:
        wording = self._source.text[slice(*mention.span)]
        parts = (*judge_words(self._source.text, mention, name), *self._of_note(name.path, mention.form))
        score = evidence.likelihood(parts)
        return Suggestion(name.path, mention.span, wording, mention.form, score, parts, mention.almost)

    def _of_note(self, path: VaultPath, form: str) -> tuple[LinkEvidence, ...]:
        if (path, form) not in self._parts:
            common = judge_use(self._corpus, form, self._around.count_linking_notes(path))
            self._parts[path, form] = (*common, *self._around.more(path, form))
        return self._parts[path, form]


def judge_words(text: str, mention: Mention, name: NoteName) -> list[LinkEvidence]:
    """Judge the words of a mention and their place."""
    said, named = text[slice(*mention.span)], name.text.strip()
    parts = evidence.name_evidence(said, named, alias=name.alias, almost=mention.almost, inflected=mention.inflected)
    return parts + evidence.place_evidence(text, *mention.span)


def judge_use(corpus: Corpus, form: str, linked: int) -> list[LinkEvidence]:
    """Judge how the notes use a name, to whose note so many link."""
    notes = corpus.notes(form)
    habit = evidence.habit_evidence(linked, notes)
    return [evidence.rarity_evidence(notes), *([habit] if habit else ())]


def source_of(vault: OpenVault, note: Note, end: int | None = None) -> SourceText:
    """Return a note's prose, up to an offset if given, and its existing link targets."""
    written = {(link.target, link.kind) for link in note.links}
    targets = (vault.names.resolve(target, note.path, kind).path for target, kind in written)
    return SourceText(
        note.text, protected_spans(note, end), note.path or None, frozenset(t for t in targets if t is not None)
    )


class LinkContext(Record):
    """What the vault knows about possible link targets of a text."""

    vault: OpenVault
    path: VaultPath | None
    learned: FeedbackModel

    @classmethod
    def of(cls, vault: OpenVault, path: VaultPath | None, *, for_user: bool = False) -> Self:
        """Return what the vault knows now. Blocks."""
        return cls(vault, path, FeedbackModel(vault.store.feedback.all(), for_user=for_user))

    def count_linking_notes(self, target: VaultPath) -> int:
        graph = self.vault.graph
        return len(graph.linked_from(target)) if graph is not None else 0

    def resolve(self, wording: str) -> VaultPath | None:
        return self.vault.names.resolve(wording, self.path or VaultPath("")).path

    def more(self, target: VaultPath, form: str) -> Sequence[LinkEvidence]:
        graph, index = self.vault.graph, self.vault.index
        learned = self.learned.part(self.path, target, form)
        parts: list[LinkEvidence] = [learned] if learned is not None else []
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
