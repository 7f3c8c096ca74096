"""Suggests topics for notes, and learns from the vault how probable they are."""

import asyncio
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bridge.features.topics.assignments import Assignments
from bridge.features.topics.definition import DescribedNote
from bridge.features.topics.evidence import (
    MAX_VOTING_NOTES,
    Having,
    NoteFacts,
    TopicEvidence,
    TopicNames,
    gather_evidence,
    weigh_near,
)
from bridge.features.topics.topic_tree import FolderMeaning, TopicTree
from bridge.features.topics.traits import Traits
from bridge.graph.columns import Edges, concat_edges
from bridge.graph.graph import Graph
from bridge.graph.pairs import pairs_by_folder
from bridge.index.index import Index
from bridge.index.inverted_index import TextQuery
from bridge.index.note import Notes
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.links import WEB_LINK
from bridge.records import Record
from bridge.search.related import rare_words
from bridge.text.fold import fold_case
from bridge.text.stems import OTHER_LANGUAGE
from bridge.types import VaultPath

MIN_PRECISION: Final = 0.73
"""The share of the hidden topics suggested that must be right, so that of others seven in ten are: the best place in a
sample is a little too good."""

DEFAULT_WEIGHTS: Final = (-4.2, 4.0, 1.5, 1.2, 4.6, 2.2, 5.4, 5.4, 8.0, 8.0)
"""Weights of the numbers of `TopicEvidence.row` in a vault that has too few topics to learn from."""

DEFAULT_LEAST: Final = 0.75
"""The probability from which a topic is suggested there."""

DEFAULT_CLOSEST: Final = 0.4
"""How near a note must be there that alone speaks for a topic."""

MAX_FAR_PERCENT: Final = 10
"""The percentage of the hidden topics of which the nearest note may be too far. Notes without topics teach nothing, so
that it cannot be learnt how far they are from all others."""

MIN_NOTES: Final = 20
"""Notes with topics from which on a vault is learnt from."""

MIN_COVERED: Final = 0.1
"""Share of all notes with topics from which on their votes count fully."""

MIN_HIDDEN_TOPICS: Final = 25
"""Hidden topics that anything speaks for, from which on it is."""

CLOSENESS_COLUMN: Final = 2
"""The place in `TopicEvidence.row` of how near the nearest note is."""

HIDDEN_PARTS: Final = 5
"""Parts of the notes that are hidden in turn: a fifth each."""

MAX_HIDDEN_NOTES: Final = 300
"""Notes whose topics are hidden at most."""

MIN_PROBABILITY: Final = 0.35
"""A topic that is less probable is not suggested, however right such ones are together with the others."""

_PRIOR_STRENGTH: Final = 2.0
"""How strongly the weights are held to the default."""

_NEWTON_STEPS: Final = 30
_NO_PROBABILITY: Final = 1.01


