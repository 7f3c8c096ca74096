"""What searches find."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict

from bridge.api.moments import iso
from bridge.records import Record
from bridge.search.answerability import Answerability
from bridge.search.model import SearchHit, ShownPassage
from bridge.types import Lines, SearchDepth, VaultPath


class Hit(Record):
    """A note, represented by its best passage, or a block of a note.

    Attributes:
        path: The note.
        title: Its title.
        heading: Its heading path, such as `A > B`; empty before the first heading.
        lines: First and last line.
        snippet: Excerpt with matches marked `==…==`.
        score: 0–1, the share of all possible evidence; below 0.1 is weak.
        why: Why it matches, in short sentences.
        tags: The note's tags, without `#`.
        modified: When the file was last modified.
        digest: Leading digits of its SHA-256, for edits.
        passages: The requested whole passages, in order; of a block, the block.
        created: When the note was created, as in `find_notes`; null if unknown.
        vault: The vault that holds it, where every vault was searched.
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
    passages: tuple[ShownPassage, ...] = ()
    created: str | None = None
    vault: str | None = None


DIGEST = 12
"""Digits of a digest that tell what was read."""


def make_hit(hit: SearchHit, *, created: str | None = None, vault: str | None = None) -> Hit:
    """Make a hit of what a search found."""
    return Hit(
        **{
            **asdict(hit),
            "score": round(hit.score, 4),
            "modified": iso(hit.modified),
            "digest": hit.digest[:DIGEST],
            "created": created,
            "vault": vault,
        }
    )


class Freshness(Record):
    """What is not indexed yet.

    Attributes:
        pending_keyword: Notes missing from keyword search.
        pending_vectors: Passages missing from semantic search.
    """

    pending_keyword: int
    pending_vectors: int


class SearchResult(Record):
    """Hits, best first, one per note.

    Attributes:
        hits: The best matches.
        mode_used: The mode used; `keyword` without a model, `hybrid` for `deep` without a reranker.
        took_ms: Duration in milliseconds.
        freshness: What is not indexed yet.
        notices: Remarks, such as on a misunderstood part of the query.
        explain: Ranking details, if requested.
        total: How many notes match.
        answerability: Whether the vault answers the query; null where nothing was asked, as in `related_notes`.
    """

    hits: tuple[Hit, ...]
    mode_used: SearchDepth
    took_ms: float
    freshness: Freshness
    notices: tuple[str, ...]
    explain: Mapping[str, Any] | None = None
    total: int = 0
    answerability: Answerability | None = None
