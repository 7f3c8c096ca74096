"""Finding notes by words, by meaning and by their surroundings."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval, MaxLen

from bridge.api.call import Call
from bridge.api.hints import Folder, Limit, Properties, Query, When
from bridge.api.moments import iso, moment
from bridge.api.not_found import no_such_note
from bridge.api.registry import operation
from bridge.errors import InvalidArguments, ModelMissing
from bridge.types import Lines, NoteKind, SearchMode, VaultPath

if TYPE_CHECKING:
    from bridge.search.model import SearchAnswer


PassageTokens = Annotated[int, Interval(ge=0, le=20_000)]

DIGEST = 12
"""Digits of a digest that tell what was read."""


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage of a note.

    Attributes:
        heading: Heading path of the passage; empty before the first heading.
        lines: First and last line of the passage.
        text: The passage as it reads.
    """

    heading: str
    lines: Lines
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One note, shown by its best passage.

    Attributes:
        path: The note.
        title: Its title.
        heading: Heading path of the passage, such as `A > B`; empty before the first heading.
        lines: First and last line of the passage.
        snippet: The words of the passage around the match, matches marked with `==…==`.
        score: 0 to 1: the share of what could speak for a note; below 0.1 hardly anything does.
        why: Why it is here, in short sentences.
        tags: The note's tags, without `#`.
        modified: When the file was last changed.
        digest: The first digits of its SHA-256, to change it by.
        passages: The whole passages that were asked for, in their order.
    """

    path: VaultPath
    title: str
    heading: str
    lines: Lines
    snippet: str
    score: float
    why: tuple[str, ...]
    tags: tuple[str, ...]
    modified: str
    digest: str
    passages: tuple[FoundPassage, ...] = ()


@dataclass(frozen=True, slots=True)
class Freshness:
    """What the index still lacks.

    Attributes:
        pending_keyword: Notes whose words cannot be found yet.
        pending_vectors: Passages that cannot be found by meaning yet.
    """

    pending_keyword: int
    pending_vectors: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits, best first, one a note.

    Attributes:
        hits: The notes found.
        mode_used: How they were found; `keyword` when there is no model to search by meaning.
        took_ms: How long it took, in milliseconds.
        freshness: What the index still lacks.
        notices: What to know about this answer, such as a part of the query that was not understood.
        explain: The numbers behind the order, when asked for.
        total: How many notes answer; `hits` are the best of them.
    """

    hits: tuple[Hit, ...]
    mode_used: SearchMode
    took_ms: float
    freshness: Freshness
    notices: tuple[str, ...]
    explain: Mapping[str, Any] | None = None
    total: int = 0


@operation(
    example={"query": "sourdough starter", "limit": 3},
    tasks=(
        "what have I written about a subject",
        "look something up in the notes",
        "find notes about a topic",
        "notes about a topic that do not link to a note",
        "what do my notes say about something",
        "look for words, a phrase or an idea",
        "search by meaning",
        "full text search",
    ),
)
async def search(
    call: Call,
    query: Query,
    limit: Limit = 10,
    mode: SearchMode = "hybrid",
    folder: Folder | None = None,
    tags: tuple[str, ...] = (),
    properties: Properties = {},  # noqa: B006  # never changed
    modified_after: When | None = None,
    modified_before: When | None = None,
    types: tuple[NoteKind, ...] = (),
    explain: bool = False,
    passage_tokens: PassageTokens = 0,
) -> SearchResult:
    """Find notes by words and by meaning.

    A query may hold `"a phrase"`, `-not`, `OR`, brackets, `path:`, `file:`, `tag:#a` and `[property:value]`; what is
    not understood is told in `notices`.

    Args:
        query: What to look for.
        limit: Most hits.
        mode: Whether words, meaning or both count.
        folder: Only notes in this folder and below.
        tags: Only notes with all of these tags; `a` matches `a/b`.
        properties: Only notes whose properties have these values; a list means any of them.
        modified_after: Only notes changed at this time or later.
        modified_before: Only notes changed before this time.
        types: Only these kinds of file.
        explain: Numbers behind the order.
        passage_tokens: Whole passages, so many tokens.

    Raises:
        ModelMissing: The mode is semantic and there is no model.
    """
    from bridge.search.model import SearchRequest
    from bridge.search.pipeline import search as find

    started = time.perf_counter()
    if not query.strip():
        raise InvalidArguments("`query` is empty.", hint="Use `find_notes` to list notes by folder, tag or property.")
    call.engine.require_keyword()
    request = SearchRequest(
        query=query,
        limit=limit,
        mode=mode,
        folder=folder,
        tags=tags,
        properties=properties,
        modified_after=moment("modified_after", modified_after),
        modified_before=moment("modified_before", modified_before),
        types=types,
        explain=explain,
        passage_tokens=passage_tokens,
    )
    try:
        return build_search_result(call, await find(call.engine.sources(), request), started)
    except ModelMissing:
        raise call.engine.why_not_by_meaning() from None


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "limit": 3},
    tasks=(
        "notes like this one",
        "more notes on the same subject",
        "find similar notes",
        "what else is close to this text",
    ),
)
async def related_notes(
    call: Call,
    path: VaultPath | None = None,
    line: Annotated[int, Interval(ge=1)] | None = None,
    text: Annotated[str, MaxLen(100_000)] | None = None,
    limit: Limit = 10,
) -> SearchResult:
    """Find notes that are close to a note or to a text, in meaning and by links.

    Args:
        path: The note; give this or `text`.
        line: Only the passage at this line counts.
        text: The text; give this or `path`.
        limit: Most hits.

    Raises:
        NoteNotFound: There is no such note in the index; the message names the closest ones.
    """
    from bridge.search.related import find_related

    started = time.perf_counter()
    if (path is None) == (text is None or not text.strip()):
        raise InvalidArguments("Give either `path` or `text`, and not an empty one.")
    if line is not None and path is None:
        raise InvalidArguments("`line` is one of a note: give its `path`.")
    call.engine.require_keyword()
    if path is not None and path not in call.engine.index.notes:
        raise no_such_note(call.engine, path)
    found = await find_related(call.engine.sources(), path=path, line=line, text=text, limit=limit)
    return build_search_result(call, found, started)


def build_search_result(call: Call, answer: "SearchAnswer", started: float) -> SearchResult:
    """Put an answer into its wire form."""
    return SearchResult(
        hits=tuple(
            Hit(
                path=hit.path,
                title=hit.title,
                heading=hit.heading,
                lines=hit.lines,
                snippet=hit.snippet,
                score=round(hit.score, 4),
                why=tuple(hit.why),
                tags=tuple(hit.tags),
                modified=iso(hit.modified),
                digest=hit.digest[:DIGEST],
                passages=tuple(FoundPassage(one.heading, one.lines, one.text) for one in hit.passages),
            )
            for hit in answer.hits
        ),
        mode_used=answer.mode_used,
        took_ms=round((time.perf_counter() - started) * 1000, 1),
        freshness=Freshness(len(call.engine.indexer.pending), call.engine.index.pending_vectors()),
        notices=tuple(answer.notices),
        explain=plain_explanation(answer.explain),
        total=answer.total,
    )


def plain_explanation(explanation: Any) -> Mapping[str, Any] | None:
    """Turn the numbers behind an answer into plain values."""
    import dataclasses

    return None if explanation is None else dataclasses.asdict(explanation)
