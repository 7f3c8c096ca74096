"""A file's bytes as text and back, byte for byte, and as lines."""

import re
from typing import Final

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
"""Lines as other programs count them; `splitlines` also ends one at characters that stand in the midst of a line."""

_LOOKED_AT: Final = 8000


def text_of(data: bytes) -> str | None:
    """Return a file's text with its byte order mark; None when it is none.

    Bytes that are not UTF-8 become lone surrogates, of which `bytes_of` makes the same bytes again.
    """
    return None if b"\0" in data[:_LOOKED_AT] else data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Return the bytes of a file's text."""
    return text.encode("utf-8", "surrogateescape")


def lines_of(text: str) -> list[str]:
    """Return a text's lines, each with its line break."""
    return _LINE.findall(text)


def shown(text: str) -> str:
    r"""Return text as it can be sent: bytes that are not UTF-8 as `\xff`."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