class TopicModel(Record):
    """How probable topics are in a vault."""

    weights: tuple[float, ...] = DEFAULT_WEIGHTS
    least: float = DEFAULT_LEAST
    """The probability from which a topic is suggested."""
    closest: float = DEFAULT_CLOSEST
    """How near a note must be that alone speaks for a topic."""
    notes: int = 0
    """Notes that it was learnt from; 0 for the default."""

    def probability(self, evidence: TopicEvidence) -> float:
        total = sum(weight * value for weight, value in zip(self.weights, evidence.row, strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    def suggests(self, evidence: TopicEvidence) -> bool:
        """Return whether a topic is suggested: it is probable, and not only for notes that are hardly near."""
        near = evidence.is_told or evidence.closest >= self.closest
        return self.probability(evidence) >= self.least and near


HiddenEvidence = Mapping[VaultPath, Sequence[tuple[TopicEvidence, bool]]]
"""By note whose topics were hidden: the evidence for each candidate, and whether it is one of them."""


def choose_hidden(paths: Sequence[VaultPath], most: int = MAX_HIDDEN_NOTES) -> list[list[VaultPath]]:
    """Return the notes to hide, in parts that are hidden one after the other; the same for the same notes."""
    mixed = sorted(paths, key=lambda path: sha256(path.encode("utf-8", "surrogatepass")).digest())
    chosen = mixed[:most]
    # What is not chosen stays visible, so that a part is a fifth of all notes at most.
    return [part for at in range(HIDDEN_PARTS) if (part := chosen[at::HIDDEN_PARTS])]


def fit_model(parts: Sequence[HiddenEvidence]) -> TopicModel:
    """Return the model that fits the hidden topics, and the probability at which enough suggestions are right."""
    rows = [
        (at, evidence.row, right)
        for at, part in enumerate(parts)
        for found in part.values()
        for evidence, right in found
    ]
    notes = sum(len(part) for part in parts)
    if notes < MIN_NOTES or sum(right for _, _, right in rows) < MIN_HIDDEN_TOPICS:
        return TopicModel()
    part = np.array([at for at, _, _ in rows])
    values = np.array([row for _, row, _ in rows], np.float64)
    right = np.array([one for _, _, one in rows], np.float64)
    told = np.zeros(len(rows))
    for at in range(len(parts)):
        held = part == at
        told[held] = _probabilities(values[held], _fit(values[~held], right[~held]))
    weights = tuple(round(float(one), 6) for one in _fit(values, right))
    closest = values[right > 0, CLOSENESS_COLUMN]
    nearest = float(np.percentile(closest[closest > 0], MAX_FAR_PERCENT)) if closest.any() else DEFAULT_CLOSEST
    return TopicModel(weights, least_probability(told, right), round(nearest, 6), notes)


def least_probability(told: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Return the lowest probability from which on enough are right; above 1 if there is none.

    Three more that are wrong are counted, so that a few that happened to be right decide nothing.
    """
    order = np.argsort(-told, kind="stable")
    shares = np.cumsum(right[order]) / (np.arange(len(order)) + 4)
    # Of equal probabilities, all are shown or none.
    last = np.append(np.diff(told[order]) != 0, True)
    good = np.flatnonzero((shares >= MIN_PRECISION) & last)
    return max(MIN_PROBABILITY, round(float(told[order][good[-1]]), 6)) if len(good) else _NO_PROBABILITY


def _fit(values: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of a logistic regression that is held to the default ones, by Newton's method."""
    default = np.array(DEFAULT_WEIGHTS)
    weights = default.copy()
    held = np.full(len(default), _PRIOR_STRENGTH)
    held[0] = _PRIOR_STRENGTH / 10
    for _ in range(_NEWTON_STEPS):
        chance = _probabilities(values, weights)
        slope = values.T @ (chance - right) + held * (weights - default)
        curve = (values * (chance * (1 - chance))[:, None]).T @ values + np.diag(held)
        step = np.linalg.solve(curve, slope)
        weights = weights - step
        if float(np.abs(step).max()) < 1e-8:
            break
    return weights


def _probabilities(values: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    result: NDArray[np.float64] = 1 / (1 + np.exp(-np.clip(values @ weights, -30, 30)))
    return result


GENERIC_FOLDERS: Final = frozenset(
    (
        *("inbox", "attachments", "attachment", "archive", "archives", "daily", "daily notes", "journal"),
        *("templates", "template", "assets", "files", "images", "media", "notes", "misc"),
    )
)
"""Names of folders that say where something is kept, not what it is about."""


class FolderMeanings:
    """The folders that mean something."""

    def __init__(self, meaning: FolderMeaning, generic: Collection[str], tree: TopicTree) -> None:
        """Prepare to look up folders."""
        self._meaning = meaning
        self._generic = GENERIC_FOLDERS.union(fold_case(name).strip() for name in generic)
        self._tree = tree

    def topics(self, path: VaultPath) -> frozenset[VaultPath]:
        """Return the topics of which the folders around a note have the names."""
        if self._meaning == "none" or self._tree.holds(path):
            return frozenset()
        found = (self._tree.find_topic(name) for name in self._names(path))
        return frozenset(topic for topic in found if topic is not None and topic != path)

    def joins(self, folder: str) -> bool:
        name = fold_case(folder.rpartition("/")[2])
        return self._meaning == "all" and bool(name) and name not in self._generic

    def _names(self, path: VaultPath) -> Iterator[str]:
        return (name for name in path.split("/")[:-1] if fold_case(name) not in self._generic)


COSINE_POWER = 3.0
WORDS_POWER = 1.5
"""Powers of the similarity with which near notes vote: by vectors, and by words."""

NOTES_AT_ONCE = 50
"""Notes read at once."""

MAX_TEXT_CHARS = 20_000
"""Characters of a note in which topics are looked for."""


class TopicSources(Record, eq=False):
    """The parts that suggestions need."""

    index: Index
    graph: Graph
    notes: Notes
    tree: TopicTree
    assignments: Assignments
    names: TopicNames
    folders: FolderMeanings
    traits: Traits


class LikelyTopic(Record):
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
                frozenset(sources.tree.topics.items()),
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


def fitting_topics(sources: TopicSources, model: TopicModel) -> Mapping[VaultPath, Collection[VaultPath]]:
    """Return the topics that the title, the folder or the links of each note speak for; call in a thread."""
    facts = (
        collect_facts(sources, path, "", {})
        for path, note in sources.notes.items()
        if note.kind == "note" and not sources.tree.holds(path)
    )
    found = {one.path: gather_evidence(one, sources.assignments.of, sources.names) for one in facts}
    fitting = {
        path: [topic for topic, evidence in topics.items() if model.suggests(evidence)]
        for path, topics in found.items()
    }
    return {path: topics for path, topics in fitting.items() if topics}


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
    for first in range(0, len(known), NOTES_AT_ONCE):
        texts = await sources.index.wholes(known[first : first + NOTES_AT_ONCE])
        words = await asyncio.to_thread(words_by_note, sources, texts)
        for path, text in texts.items():
            near = await near_notes(sources, path, words.get(path, ()))
            found[path] = collect_facts(sources, path, body_of(text), near)
            # Searches by words run on the event loop; others come first.
            await asyncio.sleep(0)
    return found


def collect_facts(sources: TopicSources, path: VaultPath, body: str, near: Mapping[VaultPath, float]) -> NoteFacts:
    note, around = sources.notes[path], sources.graph.neighbours(path)
    return NoteFacts(
        path,
        note.title,
        body,
        near,
        {other for other in around if not sources.tree.holds(other)} - {path},
        sources.folders.topics(path),
        frozenset(sources.traits.topics(path, around)).union(_named_on_the_web(sources.tree, body)),
        {trait: paths for trait in sources.traits.of(path) if (paths := sources.traits.notes_with(trait))},
        {trait: sources.traits.size(trait) for trait in sources.traits.of(path)},
        max(0.0, 1 - len(sources.assignments.by_note) / (MIN_COVERED * len(sources.notes))),
        DescribedNote.describe(note.title, body, sources.traits.find_places(path), note.language or OTHER_LANGUAGE),
    )


def _named_on_the_web(tree: TopicTree, body: str) -> Iterator[VaultPath]:
    """Yield the topics whose names are the words of links to the web."""
    found = (tree.find_topic(match[1]) for match in WEB_LINK.finditer(body))
    return (topic for topic in found if topic is not None)


def body_of(text: str) -> str:
    """Return the text of a note without its properties, as far as topics are looked for."""
    cut = cut_frontmatter(text)
    start = cut[1] if cut else 0
    return text[start : start + MAX_TEXT_CHARS]


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
        near = await sources.index.nearest(vector, MAX_VOTING_NOTES + 1)
        return weigh_near([(hit.path, hit.score) for hit in near], path, COSINE_POWER)
    alike = await sources.index.search_notes(TextQuery(should=words), MAX_VOTING_NOTES + 1)
    # A note has the highest score for its own words.
    best = next((hit.score for hit in alike if hit.path == path), 0.0) or max((hit.score for hit in alike), default=1.0)
    return weigh_near([(hit.path, hit.score / best) for hit in alike], path, WORDS_POWER)


def topic_edges(sources: TopicSources) -> Edges:
    """Return the links of notes to their topics, as edges of the kind `property`, and those of folders as `folder`."""
    graph = sources.graph
    numbers: Mapping[VaultPath, int] = {path: number for number, path in graph.paths.items()}
    linked = [
        (numbers[path], numbers[topic], 1.0)
        for path, topics in sorted(sources.assignments.by_note.items())
        for topic in sorted(topics)
        if path in numbers and topic in numbers and path != topic
    ]
    named = [
        (number, numbers[topic], 1.0)
        for path, number in numbers.items()
        for topic in sorted(sources.folders.topics(path))
        if topic in numbers
    ]
    folders = {number: path.rpartition("/")[0] for path, number in numbers.items()}
    beside = pairs_by_folder({number: folder for number, folder in folders.items() if sources.folders.joins(folder)})
    return concat_edges(
        graph.size,
        [Edges.from_pairs(graph.size, "property", linked), Edges.from_pairs(graph.size, "folder", [*named, *beside])],
    )
