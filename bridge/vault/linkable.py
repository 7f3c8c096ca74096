"""What the parts of a link can carry: which characters would end it or begin another part, and how they are written."""

import html
import re
from typing import Final
from urllib.parse import quote

NOT_IN_WIKI: Final = re.compile(r"[\[\]|#^\\\r\n]|%%")
"""Of a file's name in a wiki link, which knows no way around it."""

NOT_IN_PLACE: Final = re.compile(r"(?:[:#|^\\\r\n\s]|%%|\[\[|\]\])+")
"""Of a heading's text, in a link of any kind."""

_NOT_IN_ADDRESS: Final = re.compile(r"[\x00-\x20%#^|<>\[\]\\\"]")
_NOT_IN_POINTED: Final = re.compile(r"[\x00-\x1f%#^|<>\\]")
_PARENTHESIS: Final = re.compile(r"[()]")
_ENCODED_LETTER: Final = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")


def encoded(name: str) -> str:
    """Write a file's name for a new Markdown link."""
    return _PARENTHESIS.sub(_percent, _NOT_IN_ADDRESS.sub(_percent, name))


def in_wiki(way: str) -> str | None:
    """Write a file's name for a wiki link; None when it cannot stand there."""
    return None if NOT_IN_WIKI.search(way) else way


def in_address(way: str, before: str, *, pointed: bool) -> str:
    """Write a file's name for a Markdown link, encoded as its name was before.

    Args:
        way: The name.
        before: What stood there before.
        pointed: Whether it stands between `<` and `>`.
    """
    if pointed:
        text = _NOT_IN_POINTED.sub(_percent, way)
    elif _ENCODED_LETTER.search(before):
        text = quote(way, safe="/!$&'()*+,;=:@~-._")
    else:
        text = _NOT_IN_ADDRESS.sub(_percent, way)
    if not pointed and not _is_balanced(text):
        text = _PARENTHESIS.sub(_percent, text)
    return text if html.unescape(text) == text else text.replace("&", "%26")


def _is_balanced(text: str) -> bool:
    depth = 0
    for each in _PARENTHESIS.findall(text):
        depth += 1 if each == "(" else -1
        if depth < 0:
            return False
    return depth == 0


def _percent(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"
