"""What a text opens and never closes."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

from bridge.vault.edit.draft import Draft
from bridge.vault.structure import Part

_FENCE: Final = re.compile(r"`{3,}|~{3,}")
_SIGN: Final = re.compile(r"^(?:%%|\$\$)", re.MULTILINE)
_PREFIX: Final = " \t>"


@dataclass(frozen=True, slots=True)
class Opening:
    """Where something is opened that nothing closes."""

    offset: int
    what: str
    hides: bool
    """Whether it takes in all that follows, to the end of the note."""


def openings(draft: Draft) -> Iterator[Opening]:
    """Yield what a note opens and never closes: code, comments and formulas."""
    text = draft.text
    for part in draft.structure.parts:
        if part.kind == "fence" and is_open(text, part):
            yield Opening(part.start, "a code block", part.depth == 0)
        elif part.kind == "html" and text.startswith("<!--", part.start) and text.find("-->", part.start) < 0:
            yield Opening(part.start, "an HTML comment", part.depth == 0)
    yield from signs(draft)


def is_open(text: str, part: Part) -> bool:
    """Tell whether a fence is not closed."""
    opening = _FENCE.match(text, part.start)
    if opening is None:
        return False
    last = text[part.start : part.end].rpartition("\n")[2].strip(_PREFIX + "\r")
    sign = opening[0]
    alone = "\n" not in text[part.start : part.end]
    return alone or len(last) < len(sign) or last.strip(sign[0]) != ""


def signs(draft: Draft) -> Iterator[Opening]:
    """Yield the `%%` and `$$` that start a line and have no other half."""
    formulas: list[int] = []
    for found in _SIGN.finditer(draft.text, draft.body):
        offset = found.start()
        index = bisect_right(draft.comments, offset, key=itemgetter(0))
        if draft.structure.covers(offset) or (index and offset < draft.comments[index - 1][1]):
            continue
        if found[0] == "%%":
            yield Opening(offset, "a comment", hides=True)
        else:
            formulas.append(offset)
    # A formula with a blank line in it is two halves to the parser.
    if len(formulas) % 2:
        yield Opening(formulas[-1], "a formula", hides=False)
