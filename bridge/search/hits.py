"""A ranked note as a caller sees it: its best passage cut, and why it is there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from bridge.index.note import IndexedNote
from bridge.search.calibrate import Scores
from bridge.search.fuse import NOISE, FusedHit
from bridge.search.model import Hit
from bridge.search.snippet import clean_text, cut_snippet, drop_headings
from bridge.search.titles import NameMatch
from bridge.text.match import Match, Matcher, fold_word, words_of
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.index.rows import Passage

MOST = 3
ENOUGH = 2
"""Reasons of its own after which a hit needs no other hit to speak for it."""

MOST_WORDS = 3
_CLOSE = 0.5
_FITS_PARTLY = 0.3


@dataclass(frozen=True, slots=True)
class Reasons:
    """What the lanes found out, ready to be put in words."""

    meaning: Scores = field(default_factory=dict)
    whole: Scores = field(default_factory=dict)
    names: Mapping[VaultPath, NameMatch] = field(default_factory=dict)
    tags: Mapping[VaultPath, str] = field(default_factory=dict)
    linked: Mapping[VaultPath, str] = field(default_factory=dict)
    """By note: how it is linked with what it was found from, in words."""
    mentioned: Mapping[VaultPath, str] = field(default_factory=dict)
    """By note: what the hit that names it is called."""
    read_with: Mapping[VaultPath, str] = field(default_factory=dict)
    """By note: what the note is called that it was read together with lately."""
    quiet: frozenset[str] = frozenset()
    """Folded words of the query that so many notes say that they tell nothing."""
    listed: bool = False
    """Nothing was looked for; the note passes the filters."""


def explain_hit(
    path: VaultPath, reasons: Reasons, text: str, matches: Sequence[Match], twins: int = 0
) -> tuple[str, ...]:
    """Return the sentences for one hit, the most telling first.

    Args:
        path: The note.
        reasons: What the lanes found.
        text: The passage that is shown.
        matches: The wanted words in it.
        twins: How many other notes hold the same passage and are left out.
    """
    if reasons.listed:
        return ("passes the filters",)
    said: list[str] = []
    name = reasons.names.get(path)
    if name is not None and (name.fit != "matches in part" or name.score >= _FITS_PARTLY):
        called = "title" if name.field == "title" else f"{name.field} “{name.name}”"
        said.append(f"{called} {name.fit}")
    telling = [match for match in matches if fold_word(match.word) not in reasons.quiet]
    if words := _matched_words(text, telling)[:MOST_WORDS]:
        said.append("says " + ", ".join(f"“{word}”" for word in words))
    near = reasons.meaning.get(path, 0.0)
    if near >= _CLOSE:
        said.append("close in meaning")
    elif near > NOISE and not said:
        said.append("somewhat close in meaning")
    if (tag := reasons.tags.get(path)) is not None:
        said.append(f"tag #{tag}")
    if len(said) < ENOUGH:
        said += _expansion_reasons(path, reasons)
    if (other := reasons.read_with.get(path)) is not None:
        said.append(f"read together with *{other}* lately")
    said = said[:MOST] or [_weak_reason(path, reasons)]
    if twins:
        said.append(f"{twins} other note{'s' if twins > 1 else ''} with the same passage left out")
    return tuple(said)


def _matched_words(text: str, matches: Sequence[Match]) -> list[str]:
    """Return each wanted word once: as typed where the text says so, else in the form that it has there."""
    forms: dict[str, str] = {}
    for match in matches:
        written = text[slice(*match.span)]
        if fold_word(written) == fold_word(match.word):
            forms[match.word] = match.word
        forms.setdefault(match.word, written)
    return list(forms.values())


def _expansion_reasons(path: VaultPath, reasons: Reasons) -> list[str]:
    """Return what another hit says for this one."""
    if (source := reasons.mentioned.get(path)) is not None:
        return [f"named in *{source}*, which matches"]
    if (link := reasons.linked.get(path)) is not None:
        return [link]
    return []


def link_reason(name: str, *, onward: bool) -> str:
    """Say how a note is linked with one of a name: the other links to it, or it links to the other."""
    return f"linked from *{name}*" if onward else f"links to *{name}*"


def _weak_reason(path: VaultPath, reasons: Reasons) -> str:
    """Return what speaks for a hit for which nothing speaks clearly."""
    if path in reasons.whole:
        return "other parts of the note match"
    return "distantly close in meaning" if path in reasons.meaning else "some words match"


def build_hit(
    note: IndexedNote, ranked: FusedHit, passage: "Passage | None", reasons: Reasons, wanted: Matcher, twins: int = 0
) -> Hit:
    """Return a note as a hit.

    Args:
        note: The note.
        ranked: Its place among the others.
        passage: What of it to show; None when it has no text.
        reasons: What the lanes found.
        wanted: What to mark.
        twins: How many other notes hold the same passage and are left out.
    """
    text = clean_text(passage.text) if passage is not None else ""
    matches = wanted.find(text)
    return Hit(
        path=ranked.path,
        title=note.title,
        heading=passage.heading if passage is not None else "",
        lines=passage.lines if passage is not None else (1, 1),
        snippet=cut_snippet(*drop_headings(passage.text, text, matches)) if passage is not None else "",
        score=round(ranked.score, 4),
        why=explain_hit(ranked.path, reasons, text, matches, twins),
        tags=note.tags,
        modified=note.modified,
        digest=note.digest,
    )


SAME = 0.9
"""Share of common word triples above which two passages say the same."""

_ROUGHLY = 0.7
_FEW = 8
"""Words below which a passage is too short to be told from another, unless its script sets no words apart."""

_Item = TypeVar("_Item")


def shingles(text: str) -> frozenset[int]:
    """Return the text's word triples (character triples where words are not set apart); none of a short text."""
    words = words_of(text)
    if len(words) < _FEW:
        joined = "".join(words)
        if joined.isascii() or len(joined) < 3 * _FEW:
            return frozenset()
        return frozenset(hash(joined[at : at + 3]) for at in range(len(joined) - 2))
    return frozenset(map(hash, zip(words, words[1:], words[2:], strict=False)))


def collapse(items: Sequence[tuple[_Item, str]]) -> tuple[list[_Item], dict[int, int]]:
    """Keep the first of each group of near-duplicate passages.

    Args:
        items: Things with their passages, best first.

    Returns:
        What is kept in order, and how many each kept one stands for beside itself, by its place in the result.
    """
    kept: list[tuple[_Item, str, frozenset[str]]] = []
    others: dict[int, int] = {}
    for item, text in items:
        bag = frozenset(text.split())
        twin = next(
            (at for at, (_, other, words) in enumerate(kept) if _may_be_alike(bag, words) and _is_alike(text, other)),
            None,
        )
        if twin is None:
            kept.append((item, text, bag))
        else:
            others[twin] = others.get(twin, 0) + 1
    return [item for item, _, _ in kept], others


def _may_be_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Compare words without their order, which is cheap and rules nearly all pairs out."""
    fewer, more = sorted((len(one), len(other)))
    return (fewer >= _ROUGHLY * more and len(one & other) >= _ROUGHLY * more) or fewer == more < _FEW


def _is_alike(one: str, other: str) -> bool:
    mine, theirs = shingles(one), shingles(other)
    return bool(mine and theirs) and len(mine & theirs) >= SAME * len(mine | theirs)
