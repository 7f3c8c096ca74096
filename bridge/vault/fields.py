"""Dataview's inline fields: `key:: value` on a line of its own, or in brackets."""

import re
from typing import Final

from bridge.vault.lines import LineIndex
from bridge.vault.note import InlineField
from bridge.vault.structure import Structure

_KEY: Final = r"[^\W_](?:[^\n\r:\[\]()`|#]|:(?!:))*?"
_LINE: Final = re.compile(
    rf"^[ \t>]*(?:(?:[-*+]|[0-9]{{1,9}}[.)])[ \t]+(?:\[.\][ \t]+)?)?([*_~=]{{0,3}}{_KEY})::(?!:)([^\r\n]*)",
    re.MULTILINE,
)
_BRACKETED: Final = re.compile(
    rf"\[({_KEY})::([^\[\]\r\n]*(?:\[\[[^\[\]\r\n]*\]\][^\[\]\r\n]*)*)\]|\(({_KEY})::([^()\r\n]*)\)"
)
_MARKS: Final = "*_~= \t"


def read_fields(text: str, start: int, structure: Structure, lines: LineIndex) -> list[InlineField]:
    """Return the inline fields of a text from `start` on, in their order."""
    if text.find("::", start) < 0:
        return []
    found = [(match.start(1), match[1], match[2]) for match in _LINE.finditer(text, start, structure.end)]
    for match in _BRACKETED.finditer(text, start, structure.end):
        key, value = (match[1], match[2]) if match[1] is not None else (match[3], match[4])
        found.append((match.start(), key, value))
    return [
        InlineField(key.strip(_MARKS), value.strip(), lines.at(at))
        for at, key, value in sorted(found)
        if not structure.covers(at)
    ]
