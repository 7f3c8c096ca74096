"""Words by which a sentence shows what it does: it sums up, gives an example, points elsewhere or goes on."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final


def read_cues(table: Path, fold: Callable[[str], str] = str) -> Mapping[str, re.Pattern[str]]:
    """Return by kind what says it in any case and language, from rows of a kind, languages and a pattern."""
    found = defaultdict[str, list[str]](list)
    for row in table.read_text(encoding="utf-8").splitlines():
        kind, _, pattern = row.split("\t")
        found[kind].append(fold(pattern))
    return {kind: re.compile("|".join(patterns), re.IGNORECASE) for kind, patterns in found.items()}


_CUES: Final = read_cues(Path(__file__).with_suffix(".tsv"))
_MAX_SUMMARY_CHARS: Final = 24
"""Characters of a heading, label or property below which an author sums up: a longer one has that as its subject."""

EXAMPLE: Final = f"(?:{_CUES['example'].pattern})"
"""What an example begins with."""

POINTS: Final = re.compile(rf"{_CUES['pointer'].pattern}|^\W*{EXAMPLE}|{EXAMPLE}\W*$", re.IGNORECASE)
"""What points at something that a summary does not show, says that a text is translated, or is an example."""

DENIES: Final = re.compile(rf"\W*(?:{_CUES['denial'].pattern})", re.IGNORECASE)
"""A sentence that takes back what was said before it."""

GOES_ON: Final = re.compile(rf"{DENIES.pattern}|\W*(?:{_CUES['continuation'].pattern})", re.IGNORECASE)
"""A sentence that begins with what was said before it."""

DEFINES: Final = re.compile(
    r"指(?![的出明定导向示引令挥])|[也又亦][称名叫]|(?:\A|[,，]\s?)(?P<subject>[^\s,，。；:：!?！？][^,，。；:：!?！？]{0,40}?)[,，]?\s?"
    r"(?:(?P<label>[:：])|就?(?<![但可总還还也于要只不])是|指|即|[也又亦][称名叫]|とは)"
)
"""A definition in scripts without spaces, with what it defines, or the beginning of one of what a note is called."""

CONJUNCTION: Final = re.compile("and|e|ed|und|et|y|i|en|och|og|oraz|és|ja|ve|și|и|і|و|or|o|oder|ou|&")
_JOINT: Final = re.compile(rf"\s+({CONJUNCTION.pattern})\s+|[、,/]|[与和]")
_JOINS_IN: Final = {
    "e": ("italian", "portuguese"),
    "y": ("spanish",),
    "i": ("polish", "catalan", "serbian"),
    "en": ("dutch",),
    "ja": ("finnish", "estonian"),
    "ve": ("turkish",),
    "o": ("italian", "spanish"),
    "ou": ("french", "portuguese"),
}
"""Conjunctions that are other words in other languages: an article, a pronoun or *in*."""


def is_summary(name: str) -> bool:
    """Return whether a heading, label or property says that what follows sums up."""
    return len(name) <= _MAX_SUMMARY_CHARS and _CUES["summary"].search(name) is not None


def split_subjects(text: str, language: str | None) -> list[str]:
    """Return what a name or a focus joins, as in *flour and water*; itself if it joins nothing."""
    parts, start = list[str](), 0
    for joint in _JOINT.finditer(text):
        if language in _JOINS_IN.get(joint[1], (language,)):
            parts.append(text[start : joint.start()])
            start = joint.end()
    return [*parts, text[start:]]
