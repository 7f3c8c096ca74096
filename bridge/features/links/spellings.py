"""Which note a name without one means: by an alias, another spelling, or a slip of the pen."""

from collections.abc import Sequence
from typing import Final

from bridge.features.links.mentions import NameFinder
from bridge.features.links.note_candidates import NoteCandidate
from bridge.text.fold import fold_case, fold_letters
from bridge.text.series import step_between
from bridge.text.words import words_of
from bridge.types import VaultPath

ALIKE: Final = 88.0
"""Likeness (0-100) of letters and digits from which on another name may be meant."""

ALIKE_WORD: Final = 75.0
"""Likeness (0-100) from which on a word may be another one misspelt."""

LITTLE: Final = 3
"""Letters up to which a word may be missing, such as an article."""

MeantNote = tuple[VaultPath, str]
"""A note and why it is meant."""


def find_by_name(finder: NameFinder, names: Sequence[str]) -> list[MeantNote | None]:
    """Find the note that each name may have meant by title or alias; None where there is none."""
    from rapidfuzz import fuzz, process

    keys = {fold_letters(form): form for form in finder}

    def find(name: str) -> MeantNote | None:
        form = fold_case(name.rpartition("/")[2]).strip()
        for candidate in finder.of(form):
            return (
                candidate.path,
                f"“{candidate.text}” is an alias of it" if candidate.alias else "it has this name in another folder",
            )
        key = fold_letters(form)
        if key not in keys:
            alike = process.extract(key, keys.keys(), scorer=fuzz.ratio, score_cutoff=ALIKE)
            key = next((other for other, *_ in alike if _is_misspelt(form, keys[other])), "")
        if key not in keys:
            return None
        candidate = finder.of(keys[key])[0]
        return candidate.path, f"its name is almost the same: “{candidate.text}”"

    return [find(name) for name in names]


def drop_meant(finder: NameFinder, candidates: Sequence[NoteCandidate]) -> list[NoteCandidate]:
    """Return the candidates for new notes without those that only spell the name of a note in another way."""
    keys = frozenset(map(fold_letters, finder))
    stubs = [one.name for one in candidates if one.kind == "stub"]
    meant = {name for name, note in zip(stubs, find_by_name(finder, stubs), strict=True) if note is not None}
    return [one for one in candidates if one.name not in meant and fold_letters(one.name) not in keys]


def _is_misspelt(one: str, other: str) -> bool:
    """Return whether names differ by slips: not by a number, nor by the beginning of a word, which makes it another."""
    from rapidfuzz import fuzz

    if step_between(one, other) is not None:
        return False
    words, others = words_of(one), words_of(other)
    left, right = [word for word in words if word not in others], [word for word in others if word not in words]
    if len(left) != len(right):
        return all(len(word) <= LITTLE for word in (*left, *right))
    pairs = zip(left, right, strict=True)
    return all(mine[0] == yours[0] and fuzz.ratio(mine, yours) >= ALIKE_WORD for mine, yours in pairs)
