"""Checks that the text around an edit keeps its meaning."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.edit.draft import EditedText, TextDraft
from bridge.markdown.structure import Part
from bridge.records import Record

_FENCE: Final = re.compile(r"`{3,}|~{3,}")
_SIGN: Final = re.compile(r"^(?:%%|\$\$)", re.MULTILINE)
_PREFIX: Final = " \t>"
_RAW_HTML: Final = (
    (re.compile(r"<!--"), re.compile(r"-->"), "an HTML comment"),
    (
        re.compile(r"<(?:pre|script|style|textarea)(?=[\s>]|\Z)", re.IGNORECASE),
        re.compile(r"</(?:pre|script|style|textarea)>", re.IGNORECASE),
        "HTML",
    ),
    (re.compile(r"<\?"), re.compile(r"\?>"), "HTML"),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>"), "HTML"),
)
"""Beginnings and ends of HTML that blank lines do not end (CommonMark 0.31, 4.6)."""


class UnclosedMarkup(Record):
    """A place where something is opened and never closed."""

    offset: int
    what: str
    hides: bool
    """Whether it swallows everything to the end of the note."""


def find_unclosed(draft: TextDraft) -> Iterator[UnclosedMarkup]:
    """Yield what a note opens and never closes: code, comments, raw HTML and formulas."""
    text = draft.text
    for part in draft.structure.parts:
        if part.kind == "fence" and is_unclosed_fence(text, part):
            yield UnclosedMarkup(part.start, "a code block", part.depth == 0)
        elif part.kind == "html":
            for opens, closes, what in _RAW_HTML:
                if opens.match(text, part.start) and not closes.search(text, part.start):
                    yield UnclosedMarkup(part.start, what, part.depth == 0)
    yield from unpaired_signs(draft)


def is_unclosed_fence(text: str, part: Part) -> bool:
    opening = _FENCE.match(text, part.start)
    if opening is None:
        return False
    last = text[part.start : part.end].rpartition("\n")[2].strip(_PREFIX + "\r")
    sign = opening[0]
    alone = "\n" not in text[part.start : part.end]
    return alone or len(last) < len(sign) or last.strip(sign[0]) != ""


def unpaired_signs(draft: TextDraft) -> Iterator[UnclosedMarkup]:
    formulas: list[int] = []
    for found in _SIGN.finditer(draft.text, draft.body):
        offset = found.start()
        index = bisect_right(draft.comments, offset, key=itemgetter(0))
        if draft.structure.covers(offset) or (index and offset < draft.comments[index - 1][1]):
            continue
        if found[0] == "%%":
            yield UnclosedMarkup(offset, "a comment", hides=True)
        else:
            formulas.append(offset)
    # The parser sees a formula with a blank line in it as two halves.
    if len(formulas) % 2:
        yield UnclosedMarkup(formulas[-1], "a formula", hides=False)


_HOLDING_KINDS = frozenset({"quote", "item", "footnote", "table"})
"""Kinds of parts that may grow when something is added to them."""


def require_closed(text: TextDraft) -> None:
    """Check that a caller's text would not swallow what comes after it."""
    for opening in find_unclosed(text):
        if opening.hides:
            raise InvalidArguments(
                f"The text opens {opening.what} that it does not close, which would swallow the text below.",
                hint="Close it in the text.",
            )


def verify_edit(before: TextDraft, after: TextDraft, made: EditedText) -> InvalidArguments | None:
    """Return an error if an edit would change the meaning of the rest of a note, else None."""
    untouched = made.changes[0].start >= before.body
    if before.text.strip() and untouched and property_text(after) != property_text(before):
        return InvalidArguments(
            "The text would be read as the note's properties.", hint="Use `set_properties`, or `***` for a line."
        )
    for opening in find_unclosed(before):
        if (
            opening.hides
            and opening.offset < made.changes[-1].start
            and not made.is_touched(opening.offset, opening.offset + 1)
        ):
            line = before.lines.at(opening.offset)
            return InvalidArguments(
                f"Line {line} opens {opening.what} that is never closed, which would swallow text inserted below it.",
                hint="Close it first, with `replace_lines`.",
            )
    known = {part_key(part) for part in list_parts(after)}
    for part in list_parts(before):
        moved = Part(part.kind, made.map_offset(part.start), made.map_offset(part.end - 1) + 1, part.depth, part.level)
        if not is_touched(part, made) and part_key(moved) not in known:
            line = before.lines.at(part.start)
            return InvalidArguments(
                f"With this text line {line} of `{before.path}` would change its meaning in Markdown.",
                hint="Indent the text less, or replace the lines around it with `replace_lines`.",
            )
    return None


def property_text(draft: TextDraft) -> str:
    return draft.text[: draft.body].rstrip()


def is_touched(part: Part, made: EditedText) -> bool:
    """Return whether a part was changed; for one that contains others, whether its start was."""
    return made.is_touched(part.start, part.start + 1 if part.kind in _HOLDING_KINDS else part.end)


def list_parts(draft: TextDraft) -> list[Part]:
    """Return the parts of a note, comments included; lists are represented by their items."""
    comments = [Part("html", start, end, 0, -1) for start, end in draft.comments]
    return [part for part in draft.structure.parts if part.kind != "list"] + comments


def part_key(part: Part) -> tuple[object, ...]:
    return part.kind, part.start, None if part.kind in _HOLDING_KINDS else part.end, part.depth, part.level
