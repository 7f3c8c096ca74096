"""Lines and headings that recur across many notes: learnt once, frozen, and not embedded."""

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from hashlib import blake2b
from typing import Self
from zlib import crc32

from bridge.records import dataclass

LEAST_NOTES = 8
"""A line in fewer notes is never boilerplate, so that small vaults keep what they repeat."""

LEAST_SHARE = 0.03
"""Neither is a line in a smaller share of the notes."""

LEAST_LETTERS = 3
"""Shorter lines carry no information and cost nothing."""

LONGEST_LINE = 2_000
"""Longer lines are divided among passages, so that none of them is ever whole in one."""

_LINE = re.compile(rf"^.{{{LEAST_LETTERS},{LONGEST_LINE}}}$", re.MULTILINE)
_MARKS = re.compile(r"^[\s>#*+\-]*(?:\[.\]\s)?")
_DIGITS = re.compile(r"\d\d*")
"""Numbers; written so that the search skips to the first digit, which it does not for `\\d+`."""

_FRONTMATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """The recurring lines of a vault. Version 0 is empty; each time they are learnt, the version changes."""

    version: int = 0
    recurring: frozenset[int] = frozenset()
    first_words: frozenset[int] | None = field(default=None, compare=False)
    """Checksums of the recurring lines' first words, which rule out most lines; None after a restart."""

    @classmethod
    def empty(cls) -> Self:
        """Return the state before anything was learnt."""
        return cls()

    @classmethod
    def learn(cls, texts: Iterable[str], version: int = 1) -> Self:
        """Find the recurring lines.

        Args:
            texts: The whole text of each note.
            version: Version number of the result; greater than 0.
        """
        seen, first = array("Q"), array("L")
        notes = 0
        for text in texts:
            notes += 1
            front = _FRONTMATTER.match(text)
            lines = list(filter(has_letters, set(_lines(text, front.end() if front else 0))))
            seen.extend(map(line_hash, lines))
            first.extend(map(first_word, lines))
        least = max(LEAST_NOTES, LEAST_SHARE * notes)
        recurring = frozenset(line for line, count in Counter(seen).items() if count >= least)
        return cls(
            version, recurring, frozenset(word for line, word in zip(seen, first, strict=True) if line in recurring)
        )

    def among(self, texts: Iterable[str]) -> Self:
        """Keep only the lines that also recur among these texts, in however small a share of them."""
        seen: Counter[int] = Counter()
        for text in texts:
            seen.update({line_hash(line) for line in set(_lines(text))} & self.recurring)
        recurring = frozenset(line for line, count in seen.items() if count >= LEAST_NOTES)
        return type(self)(self.version, recurring, self.first_words)

    def __contains__(self, line: object) -> bool:
        """Return whether a line, as written in a note, recurs."""
        if not self.recurring or not isinstance(line, str) or len(line) < LEAST_LETTERS:
            return False
        line = _strip_marks(line)
        if self.first_words is not None:
            words = line.split(None, 1)
            if not words or first_word(_normalise_words(words[0])) not in self.first_words:
                return False
        bare = _normalise_words(line)
        return has_letters(bare) and line_hash(bare) in self.recurring

    def dumps(self) -> str:
        """Serialise the lines' fingerprints."""
        return json.dumps({"version": self.version, "recurring": sorted(self.recurring)})

    @classmethod
    def loads(cls, data: str) -> Self:
        """Read the output of `dumps`.

        Raises:
            ValueError: The text is something else.
        """
        try:
            found = json.loads(data)
            return cls(int(found["version"]), frozenset(int(each) for each in found["recurring"]))
        except (KeyError, TypeError) as error:
            raise ValueError("not a list of recurring lines") from error


def _lines(text: str, start: int = 0) -> Iterator[str]:
    """Yield normalised lines one by one, because a note may have a million of them, or one of a million words."""
    return (normalise_line(found[0]) for found in _LINE.finditer(text, start))


def normalise_line(line: str) -> str:
    """Normalise a line for comparison: without markers, with all numbers equal."""
    return _normalise_words(_strip_marks(line))


def _strip_marks(line: str) -> str:
    # Most lines begin with a letter, so without markers.
    return line if line[:1].isalpha() or not (marks := _MARKS.match(line)) else line[marks.end() :]


def _normalise_words(line: str) -> str:
    bare = " ".join(line.split()).casefold()
    return bare if bare.isalpha() else _DIGITS.sub("0", bare)


def first_word(line: str) -> int:
    """Return a checksum of the first word of a normalised line, the same in every process."""
    return crc32(line.partition(" ")[0].encode("utf-8", "replace"))


def has_letters(line: str) -> bool:
    """Return whether a line has enough letters to count."""
    if len(line) <= LEAST_LETTERS:
        return len(line) == LEAST_LETTERS and line.isalpha()
    # Nearly every line starts with enough letters.
    return (
        line[:LEAST_LETTERS].isalpha()
        or sum(map(str.isalpha, line[:8])) >= LEAST_LETTERS
        or sum(map(str.isalpha, line[:200])) >= LEAST_LETTERS
    )


def line_hash(line: str) -> int:
    """Return a 64-bit hash of a line, the same in every process."""
    return int.from_bytes(blake2b(line.encode("utf-8", "replace"), digest_size=8).digest(), "little")
