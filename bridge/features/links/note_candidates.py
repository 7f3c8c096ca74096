"""Names that several notes link to and no note has, and the note that such a name may mean."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec.structs import replace
from rapidfuzz import fuzz, process

from bridge.features.links.mentions import NameFinder
from bridge.records import Record
from bridge.text.closest import are_alike, find_mistyped
from bridge.text.fold import fold_case, fold_letters, fold_mention
from bridge.text.series import DATE, step_between
from bridge.text.words import words_of
from bridge.types import VaultPath

MIN_NOTES: Final = 2
EXAMPLES: Final = 3
"""Number of example notes given for each candidate."""

DOUBT: Final = 0.4
"""Doubt that a name that two notes link to deserves a note; each doubling of the notes halves it."""


class NameProspect(Record):
    """A name that several notes link to and no note has.

    Attributes:
        name: The name as it is linked.
        notes: Notes that link to it.
        confidence: Confidence that it deserves a note, 0–1.
        examples: The first of those notes.
    """

    name: str
    notes: int
    confidence: float
    examples: tuple[VaultPath, ...]


def find_candidates(stubs: Mapping[str, Collection[VaultPath]], finder: NameFinder) -> list[NameProspect]:
    """Return the names that several notes link to and that mean no note, those of most notes first.

    Only a link says that a person wants the note: names that are merely said are mostly words that need none.
    """
    wanted = {name: paths for name, paths in stubs.items() if len(paths) >= MIN_NOTES and not DATE.fullmatch(name)}
    meant = MeantNotes(finder)
    found = [
        NameProspect(name, len(paths), round(1 - DOUBT * MIN_NOTES / len(paths), 3), tuple(sorted(paths)[:EXAMPLES]))
        for name, paths in wanted.items()
        if meant.find(name) is None
    ]
    return sorted(found, key=lambda one: (-one.notes, one.name))


MIN_LIKENESS: Final = 88.0
"""Likeness (0-100) of letters and digits from which on another name may be meant."""

MAX_ARTICLE_LETTERS: Final = 3
"""Letters up to which a word may be missing, such as an article."""

MIN_SLIP_LIKENESS: Final = 90.0
"""Likeness (0-100) from which on another name is surely meant, if no other is as like."""

MIN_LEAD: Final = 8.0
"""How much less like the next name must be."""

MIN_SLIP_CHARS: Final = 6
DOUBTFUL_CONFIDENCE: Final = 0.5
"""Confidence where several notes may be meant, or only a person can tell."""


class MeantNote(Record):
    """A note that a name may mean, and the evidence."""

    path: VaultPath
    why: str
    confidence: float = DOUBTFUL_CONFIDENCE
    by_alias: bool = False


class MeantNotes:
    """Finds the notes that names may mean by title or alias."""

    def __init__(self, finder: NameFinder) -> None:
        self._finder = finder
        self._forms: defaultdict[str, list[str]] = defaultdict(list)
        """By letters and digits: the names."""
        for form in finder:
            self._forms[fold_letters(form)].append(form)
        self._parts: defaultdict[str, set[str]] = defaultdict(set)
        """By the title without brackets, and what is in them, as those of two versions of a song: the titles."""
        for form in finder:
            for part in filter(None, map(str.strip, _BRACKETS.split(form))):
                self._parts[part].add(form)
        self._initials = {fold_case(initials): form for form in finder if (initials := abbreviation_of(form))}

    def find(self, name: str) -> MeantNote | None:
        form = fold_mention(name.rpartition("/")[2]).strip()
        if named := self._finder.of(form):
            if named[0].alias:
                titles = (one for other in self._parts[form] - {form} for one in self._finder.of(other))
                is_unclear = "/" in name or any(one.path != named[0].path for one in titles)
                return self._mean([form], "“{}” is an alias of it", DOUBTFUL_CONFIDENCE if is_unclear else 0.95)
            return self._mean([form], "it has this name in another folder", 0.93)
        if form in self._initials:
            return self._mean([self._initials[form]], "these are the initials of “{}”", DOUBTFUL_CONFIDENCE)
        key = fold_letters(form)
        confidence = 0.92 if len(key) > MAX_ARTICLE_LETTERS - 1 else DOUBTFUL_CONFIDENCE
        if key not in self._forms:
            key, confidence = self._find_misspelt(form, key)
        meant = self._mean(self._forms[key], "its name is almost the same: “{}”", confidence) if key else None
        # An alias says how a person spells a name that may mean the note: another spelling may mean something else.
        return replace(meant, confidence=DOUBTFUL_CONFIDENCE) if meant and meant.by_alias else meant

    def _find_misspelt(self, form: str, key: str) -> tuple[str, float]:
        alike = process.extract(key, self._forms.keys(), scorer=fuzz.ratio, score_cutoff=MIN_LIKENESS - MIN_LEAD)
        for other, score, _ in alike:
            if score >= MIN_LIKENESS and _is_misspelt(form, self._forms[other][0]):
                is_slip = (
                    score >= MIN_SLIP_LIKENESS
                    and len(key) >= MIN_SLIP_CHARS
                    and all(score - next_ >= MIN_LEAD for name, next_, _ in alike if name != other)
                    # Another ending makes another word.
                    and key[-2:] == other[-2:]
                    and bool(find_mistyped(key, [other], 1))
                )
                return other, round(0.8 + (score - MIN_SLIP_LIKENESS) / 100, 2) if is_slip else DOUBTFUL_CONFIDENCE
        return "", 0.0

    def _mean(self, forms: Sequence[str], why: str, confidence: float) -> MeantNote:
        found = [name for form in forms for name in self._finder.of(form)]
        if len({name.path for name in found}) > 1:
            confidence = DOUBTFUL_CONFIDENCE
        return MeantNote(found[0].path, why.format(found[0].text), confidence, found[0].alias)


_BRACKETS: Final = re.compile(r"[()\uff08\uff09]")
_ABBREVIATION: Final = re.compile(r"(.+)[(\uff08](\w{2,8})[)\uff09]")


def abbreviation_of(name: str) -> str | None:
    """Return the initials that a name has in brackets at its end, such as `PoS` of `Proof of Stake (PoS)`."""
    found = _ABBREVIATION.fullmatch(name.strip())
    if found is None:
        return None
    initials = "".join(word[0] for word in words_of(found[1]))
    return found[2] if fold_case(found[2]) == fold_case(initials) else None


def _is_misspelt(one: str, other: str) -> bool:
    """Return whether names differ by slips: not by a number, nor by the beginning of a word, which makes it another."""
    if step_between(one, other) is not None:
        return False
    words, others = words_of(one), words_of(other)
    left, right = [word for word in words if word not in others], [word for word in others if word not in words]
    if len(left) != len(right):
        return all(len(word) <= MAX_ARTICLE_LETTERS for word in (*left, *right))
    pairs = zip(left, right, strict=True)
    return all(mine[0] == yours[0] and are_alike(mine, yours) for mine, yours in pairs)
