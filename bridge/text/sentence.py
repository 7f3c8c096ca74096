"""Where sentences end, and the sentence around a place in a note."""

import re
from collections.abc import Iterator
from typing import Final

from bridge.types import Span

LONGEST: Final = 300
"""Maximum length of a quotation, in characters."""

_STOP = r"[.!?…][\"'”’»)\]*_]*\s+|[。！？．؟۔।]"
SENTENCE_END: Final = re.compile(rf"{_STOP}|\n")
"""A match may end a sentence, and ends where the next one begins."""

_PARAGRAPH_END: Final = re.compile(_STOP)
"""The same for a paragraph, whose lines may break anywhere."""

_ABBREVIATION: Final = re.compile(
    r"(?<![^\s(\[“\"'.])(?:[^\W\d_]|Ste?|Mt|Dra?|Mrs?|Ms|[Pp]rof|Hrn?|Fr|Sra?|[Ss]ig|[Dd]ott|[Ii]ng|[Aa]vv|Rev|Gen|Col"
    r"|Capt|Lt|Sgt|Nos?|Nr|[Vv]ols?|Bd|[Ff]igs?|Abb|Kap|Abs|[Pp]ag|[Ee]s|ecc|vs|etc|ca|cf|al|bzw|vgl|usw|ggf|evtl|inkl"
    r"|[Пп]роф|[Аа]кад|ул|им|стр|рис|डॉ)\.\s*$"
)
"""An end of a text at which a full stop ends no sentence: an initial, or a common abbreviation."""

_ABBREVIATED: Final = 12
"""Characters before the end of a sentence that are looked at for it."""

_ORDINAL: Final = re.compile(r"(?<!\d)\d{1,2}\.\s*$")
_ORDERED: Final = re.compile(r"(?:Jan|Jän|Feb|Mar|Mär|Apr|Mai|May|Jun|Jul|Aug|Sep|O[ck]t|Nov|De[cz]|Jahrhundert)")
"""What a number with a full stop counts although it is written with a capital: German months."""

_BEGINNING: Final = re.compile(r"[\[({*_~\"'“„«‘]*([^\W_])")
_NO_CAPITALS: Final = re.compile("[\u10d0-\u10ff]")
"""Georgian, whose letters count as small."""


def sentence_ends(text: str, span: Span, *, by_lines: bool) -> Iterator[int]:
    """Yield where the sentences of a text end and the next ones begin.

    A full stop before a digit or a small letter ends none, as in `on Oct. 13th` and `(es. la porta)`, unless what it
    ends is long: some people write without capitals.

    Args:
        text: The text.
        span: The part of it.
        by_lines: Whether a line break ends a sentence.
    """
    last, end = span
    for found in (SENTENCE_END if by_lines else _PARAGRAPH_END).finditer(text, *span):
        at = found.end()
        if text[found.start()] in ".…" and not (by_lines and "\n" in found.group()):
            before = max(last, at - _ABBREVIATED)
            if _ABBREVIATION.search(text, before, at):
                continue
            if _ORDINAL.search(text, before, at) and _ORDERED.match(text, at, end):
                continue
            if at - last <= LONGEST and _goes_on(text, at, end):
                continue
        yield at
        last = at


def _goes_on(text: str, at: int, end: int) -> bool:
    """Return whether what begins here cannot begin a sentence."""
    found = _BEGINNING.match(text, at, end)
    letter = found[1] if found else ""
    return letter.isdigit() or (letter.islower() and not _NO_CAPITALS.match(letter))


def sentence_at(text: str, span: Span) -> str:
    """Return the sentence around a place on one line, cut to its surroundings."""
    start, end = span
    first = max(text.rfind("\n", 0, start) + 1, start - LONGEST)
    line = text.find("\n", end, end + LONGEST)
    last = min(len(text), end + LONGEST) if line < 0 else line
    begin = max([first, *sentence_ends(text, (first, start), by_lines=True)])
    stop = next(sentence_ends(text, (end, last), by_lines=True), last)
    if stop - begin > LONGEST:
        room = max(0, LONGEST - (end - start)) // 2
        begin, stop = max(begin, start - room), min(stop, max(start + LONGEST, end + room))
        stop = min(stop, begin + LONGEST)
    return " ".join(text[begin:stop].split())
