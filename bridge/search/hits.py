"""A ranked note as callers see it: its best passage, cut, the reasons for the hit, and whole passages."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TypeVar

from msgspec import field
from msgspec.structs import replace

from bridge.index.hits import PassageHit
from bridge.index.index import Index
from bridge.index.note import IndexedNote
from bridge.index.rows import StoredPassage
from bridge.records import Record
from bridge.search.calibrate import Scores
from bridge.search.fuse import NOISE_SIMILARITY, FusedHit
from bridge.search.model import SearchHit, ShownPassage
from bridge.search.snippet import (
    blank_labels,
    clean_text,
    cut_matches,
    cut_snippet,
    drop_headings,
    drop_title,
    is_bare,
    keep_values,
)
from bridge.search.vocabulary import NameMatch
from bridge.text.budget import estimate_tokens
from bridge.text.fold import fold_word
from bridge.text.invisible import EMPTY_VALUES, inline, visible_text, without_blank_lines
from bridge.text.match import Match, Matcher
from bridge.text.words import words_of
from bridge.types import Lines, VaultPath

MAX_REASONS = 3
MIN_OWN_REASONS = 2
"""Number of own reasons from which a hit needs no reason from another hit."""

MAX_REASON_WORDS = 3
_MIN_CLOSENESS = 0.5
_FITS_PARTLY = 0.3


class Reasons(Record):
    """The findings of the retrievers, from which reasons are formulated."""

    meaning: Scores = field(default_factory=dict)
    whole: Scores = field(default_factory=dict)
    names: Mapping[VaultPath, NameMatch] = field(default_factory=dict)
    tags: Mapping[VaultPath, str] = field(default_factory=dict)
    linked: Mapping[VaultPath, str] = field(default_factory=dict)
    """By note: how it is linked with the hit that led to it, in words."""
    mentioned: Mapping[VaultPath, str] = field(default_factory=dict)
    """By note: the name of the hit that mentions it."""
    co_read: Mapping[VaultPath, str] = field(default_factory=dict)
    """By note: the name of the note that it was recently read together with."""
    common_words: frozenset[str] = frozenset()
    """Folded words of the query that too many notes contain to say anything."""
    read_closely: frozenset[VaultPath] = frozenset()
    """The notes that a reranker read together with the query."""
    weak: frozenset[VaultPath] = frozenset()
    """The notes that say too little of the query to be about it."""
    listed: bool = False
    """Whether nothing was searched for; the note only passes the filters."""


LISTED_REASON = "passes the filters"
"""The reason of a note that was not searched for."""


def explain_hit(
    path: VaultPath, reasons: Reasons, text: str, matches: Sequence[Match], twins: int = 0
) -> tuple[str, ...]:
    if reasons.listed:
        return (LISTED_REASON,)
    lines: list[str] = []
    name = reasons.names.get(path)
    if name is not None and (name.fit != "matches in part" or name.score >= _FITS_PARTLY):
        called = "title" if name.field == "title" else f"{name.field} “{name.name}”"
        lines.append(f"{called} {name.fit}")
    rare = [match for match in matches if fold_word(match.word) not in reasons.common_words]
    if words := _matched_words(text, rare)[:MAX_REASON_WORDS]:
        lines.append("says " + ", ".join(f"“{word}”" for word in words))
    near = reasons.meaning.get(path, 0.0)
    if near >= _MIN_CLOSENESS:
        lines.append("close in meaning")
    elif near > NOISE_SIMILARITY and not lines:
        lines.append("somewhat close in meaning")
    if (tag := reasons.tags.get(path)) is not None:
        lines.append(f"tag #{tag}")
    if len(lines) < MIN_OWN_REASONS:
        lines += _expansion_reasons(path, reasons)
    if (other := reasons.co_read.get(path)) is not None:
        lines.append(f"read together with *{other}* lately")
    lines = lines[:MAX_REASONS] or [_weak_reason(path, reasons)]
    lines += ["says little of what is asked"] * (path in reasons.weak)
    if twins:
        lines.append(f"{twins} other note{'s' if twins > 1 else ''} with the same passage left out")
    return tuple(lines)


def _matched_words(text: str, matches: Sequence[Match]) -> list[str]:
    forms: dict[str, str] = {}
    for match in matches:
        written = text[slice(*match.span)]
        if written.casefold() == match.word.casefold():
            forms[match.word] = match.word
        forms.setdefault(match.word, written)
    return list(forms.values())


def _expansion_reasons(path: VaultPath, reasons: Reasons) -> list[str]:
    if (source := reasons.mentioned.get(path)) is not None:
        return [f"named in *{source}*, which matches"]
    if (link := reasons.linked.get(path)) is not None:
        return [link]
    return []


def link_reason(name: str, *, onward: bool) -> str:
    return f"linked from *{name}*" if onward else f"links to *{name}*"


def _weak_reason(path: VaultPath, reasons: Reasons) -> str:
    if path in reasons.whole:
        return "other parts of the note match"
    return "distantly close in meaning" if path in reasons.meaning else "some words match"


class ShownText(Record):
    """The passage by which a note is represented, as written and as it reads, with the matches in it."""

    heading: str = ""
    lines: Lines = (1, 1)
    text: str = ""
    labels: frozenset[str] = frozenset()
    """Words of the query that only labels say, which are not marked."""
    plain: str = ""
    matches: tuple[Match, ...] = ()


def build_hits(
    ranked: Sequence[FusedHit],
    notes: Mapping[VaultPath, IndexedNote],
    texts: Mapping[VaultPath, StoredPassage],
    reasons: Reasons,
    matcher: Matcher,
    twins: Mapping[int, int] = MappingProxyType({}),
    whole: Mapping[VaultPath, tuple[ShownPassage, ...]] = MappingProxyType({}),
) -> tuple[SearchHit, ...]:
    """Build the hits of an answer, without notes that left the index while texts were read."""
    said = [_choose_text(hit.path, texts, notes, matcher) for hit in ranked]
    clean = [clean_text(one.text) for one in said]
    shown = [
        replace(one, plain=plain, matches=tuple(match for match in found if match.word not in one.labels))
        for one, plain, found in zip(said, clean, matcher.find_each(clean), strict=True)
    ]
    return tuple(
        build_hit(note, hit.score, text, reasons, twins.get(place, 0), whole.get(hit.path, ()))
        for place, (hit, text) in enumerate(zip(ranked, shown, strict=True))
        if (note := notes.get(hit.path)) is not None
    )


def _choose_text(
    path: VaultPath,
    texts: Mapping[VaultPath, StoredPassage],
    notes: Mapping[VaultPath, IndexedNote],
    matcher: Matcher,
) -> ShownText:
    """Return what a note says where it is shown, without labelled values that do not match; else its properties."""
    passage, note = texts.get(path), notes.get(path)
    if passage is None or note is None:
        return ShownText()
    heading, lines = passage.heading, passage.lines
    if not passage.text:
        said = [f"{name}: {inline(value)}" for name, value in note.properties.items() if value not in EMPTY_VALUES]
        return ShownText(heading, lines, "\n\n".join(one for one in said if matcher.find(one)))
    if not passage.labels:
        return ShownText(heading, lines, drop_title(passage.text, note.title))
    text = keep_values(passage.text, passage.labels, lambda value: bool(matcher.find(value)))
    if is_bare(text, note.title):
        if (lead := passage.lead) is not None:
            return ShownText(lead.heading, lead.lines, drop_title(lead.text, note.title))
        text = passage.text
    values = {match.word for match in matcher.find(blank_labels(passage.text, passage.labels))}
    labels = frozenset(match.word for match in matcher.find(text)) - values
    return ShownText(heading, lines, drop_title(text, note.title), labels)


def build_hit(
    note: IndexedNote,
    score: float,
    shown: ShownText,
    reasons: Reasons,
    twins: int,
    passages: tuple[ShownPassage, ...],
) -> SearchHit:
    text, matches = drop_headings(shown.text.lstrip(), shown.plain, shown.matches)
    closely = ("read closely",) if note.path in reasons.read_closely else ()
    return SearchHit(
        path=note.path,
        title=note.title,
        heading=shown.heading,
        lines=shown.lines,
        snippet=cut_snippet(text, matches),
        score=round(score, 4),
        why=(*explain_hit(note.path, reasons, text, cut_matches(text, matches), twins), *closely),
        tags=note.tags,
        modified=note.mtime,
        digest=note.digest,
        passages=passages,
    )


MIN_SAME_SHARE = 0.9
"""Share of common word triples above which two passages are the same."""

_MIN_ROUGH_SHARE = 0.7
_MIN_PASSAGE_WORDS = 8
"""Words below which a passage is too short to compare, unless its script does not separate words."""

_Item = TypeVar("_Item")


def shingles(text: str) -> frozenset[int]:
    """Return the text's word triples (character triples for scripts without spaces); none for a short text."""
    words = words_of(text)
    if len(words) < _MIN_PASSAGE_WORDS:
        joined = "".join(words)
        if joined.isascii() or len(joined) < 3 * _MIN_PASSAGE_WORDS:
            return frozenset()
        return frozenset(hash(joined[at : at + 3]) for at in range(len(joined) - 2))
    return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False)))


