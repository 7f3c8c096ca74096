"""The block of YAML in a policy's note: its text, its place and its digest."""

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from bridge.errors import InvalidArguments
from bridge.records import dataclass
from bridge.text.diff import split_lines
from bridge.types import Digest

TYPE: Final = "policy"
"""The property `type` of such a note, and the language of its block."""

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^\r\n`]*)")


@dataclass(frozen=True, slots=True)
class PolicyBlock:
    """The block of a note."""

    text: str
    """The YAML, with LF between lines."""
    line: int
    """The line of the note before its first, so that line 1 of the text is line `line + 1`."""

    @property
    def digest(self) -> Digest:
        """What a person approves: the SHA-256 of its text, whatever its line ends."""
        return block_digest(self.text)


def block_digest(text: str) -> Digest:
    """Return the digest of a block's text."""
    plain = "\n".join(line.rstrip("\r") for line in text.rstrip("\r\n").split("\n"))
    return Digest(hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest())


def find_block(text: str) -> PolicyBlock:
    """Return the only policy in a note's text.

    Raises:
        InvalidArguments: There is none, there are several, or it is never closed.
    """
    found = list(_blocks(text))
    if len(found) != 1:
        how_many = f"{len(found)} blocks" if found else "no block"
        raise InvalidArguments(
            f"The note has {how_many} of code in the language `{TYPE}`, and needs exactly one.",
            hint=f"It begins with a line ```{TYPE} and ends with a line ```.",
        )
    return found[0]


def _blocks(text: str) -> Iterator[PolicyBlock]:
    """Yield the policies in a text."""
    fence, language, begins, since, at = "", "", 0, 0, 0
    for number, line in enumerate(split_lines(text), 1):
        found = _FENCE.match(line)
        if not fence and found:
            fence, language = found[1], found[2].strip().casefold()
            begins, since = at + len(line), number
        elif fence and found and found[1].startswith(fence) and not found[2].strip():
            if language == TYPE:
                yield PolicyBlock(text[begins:at].replace("\r\n", "\n"), since)
            fence = ""
        at += len(line)
    if fence and language == TYPE:
        raise InvalidArguments(
            f"The policy that begins in line {since} never ends.", hint=f"Add a line {fence} below its last line."
        )
