"""The request and the answer of a search, as frozen values."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import field

from bridge.graph.graph import Graph
from bridge.index.index import Index
from bridge.markdown.note import Value
from bridge.models.reranker import PassageScores
from bridge.records import Record
from bridge.search.answerability import Answerability
from bridge.search.co_reading import NO_CO_READING, CoReading
from bridge.search.vocabulary import Vocabulary
from bridge.types import BlockOrder, Digest, Lines, NoteKind, SearchMode, VaultPath

ScorePassages = Callable[[str, Sequence[str]], Awaitable[PassageScores]]
"""Scores passages for a query, as a reranker does; never raises an error."""


class SearchRequest(Record):
    """A search request; filters narrow the answer and do not rank."""

    query: str
    limit: int = 10
    mode: SearchMode = "hybrid"
    folder: str | None = None
    paths: tuple[VaultPath, ...] = ()
    """Notes and folders, any of which will do; all notes when there are none."""
    tags: tuple[str, ...] = ()
    """All are required; `a` matches `a/b`."""
    properties: Mapping[str, Value] = field(default_factory=dict)
    """By name: a value, or a list of alternatives."""
    modified_after: float | None = None
    modified_before: float | None = None
    types: tuple[NoteKind, ...] = ()
    min_score: float = 0.0
    """Hits with a lower score are dropped."""
    explain: bool = False
    passage_tokens: int = 0
    """Token budget for whole passages; 0 reads none."""
    order: BlockOrder = "relevance"
    """For blocks only."""
    only: frozenset[VaultPath] | None = None
    """Only these notes: those for which a condition of the caller is true."""
    deep: bool = False
    """Whether the best notes are then read closely."""


class Sources(Record):
    """The components that a search uses, supplied by their owner."""

    index: Index
    embed_query: Callable[[str], Awaitable[np.ndarray | None]]
    """None when there is no model."""
    known_words: Callable[[Collection[str]], Awaitable[Collection[str]]] | None = None
    """Returns those of some words that a model knows, so that they are not taken for mistyped ones."""
    no_model: str = ""
    """Why there is none, where that is known; said beside the answer."""
    rerank: ScorePassages | None = None
    """Reads notes closely; needed only for a deep search."""
    graph: Graph | None = None
    co_reading: CoReading = NO_CO_READING
    """Which notes were read together; has no weight unless the owner sets one."""
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    """Kept by the owner between searches, so that names and tags are collected once."""
    reading: bool = False
    """Whether most notes are still being read for the first time, so that nothing can be said of all of them."""


Form = Literal["note", "section", "passage", "outline"]


class ShownPassage(Record):
    """A passage of a note as a reader sees it, without invisible text.

    Attributes:
        heading: Its heading path; may be empty.
        lines: First and last line.
        text: Its text.
        form: `note` for a whole note, `section`, `passage`, or `outline` for the headings only.
    """

    heading: str
    lines: Lines
    text: str
    form: Form = "passage"


class HitText(Record):
    """What a hit says of a note and its best passage."""

    path: VaultPath
    title: str
    heading: str
    lines: Lines
    snippet: str
    score: float
    why: tuple[str, ...]
    tags: tuple[str, ...]


class SearchHit(HitText):
    """One note with its best passage."""

    modified: float
    digest: Digest
    passages: tuple[ShownPassage, ...] = ()
    """Those that match the query, in order; none unless there is a budget for them."""


class RetrieverScore(Record):
    """The score of one retriever for one note."""

    raw: float
    calibrated: float
    weight: float
    rank: int


class Explanation(Record):
    """The numbers of an answer: each retriever's scores by hit, and each retriever's time."""

    lanes: Mapping[VaultPath, Mapping[str, RetrieverScore]]
    took_ms: Mapping[str, float]
    words: tuple[str, ...]
    """The words that the full-text retrievers searched for."""


class SearchAnswer(Record):
    """Hits, best first, and notices about them."""

    hits: tuple[SearchHit, ...] = ()
    mode_used: SearchMode = "keyword"
    notices: tuple[str, ...] = ()
    explain: Explanation | None = None
    total: int = 0
    """How many notes are relevant; the hits are the best of them."""
    answerability: Answerability | None = None
    """Whether they answer the query; None where that cannot be told, as for a list."""
    deep: bool = False
    """Whether notes were read closely."""
    asked: Mapping[str, float] = field(default_factory=dict)
    """The content words of the query, each with how rare it is in the vault."""
