"""Lines and headings that recur across many notes: learnt once, frozen, left out of what is embedded."""

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Self

LEAST_NOTES = 8
"""A line in fewer notes than this is never boilerplate, so that small vaults keep what they repeat."""

LEAST_SHARE = 0.03
"""Nor is one in a smaller share of the notes."""

LEAST_LETTERS = 3
"""Shorter lines say nothing either way and cost nothing."""

_DIGITS = re.compile(r"\d+")
_MARKS = re.compile(r"^[\s>#*+\-]*(?:\[.\]\s)?")
_FRONTMATTER = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?^(?:---|\.\.\.)[ \t]*\r?$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Boilerplate:
    """What recurs in a vault. Version 0 knows nothing; each time it is learnt anew the version is another."""

    version: int = 0
    recurring: frozenset[int] = frozenset()

    @classmethod
    def empty(cls) -> Self:
        """Return what is known before anything was learnt."""
        return cls()

    @classmethod
    def learn(cls, texts: Iterable[str], version: int = 1) -> Self:
        """Find the lines that recur.

        Args:
            texts: The whole text of each note.
            version: What to call the result; greater than 0.
        """
        seen = array("Q")
        notes = 0
        for text in texts:
            notes += 1
            lines = {normalise_line(line) for line in _FRONTMATTER.sub("", text, count=1).split("\n")}
            seen.extend(fingerprint(line) for line in lines if has_letters(line))
        least = max(LEAST_NOTES, LEAST_SHARE * notes)
        return cls(version, frozenset(line for line, count in Counter(seen).items() if count >= least))

    def among(self, texts: Iterable[str]) -> Self:
        """Keep only the lines that recur among these texts too, in however small a share of them."""
        seen: Counter[int] = Counter()
        for text in texts:
            seen.update({fingerprint(line) for line in map(normalise_line, text.split("\n"))} & self.recurring)
        return type(self)(self.version, frozenset(line for line, count in seen.items() if count >= LEAST_NOTES))

    def __contains__(self, line: object) -> bool:
        """Say whether a line, as written in a note, recurs."""
        if not self.recurring or not isinstance(line, str) or len(line) < LEAST_LETTERS:
            return False
        bare = normalise_line(line)
        return has_letters(bare) and fingerprint(bare) in self.recurring

    def dumps(self) -> str:
        """Write down the lines' fingerprints."""
        return json.dumps({"version": self.version, "recurring": sorted(self.recurring)})

    @classmethod
    def loads(cls, data: str) -> Self:
        """Read what `dumps` wrote.

        Raises:
            ValueError: It is something else.
        """
        try:
            found = json.loads(data)
            return cls(int(found["version"]), frozenset(int(each) for each in found["recurring"]))
        except (KeyError, TypeError) as error:
            raise ValueError("not a list of recurring lines") from error


def normalise_line(line: str) -> str:
    """Bring a line to the form in which lines are compared: no markers, any number alike."""
    marks = _MARKS.match(line)
    bare = " ".join(line[marks.end() if marks else 0 :].split()).casefold()
    return bare if bare.isalpha() else _DIGITS.sub("0", bare)


def has_letters(line: str) -> bool:
    """Say whether a line has letters enough to matter."""
    if len(line) <= LEAST_LETTERS:
        return len(line) == LEAST_LETTERS and line.isalpha()
    # Nearly every line shows its letters at once.
    return line[:LEAST_LETTERS].isalpha() or any(
        sum(map(str.isalpha, line[:length])) >= LEAST_LETTERS for length in (8, 200)
    )


def fingerprint(line: str) -> int:
    """Name a line in 64 bits, the same in every process."""
    return int.from_bytes(blake2b(line.encode("utf-8", "replace"), digest_size=8).digest(), "little")
