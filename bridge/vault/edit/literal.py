"""Lines and words replaced by exactly what the caller gives."""

from bisect import bisect_left
from collections.abc import Sequence

from bridge.edits import ReplaceLines, ReplaceText
from bridge.errors import InvalidArguments, TextNotFound
from bridge.types import Span
from bridge.vault.edit.draft import Draft
from bridge.vault.edit.near import nearest
from bridge.vault.edit.places import Place, plain


def lines_replaced(draft: Draft, edit: ReplaceLines) -> Place:
    """Put text in place of whole lines; an empty one removes them.

    Raises:
        InvalidArguments: The note has no such lines.
    """
    total = max(1, draft.text.count("\n") + (not draft.text.endswith("\n")))
    first, last = edit.lines
    if not 1 <= first <= last <= total:
        raise InvalidArguments(
            f"`lines` must be a first and a last line from 1 to {total}, the lines of `{draft.path}`, not {first} to"
            f" {last}.",
            total_lines=total,
        )
    start, end = span_of(draft.text, first, last)
    text = plain(edit.text)
    ended = draft.text[start:end].endswith("\n")
    return Place(start, end, text and text.removesuffix("\n") + ("\n" if ended else ""), literal=True)


def text_replaced(draft: Draft, edit: ReplaceText) -> Sequence[Place]:
    """Put text in place of text that stands in the note once, or wherever it stands.

    Raises:
        TextNotFound: It is not there, or more than once.
        InvalidArguments: There is nothing to look for, or nothing to change.
    """
    old, new = plain(edit.old), plain(edit.new)
    if not old:
        raise InvalidArguments("`replace_text` needs an `old` text to look for.")
    if old == new:
        raise InvalidArguments("`replace_text` has the same text for `old` and `new`; there is nothing to change.")
    spans = matches(draft.text, old, overlapping=not edit.all)
    if not spans:
        raise nearest(draft, old)
    if len(spans) > 1 and not edit.all:
        lines = [draft.lines.at(start) for start, _ in spans]
        shown = ", ".join(map(str, dict.fromkeys(lines[:8]))) + (" …" if len(lines) > 8 else "")
        where = f"line {shown}" if len({*lines}) == 1 else f"lines {shown}"
        raise TextNotFound(
            f"The text stands {len(spans)} times in {draft.path}, in {where}.", count=len(spans), lines=lines[:50]
        )
    return [Place(start, end, new, literal=True) for start, end in spans]


def matches(text: str, wanted: str, *, overlapping: bool) -> list[Span]:
    """Return where a text stands that is written with LF, whatever the line breaks are where it stands."""
    unified = text.replace("\r\n", "\n") if "\n" in wanted else text
    breaks: list[int] = []
    if len(unified) != len(text):
        found = text.find("\r\n")
        while found >= 0:
            breaks.append(found - len(breaks))
            found = text.find("\r\n", found + 2)
    spans: list[Span] = []
    at = unified.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        spans.append((at + bisect_left(breaks, at), end + bisect_left(breaks, end)))
        at = unified.find(wanted, at + 1 if overlapping else end)
    return spans


def span_of(text: str, first: int, last: int) -> Span:
    """Return the characters of some lines, line ends included."""
    start = 0
    for _ in range(first - 1):
        start = text.index("\n", start) + 1
    end = start
    for _ in range(last - first + 1):
        end = text.find("\n", end) + 1 or len(text)
    return start, end
