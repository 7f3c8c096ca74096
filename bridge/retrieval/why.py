"""Says in plain words why a note is a hit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bridge.retrieval.calibrate import Scores
from bridge.retrieval.fuse import NOISE
from bridge.retrieval.matching import Match, fold
from bridge.retrieval.titles import NameMatch
from bridge.types import VaultPath

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


def why(path: VaultPath, reasons: Reasons, text: str, matches: Sequence[Match], twins: int = 0) -> tuple[str, ...]:
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
    telling = [match for match in matches if fold(match.word) not in reasons.quiet]
    if words := _spoken(text, telling)[:MOST_WORDS]:
        said.append("says " + ", ".join(f"“{word}”" for word in words))
    near = reasons.meaning.get(path, 0.0)
    if near >= _CLOSE:
        said.append("close in meaning")
    elif near > NOISE and not said:
        said.append("somewhat close in meaning")
    if (tag := reasons.tags.get(path)) is not None:
        said.append(f"tag #{tag}")
    if len(said) < ENOUGH:
        said += _by_others(path, reasons)
    if (other := reasons.read_with.get(path)) is not None:
        said.append(f"read together with *{other}* lately")
    said = said[:MOST] or [_faint(path, reasons)]
    if twins:
        said.append(f"{twins} other note{'s' if twins > 1 else ''} with the same passage left out")
    return tuple(said)


def _spoken(text: str, matches: Sequence[Match]) -> list[str]:
    """Return each wanted word once: as typed where the text says so, else in the form that it has there."""
    forms: dict[str, str] = {}
    for match in matches:
        written = text[slice(*match.span)]
        if fold(written) == fold(match.word):
            forms[match.word] = match.word
        forms.setdefault(match.word, written)
    return list(forms.values())


def _by_others(path: VaultPath, reasons: Reasons) -> list[str]:
    """Return what another hit says for this one."""
    if (source := reasons.mentioned.get(path)) is not None:
        return [f"named in *{source}*, which matches"]
    if (link := reasons.linked.get(path)) is not None:
        return [link]
    return []


def linking(name: str, *, onward: bool) -> str:
    """Say how a note is linked with one of a name: the other links to it, or it links to the other."""
    return f"linked from *{name}*" if onward else f"links to *{name}*"


def _faint(path: VaultPath, reasons: Reasons) -> str:
    """Return what speaks for a hit for which nothing speaks clearly."""
    if path in reasons.whole:
        return "other parts of the note match"
    return "distantly close in meaning" if path in reasons.meaning else "some words match"
