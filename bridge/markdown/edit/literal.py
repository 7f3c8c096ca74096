"""Replaces lines and text with exactly what the caller gives."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

from bridge.errors import InvalidArguments, TextNotFound
from bridge.markdown.edit.draft import Draft
from bridge.markdown.edit.places import TextEdit, normalise_newlines
from bridge.markdown.edit.requests import ReplaceLines, ReplaceText
from bridge.text.budget import cut
from bridge.text.invisible import inline
from bridge.types import Span

_ALIKE: Final = 75.0
_FAINTLY_ALIKE: Final = 50.0
_QUOTED: Final = 200
_LONGEST: Final = 1_000
_SHOWN: Final = 3
_QUOTES: Final = str.maketrans("‘’‚‛“”„‟–—‑", "''''\"\"\"\"---")


def text_not_found(draft: Draft, text: str) -> TextNotFound:
    lines = draft.text.split("\n")
    first = next((line for line in text.split("\n") if line.strip()), "")
    if same := [at for at, line in enumerate(lines, 1) if first and normalise_text(first) in normalise_text(line)]:
        # Lines that are equal after normalisation are named; suggesting their text would be a guess.
        detail = (
            f"Line {same[0]} differs from it in spaces, quotes or letters"
            if "\n" not in text
            else (f"Line {same[0]} starts like it, but it goes on differently")
        )
        return TextNotFound(
            f"The text is not in {draft.path}. {detail}: {quote_line(lines, same[0])}.", count=0, near=same[:_SHOWN]
        )
    near = similar_lines(lines, first) or similar_lines(lines, first, _FAINTLY_ALIKE)[:1]
    also = f" (then {', '.join(map(str, near[1:]))})" if near[1:] else ""
    rest = f" Most like it is line {near[0]}{also}: {quote_line(lines, near[0])}." if near else ""
    return TextNotFound(f"The text is not in {draft.path}.{rest}", count=0, near=near)


def quote_line(lines: Sequence[str], number: int) -> str:
    return f"“{cut(inline(lines[number - 1]), _QUOTED)}”"


def similar_lines(lines: list[str], example: str, least: float = _ALIKE) -> list[int]:
    from rapidfuzz import fuzz, process

    found = process.extract(
        example[:_LONGEST],
        [line[:_LONGEST] for line in lines],
        scorer=fuzz.partial_ratio if len(example) < 40 else fuzz.ratio,
        score_cutoff=least,
        limit=_SHOWN,
    )
    return [at + 1 for line, _, at in found if line.strip()]


def normalise_text(text: str) -> str:
    """Return a text without hardly visible differences: case, kinds of spaces, quotes, dashes, Unicode forms."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return re.sub(r"\s+", " ", text).strip().casefold()


def plan_replace_lines(draft: Draft, edit: ReplaceLines) -> TextEdit:
    """Replace whole lines with text; an empty text removes them."""
    total = max(1, draft.text.count("\n") + (not draft.text.endswith("\n")))
    first, last = edit.lines
    if not 1 <= first <= last <= total:
        raise InvalidArguments(
            f"`lines` must be a first and a last line from 1 to {total}, the lines of `{draft.path}`, not {first} to"
            f" {last}.",
            total_lines=total,
        )
    start, end = line_span(draft.text, first, last)
    text = normalise_newlines(edit.text)
    ended = draft.text[start:end].endswith("\n")
    return TextEdit(start, end, text and text.removesuffix("\n") + ("\n" if ended else ""), literal=True)


def plan_replace_text(draft: Draft, edit: ReplaceText) -> Sequence[TextEdit]:
    """Replace text that occurs once in the note, or every occurrence."""
    old, new = normalise_newlines(edit.old), normalise_newlines(edit.new)
    if not old:
        raise InvalidArguments("`replace_text` needs an `old` text to look for.")
    if old == new:
        raise InvalidArguments("`replace_text` has the same text for `old` and `new`; there is nothing to change.")
    spans = find_text(draft.text, old, overlapping=not edit.all)
    if not spans:
        raise text_not_found(draft, old)
    if len(spans) > 1 and not edit.all:
        lines = [draft.lines.at(start) for start, _ in spans]
        shown = ", ".join(map(str, dict.fromkeys(lines[:8]))) + (" …" if len(lines) > 8 else "")
        where = f"line {shown}" if len({*lines}) == 1 else f"lines {shown}"
        raise TextNotFound(
            f"The text occurs {len(spans)} times in {draft.path}, in {where}.", count=len(spans), lines=lines[:50]
        )
    return [TextEdit(start, end, new, literal=True) for start, end in spans]


def find_text(text: str, needle: str, *, overlapping: bool) -> list[Span]:
    unified = text.replace("\r\n", "\n") if "\n" in needle else text
    breaks: list[int] = []
    if len(unified) != len(text):
        found = text.find("\r\n")
        while found >= 0:
            breaks.append(found - len(breaks))
            found = text.find("\r\n", found + 2)
    spans: list[Span] = []
    at = unified.find(needle)
    while at >= 0:
        end = at + len(needle)
        spans.append((at + bisect_left(breaks, at), end + bisect_left(breaks, end)))
        at = unified.find(needle, at + 1 if overlapping else end)
    return spans


def line_span(text: str, first: int, last: int) -> Span:
    start = 0
    for _ in range(first - 1):
        start = text.index("\n", start) + 1
    end = start
    for _ in range(last - first + 1):
        end = text.find("\n", end) + 1 or len(text)
    return start, end
