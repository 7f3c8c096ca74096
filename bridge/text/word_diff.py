"""Changes within lines, word by word, for reading rather than applying."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from bridge.records import Record
from bridge.text.diff import Hunk, Piece, Row, RowKind, is_blank, merge_pieces, pieces, prefer_low, slide_pieces
from bridge.text.scripts import MARK, UNSPACED

MAX_WORDS: Final = 5_000
"""Words of a replaced block that are compared; a longer block is shown only as a whole."""

MIN_KEPT_SHARE: Final = 0.2
"""Share of its letters that a block must keep to be shown word by word."""

_LETTER: Final = f"(?![{UNSPACED}])(?:\\w|{MARK})"
_WORD: Final = f"(?:{_LETTER})+"
_TOKEN: Final = re.compile(
    r"!?\[\[[^\[\]\n]*\]\]"  # a link
    r"|https?://[^\s|<>)\]]+"
    r"|#[^\s#,.;:!?()\[\]{}|\"'`]+"  # a tag
    r"|\[.\]"  # a task's box
    r"|\^[\w-]+(?=[ \t]*\r?$)"  # a block id
    r"|\d+(?:[-.:,/]\d+)*(?!\w)"
    rf"|{_WORD}(?:['’‑-]{_WORD})*"
    r"|\r?\n"
    r"|[^\S\r\n]+"
    rf"|.(?:\u200d.|{MARK}|[\U0001f3fb-\U0001f3ff])*",  # with what combines with it
    re.MULTILINE | re.DOTALL,
)


class Run(Record):
    """Text that was kept, removed or added."""

    kind: RowKind
    text: str


def diff_runs(hunk: Hunk) -> tuple[Run, ...]:
    """Return a hunk's runs: kept and removed ones form the text before, kept and added ones the text after."""
    read: list[Run] = []
    removed = ""
    for kind, rows in groupby(hunk.rows, key=_kind):
        text = "".join(row.text for row in rows)
        if kind == "removed":
            removed = text
            continue
        read += diff_words(removed, text) if kind == "added" else [*_run_of("removed", removed), Run("same", text)]
        removed = ""
    return (*read, *_run_of("removed", removed))


def diff_words(before: str, after: str) -> tuple[Run, ...]:
    """Compare two texts word by word; texts with little in common count as replaced."""
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    whole = (*_run_of("removed", before), *_run_of("added", after))
    if max(len(old), len(new)) > MAX_WORDS:
        return whole
    found = _join_across_spaces(slide_pieces(pieces(old, new), old, new, prefer_low), old)
    letters = sum(len(word) for word in old if not is_blank(word))
    lost = sum(len(old[at]) for piece in found for at in piece.before if not is_blank(old[at]))
    if letters - lost < MIN_KEPT_SHARE * letters:
        return whole
    return tuple(_build_runs(found, old, new))


def _join_across_spaces(found: Sequence[Piece], old: Sequence[str]) -> list[Piece]:
    joined: list[Piece] = []
    for piece in found:
        if joined and all(unit == " " for unit in old[joined[-1].before.stop : piece.before.start]):
            joined[-1] = merge_pieces(joined[-1], piece)
        else:
            joined.append(piece)
    return joined


def _build_runs(found: Sequence[Piece], old: Sequence[str], new: Sequence[str]) -> Iterator[Run]:
    done = 0
    for piece in found:
        yield from _run_of("same", "".join(old[done : piece.before.start]))
        yield from _run_of("removed", "".join(old[at] for at in piece.before))
        yield from _run_of("added", "".join(new[at] for at in piece.after))
        done = piece.before.stop
    yield from _run_of("same", "".join(old[done:]))


def _run_of(kind: RowKind, text: str) -> tuple[Run, ...]:
    return (Run(kind, text),) if text else ()


def _kind(row: Row) -> RowKind:
    return row.kind