def collapse(items: Sequence[tuple[_Item, str]]) -> tuple[list[_Item], dict[int, int]]:
    """Keep the first of each group of near-duplicate passages."""
    unique: list[tuple[_Item, str, frozenset[str]]] = []
    others: dict[int, int] = {}
    shingles_of = cache(shingles)
    for item, text in items:
        bag = frozenset(text.split())
        for twin, (_, other, words) in enumerate(unique):
            if _may_be_alike(bag, words) and _is_alike(shingles_of(text), shingles_of(other)):
                others[twin] = others.get(twin, 0) + 1
                break
        else:
            unique.append((item, text, bag))
    return [item for item, _, _ in unique], others


def _may_be_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Compare words regardless of order, which is cheap and rules out nearly all pairs."""
    fewer, more = len(one), len(other)
    if fewer > more:
        fewer, more = more, fewer
    return (
        fewer >= _MIN_ROUGH_SHARE * more and len(one & other) >= _MIN_ROUGH_SHARE * more
    ) or fewer == more < _MIN_PASSAGE_WORDS


def _is_alike(mine: frozenset[int], theirs: frozenset[int]) -> bool:
    return bool(mine and theirs) and len(mine & theirs) >= MIN_SAME_SHARE * len(mine | theirs)


Worth = Mapping[VaultPath, Mapping[int, float]]
"""By note: the passages that match the query, with their scores."""

MAX_PASSAGES = 4
"""Maximum number of passages per note."""

LEAD_PASSAGES = 4
"""First passages of a note among which one is looked for that says something."""

MIN_SHARE_OF_BEST = 0.5
"""Minimum score of a further passage, as a share of its note's best."""


