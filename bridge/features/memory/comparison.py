"""Compares memories: whether one says the same as another, nearly the same, or the contrary."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from bridge.features.memory.memory_names import name_key
from bridge.features.memory.memory_note import Memory
from bridge.records import dataclass
from bridge.text.fold import fold_case
from bridge.text.overlap import find_overlaps
from bridge.text.scripts import is_latin
from bridge.text.stems import STOP_WORDS, stem_words
from bridge.text.words import words_of
from bridge.types import VaultPath

NEARLY_SAME: Final = 0.8
"""The share from which two memories say nearly the same."""

SAME_SUBJECT: Final = 0.5
"""The share from which two memories about the same thing are about the same side of it."""

MAX_VALUE_WORDS: Final = 2
"""Words that another value may take."""

STATEMENTS: Final = frozenset({"fact", "decision", "plan", "preference", "instruction", "persona"})
"""Kinds of which two with one title contradict each other: a decision may revoke a plan."""

_NEGATIONS: Final = frozenset(
    "not no never none nothing cannot without nicht kein keine keinen nie ohne pas jamais sans non ne".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a text relates to that of a memory."""

    share: float
    """How much they have in common, from 0 to 1."""
    contrary: bool
    """Whether they give different values for the same thing."""


def text_digest(text: str) -> str:
    """Return a digest that two texts share when they differ in case and spaces only."""
    return hashlib.sha256(" ".join(fold_case(text).split()).encode("utf-8", "replace")).hexdigest()[:16]


def compare_statements(new: Memory, text: str, others: Mapping[VaultPath, tuple[Memory, str]]) -> list[Comparison]:
    """Compare a new memory with existing ones."""
    own, digest, negates = _content(text), text_digest(text), _negates(text)
    overlaps = dict(find_overlaps(text, {path: other for path, (_, other) in others.items()}))

    def compare(old: Memory, old_text: str, overlap: float) -> Comparison:
        other = _content(old_text)
        dice = 2 * (own & other).total() / max(1, own.total() + other.total())
        share = max(dice, overlap)
        if not _share_scope(new, old):
            return Comparison(share, contrary=False)
        same_title = name_key(new.title) == name_key(old.title) != ""
        if same_title and STATEMENTS.issuperset((new.kind, old.kind)):
            return Comparison(share, contrary=digest != text_digest(old_text))
        same_subject = same_title or bool(_subjects(new) & _subjects(old))
        denies = negates != _negates(old_text)
        differs = dice >= SAME_SUBJECT and (denies or _is_value(own - other, other - own))
        return Comparison(share, contrary=(same_subject and differs) or (share >= NEARLY_SAME and denies))

    return [compare(old, old_text, overlaps.get(path, 0.0)) for path, (old, old_text) in others.items()]


def says_no_more(text: str, other: str) -> bool:
    """Return whether a text has no word that another lacks, and denies what the other denies."""
    return not _content(text) - _content(other) and _negates(text) == _negates(other)


def _content(text: str) -> Counter[str]:
    words = [word for word in words_of(text) if word not in STOP_WORDS]
    latin = [word for word in words if is_latin(word)]
    return Counter([*stem_words("english", latin), *(word for word in words if not is_latin(word))])


def _is_value(new: Counter[str], old: Counter[str]) -> bool:
    if any(map(_has_digit, new)) and any(map(_has_digit, old)):
        return True
    return 0 < new.total() <= MAX_VALUE_WORDS and 0 < old.total() <= MAX_VALUE_WORDS


def _has_digit(word: str) -> bool:
    return any(map(str.isdigit, word))


def _negates(text: str) -> bool:
    return sum(word in _NEGATIONS or word.endswith("n't") for word in words_of(text)) % 2 == 1


def _subjects(memory: Memory) -> set[str]:
    names: Iterable[str] = (*memory.aliases, *memory.about)
    return {key for key in map(name_key, names) if key}


def _share_scope(one: Memory, other: Memory) -> bool:
    return one.is_global or other.is_within(tuple(map(str.casefold, one.scope)))
