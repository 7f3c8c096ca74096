"""What searches find, and how it reads."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import asdict

from bridge.api.markup import Column, Element, Line, RecordList, Segment, Table, aside, notice, notices, path_of
from bridge.api.moments import iso
from bridge.features.answers.public import answerability_notice
from bridge.records import Record
from bridge.search.answerability import Answerability
from bridge.search.hits import LISTED_REASON
from bridge.search.model import HitText, SearchHit, ShownPassage
from bridge.text.budget import around_match, cost, cut_reasons, fit_words
from bridge.text.counts import count_of, count_shown
from bridge.text.invisible import inline, quote_path
from bridge.types import SHORT_DIGEST, SearchDepth


class Hit(HitText):
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
        passages: The requested passages, in order, cut only between blocks; of a block, the block.
        created: When the note was created, as in `find_notes`; null if unknown.
        vault: The vault that holds it, where every vault was searched.
    """

    modified: str
    digest: str
    passages: tuple[ShownPassage, ...] = ()
    created: str | None = None
    vault: str | None = None


def make_hit(hit: SearchHit, *, created: str | None = None, vault: str | None = None) -> Hit:
    return Hit(
        **{
            **asdict(hit),
            "score": round(hit.score, 4),
            "modified": iso(hit.modified),
            "digest": hit.digest[:SHORT_DIGEST],
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


class FoundBlocks(SearchResult):
    """Blocks, best first, each with its lines; several may be of one note, and `total` counts blocks."""


MAX_HIT_TOKENS, MAX_SNIPPET_TOKENS, MAX_HEADING_TOKENS = 225, 110, 40
"""Budgets for a hit and its parts: ten hits should stay below 800 tokens, and lines say where to read on."""


HITS = (
    Column("path", role="path"),
    Column("lines", value=lambda hit: "{}-{}".format(*hit.lines)),
    *map(Column, ("score", "title", "heading", "snippet", "digest", "tags")),
    Column("why", value=lambda hit: "; ".join(hit.why)),
)
VAULT_HITS = (HITS[0], Column("vault"), *HITS[1:])


def search_view(found: SearchResult) -> Iterable[Element]:
    """Show a search result: two or three lines per note."""
    yield from _freshness(found)
    yield from notices(found.notices)
    closest = found.hits[0].title if found.hits else None
    if (verdict := answerability_notice(found.answerability, closest)) is not None:
        yield notice(verdict)
    yield from _list_hits(found, "note", "No note found.")


def blocks_view(found: FoundBlocks) -> Iterable[Element]:
    yield from _freshness(found)
    yield from notices(found.notices)
    yield from _list_hits(found, "block", "Nothing found.")


def _list_hits(found: SearchResult, what: str, nothing: str) -> Iterable[Element]:
    count = len(found.hits)
    if found.hits:
        shown = count_shown(count, max(found.total, count), what)
        yield Line(Segment(shown, "muted"), Segment("", short=", each with its score, digest and why"), ":")
    elif not found.notices:
        yield notice(nothing)
    yield from _hits(found.hits)


def _hits(found: Sequence[Hit]) -> Iterable[Element]:
    if any(hit.passages for hit in found):
        for number, hit in enumerate(found, start=1):
            yield from _passages(number, hit) if hit.passages else _snippet(number, hit)
    elif found:
        lines = [line for number, hit in enumerate(found, start=1) for line in _snippet(number, hit)]
        yield RecordList(Table(VAULT_HITS if found[0].vault else HITS, found), lines)


def _freshness(found: SearchResult) -> Iterable[Line]:
    unread, waiting = found.freshness.pending_keyword, found.freshness.pending_vectors
    if unread:
        yield notice(f"{count_of(unread, 'note')} {'is' if unread == 1 else 'are'} not indexed yet.")
    if waiting and found.mode_used != "keyword":
        yield notice(f"{count_of(waiting, 'passage')} cannot be found by meaning yet.")


def _passages(number: int, hit: Hit) -> Iterable[Line | str]:
    yield Line(f"{number}. ", path_of(hit.path), *_assessment(hit, " · "))
    for passage in hit.passages:
        first, last = passage.lines
        form = " · headings only" if passage.form == "outline" else ""
        yield Line(Segment(f"--- {quote_path(hit.path)}:{first}-{last}{form} ---", "muted"))
        yield passage.text
    yield Line()


def _snippet(number: int, hit: Hit) -> Iterable[Line]:
    first, last = hit.lines
    above, _, heading = inline(hit.heading).rpartition(" > ")
    place = [aside(f"{inline(hit.title)}  ", "title"), path_of(hit.path, f":{first}-{last}")]
    if heading and heading not in hit.path:
        parents = aside(f"{above} > " if above else "", "heading")
        place += [Segment(" # ", "muted"), parents, Segment(heading, "heading", fit_words(heading, MAX_HEADING_TOKENS))]
    vault = (Segment(f"{inline(hit.vault)} · ", "title"),) if hit.vault else ()
    where = Line(f"{number}. ", *vault, *place)
    why = Line(*_assessment(hit, "   "))
    room = min(MAX_SNIPPET_TOKENS, MAX_HIT_TOKENS - cost(where.text(short=True)) - cost(why.text(short=True).strip()))
    snippet = inline(hit.snippet)
    short = around_match(snippet, room)
    yield where
    if snippet:
        yield Line(Segment("   ", short="   " if short else ""), Segment(snippet, "snippet", short))
    yield why
    if why.text(short=False):
        yield Line()


def _assessment(hit: Hit, before: str) -> Sequence[Segment]:
    said = " ".join(hit.why).split()
    tags = "".join(f" #{inline(tag)}" for tag in hit.tags if f"#{tag}" not in said)
    reasons = [*map(inline, hit.why)]
    # That a note fits the filters, a person knows who typed nothing else.
    told = "" if reasons == [LISTED_REASON] else "; ".join(reasons)
    why = Segment(f"{before}{told}" if told else before[:-1] * bool(tags), "muted", cut_reasons(reasons))
    return Segment("", short=f"{before}{hit.score:.2f} · {hit.digest} · "), why, aside(tags, "tag")
