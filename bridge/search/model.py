"""What a search is asked and what it answers, as frozen values."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bridge.graph.graph import Graph
from bridge.markdown.note import Value
from bridge.search.co_reading import NO_CO_READING, CoReading
from bridge.search.vocabulary import Vocabulary
from bridge.types import Digest, Lines, NoteKind, SearchMode, VaultPath

if TYPE_CHECKING:
    import numpy as np

    from bridge.index.index import Index


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A search as asked; filters narrow, they never rank."""

    query: str
    limit: int = 10
    mode: SearchMode = "hybrid"
    folder: str | None = None
    tags: tuple[str, ...] = ()
    """All of them; `a` matches `a/b`."""
    properties: Mapping[str, "Value"] = field(default_factory=dict)
    """Name to a value, or to a list of which any will do."""
    modified_after: float | None = None
    modified_before: float | None = None
    types: tuple[NoteKind, ...] = ()
    explain: bool = False
    passage_tokens: int = 0
    """Room for whole passages, in tokens; none are read without any."""


@dataclass(frozen=True, slots=True)
class Sources:
    """The parts that a search asks, handed in by whoever owns them."""

    index: "Index"
    embed_query: "Callable[[str], Awaitable[np.ndarray | None]]"
    """None: there is no model."""
    graph: Graph | None = None
    co_reading: CoReading = NO_CO_READING
    """Which notes were read together; weighing nothing unless the owner says so."""
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    """Kept by the owner between searches, so that names and tags are gathered once."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage as it reads, without what its reader does not see."""

    heading: str
    lines: Lines
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One note with its best passage."""

    path: VaultPath
    title: str
    heading: str
    lines: Lines
    snippet: str
    score: float
    why: tuple[str, ...]
    tags: tuple[str, ...]
    modified: float
    digest: Digest
    passages: tuple[ShownPassage, ...] = ()
    """Those that say what is asked, in their order; none unless there is room for them."""


@dataclass(frozen=True, slots=True)
class RetrieverScore:
    """What one lane said about one note."""

    raw: float
    calibrated: float
    weight: float
    rank: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """The numbers behind an answer: for each hit what each lane said, and how long each lane took."""

    lanes: Mapping[VaultPath, Mapping[str, RetrieverScore]]
    took_ms: Mapping[str, float]
    words: tuple[str, ...]
    """The words that the full-text lanes were asked for."""


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """Hits, best first, and what to know about them."""

    hits: tuple[Hit, ...] = ()
    mode_used: SearchMode = "keyword"
    notices: tuple[str, ...] = ()
    explain: Explanation | None = None
    total: int = 0
    """How many notes answer; the hits are the best of them."""
