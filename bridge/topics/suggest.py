"""Suggests topics for notes, and learns from the vault how probable they are."""

import asyncio
from collections.abc import Collection, Mapping

from bridge.graph.graph import Graph
from bridge.index.fulltext_query import TextQuery
from bridge.index.index import Index
from bridge.index.note import Notes
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.records import dataclass
from bridge.search.related import rare_words
from bridge.topics.assignments import Assignments
from bridge.topics.calibrate import HiddenEvidence, TopicModel, choose_hidden, fit_model
from bridge.topics.evidence import (
    NEAREST,
    Having,
    NoteFacts,
    TopicEvidence,
    TopicNames,
    gather_evidence,
    weigh_near,
)
from bridge.topics.folders import FolderMeanings
from bridge.topics.ontology import Ontology
from bridge.types import VaultPath

COSINE_POWER = 3.0
WORDS_POWER = 1.5
"""Powers of the similarity with which near notes vote: by vectors, and by words."""

AT_ONCE = 50
"""Notes read at once."""

LONGEST = 20_000
"""Characters of a note in which topics are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicSources:
    """The parts that suggestions need."""

    index: Index
    graph: Graph
    notes: Notes
    ontology: Ontology
    assignments: Assignments
    names: TopicNames
    folders: FolderMeanings


@dataclass(frozen=True, slots=True)
class LikelyTopic:
    """A topic that a note may have."""

    path: VaultPath
    probability: float
    is_sure: bool
    """Whether it is probable enough to be suggested."""
    evidence: TopicEvidence


class TopicModels:
    """The model of a vault, kept for as long as the notes have the same topics."""

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._key: object = None
        self._model = TopicModel()

    async def model(self, sources: TopicSources) -> TopicModel:
        """Return the model; the first call reads and compares up to 300 notes."""
        async with self._turn:
            key = (
                sources.index.answering_model,
                frozenset(sources.assignments.by_note.items()),
                frozenset(sources.ontology.topics.items()),
            )
            if key != self._key:
                parts = await hide_topics(sources)
                self._model = await asyncio.to_thread(fit_model, parts)
                self._key = key
            return self._model


async def likely_topics(sources: TopicSources, path: VaultPath, model: TopicModel) -> list[LikelyTopic]:
    """Return the topics that a note may have and does not, the likeliest first, however unlikely."""
    facts = (await read_facts(sources, [path])).get(path)
    if facts is None:
        return []
    found = await asyncio.to_thread(gather_evidence, facts, sources.assignments.of, sources.names)
    has = sources.assignments.of(path)
    likely = [
        LikelyTopic(topic, model.probability(evidence), model.suggests(evidence), evidence)
        for topic, evidence in found.items()
        if topic not in has
    ]
    return sorted(likely, key=lambda one: (-one.probability, one.path))


async def hide_topics(sources: TopicSources) -> list[HiddenEvidence]:
    hidden = choose_hidden(sorted(path for path in sources.assignments.by_note if path in sources.notes))
    facts = await read_facts(sources, [path for part in hidden for path in part])
    return [await asyncio.to_thread(gather_hidden, sources, part, facts) for part in hidden]


def gather_hidden(
    sources: TopicSources, hidden: Collection[VaultPath], facts: Mapping[VaultPath, NoteFacts]
) -> HiddenEvidence:
    having = without_hidden(sources.assignments, frozenset(hidden))
    return {
        path: [
            (evidence, topic in sources.assignments.of(path))
            for topic, evidence in gather_evidence(facts[path], having, sources.names).items()
        ]
        for path in hidden
        if path in facts
    }


def without_hidden(assignments: Assignments, hidden: Collection[VaultPath]) -> Having:
    def having(path: VaultPath) -> Collection[VaultPath]:
        return () if path in hidden else assignments.of(path)

    return having


async def read_facts(sources: TopicSources, paths: Collection[VaultPath]) -> dict[VaultPath, NoteFacts]:
    found: dict[VaultPath, NoteFacts] = {}
    known = [path for path in paths if path in sources.notes]
    for first in range(0, len(known), AT_ONCE):
        texts = await sources.index.wholes(known[first : first + AT_ONCE])
        words = await asyncio.to_thread(words_by_note, sources, texts)
        for path, text in texts.items():
            linked = {other for other in sources.graph.neighbours(path) if not sources.ontology.holds(other)}
            found[path] = NoteFacts(
                path,
                sources.notes[path].title,
                body_of(text),
                await near_notes(sources, path, words.get(path, ())),
                linked - {path},
                sources.folders.topics(path),
            )
            # Searches by words run on the event loop; others come first.
            await asyncio.sleep(0)
    return found


def body_of(text: str) -> str:
    """Return the text of a note without its properties, as far as topics are looked for."""
    cut = cut_frontmatter(text)
    start = cut[1] if cut else 0
    return text[start : start + LONGEST]


def words_by_note(sources: TopicSources, texts: Mapping[VaultPath, str]) -> dict[VaultPath, tuple[str, ...]]:
    """Return the words by which near notes are found, of each note that has no vector."""
    return {
        path: rare_words(f"{sources.notes[path].title} {body_of(text)}")
        for path, text in texts.items()
        if sources.index.vector_of(path) is None
    }


async def near_notes(sources: TopicSources, path: VaultPath, words: tuple[str, ...]) -> Mapping[VaultPath, float]:
    vector = sources.index.vector_of(path)
    if vector is not None:
        near = await sources.index.nearest(vector, NEAREST + 1)
        return weigh_near([(hit.path, hit.score) for hit in near], path, COSINE_POWER)
    if not words:
        return {}
    alike = await sources.index.whole(TextQuery(should=words), NEAREST + 1)
    # A note has the highest score for its own words.
    best = next((hit.score for hit in alike if hit.path == path), 0.0) or max((hit.score for hit in alike), default=1.0)
    return weigh_near([(hit.path, hit.score / best) for hit in alike], path, WORDS_POWER)