async def read_shown(index: Index, hits: Sequence[PassageHit]) -> list[StoredPassage]:
    """Read the passages that stand for notes; for one of headings only, the first of its note that says something.

    Where none does, it is one of labelled values, else without text. One of labelled values has a better one beside it.
    """
    found = await index.text_of(hits)
    silent = [one for one in found if _is_silent(index, one)]
    others = [
        PassageHit(one.path, ordinal, 0.0)
        for one in silent
        for ordinal in range(min(LEAD_PASSAGES, index.notes[one.path].passages))
        if ordinal != one.ordinal
    ]
    leads: dict[VaultPath, StoredPassage] = {}
    values: dict[VaultPath, StoredPassage] = {}
    for one in await index.text_of(others) if others else ():
        if not _is_silent(index, one):
            leads.setdefault(one.path, one)
        elif not is_bare(one.text, index.notes[one.path].title):
            values.setdefault(one.path, one)

    def choose(one: StoredPassage) -> StoredPassage:
        if is_bare(one.text, index.notes[one.path].title):
            return leads.get(one.path) or values.get(one.path) or replace(one, text="", labels=())
        return replace(one, lead=leads.get(one.path))

    return [choose(one) if one in silent else one for one in found]


def _is_silent(index: Index, passage: StoredPassage) -> bool:
    said = keep_values(passage.text, passage.labels, lambda _: False) if passage.labels else passage.text
    return is_bare(said, index.notes[passage.path].title)


async def fill_passages(
    index: Index, ranked: Sequence[FusedHit], best: Mapping[VaultPath, int], worth: Worth, room: int
) -> dict[VaultPath, tuple[ShownPassage, ...]]:
    """Read the best passage of each note, then the next best of each, within the budget."""
    rounds = [_order_passages(best.get(hit.path, 0), worth.get(hit.path, {})) for hit in ranked]
    places = [
        PassageHit(hit.path, ordinals[place], hit.score)
        for place in range(MAX_PASSAGES)
        for hit, ordinals in zip(ranked, rounds, strict=True)
        if place < len(ordinals)
    ]
    found: dict[VaultPath, list[StoredPassage]] = {}
    left = room
    for passage in await index.text_of(places):
        cost = estimate_tokens(passage.text)
        if passage.text.strip() and (cost <= left or left == room):
            found.setdefault(passage.path, []).append(passage)
            left -= cost
    return {
        path: tuple(
            ShownPassage(one.heading, one.lines, without_blank_lines(visible_text(one.text)))
            for one in sorted(passages, key=lambda one: one.ordinal)
        )
        for path, passages in found.items()
    }


def _order_passages(best: int, worth: Mapping[int, float]) -> list[int]:
    """Order a note's passages: the shown one, then those that score nearly as high."""
    least = MIN_SHARE_OF_BEST * worth.get(best, 0.0)
    others = sorted((one for one in worth if one != best and worth[one] >= least), key=lambda one: (-worth[one], one))
    return [best, *others][:MAX_PASSAGES]
