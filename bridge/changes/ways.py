"""How a link can call a file, most like the way it called it before first."""

import html
import posixpath
import re
from collections.abc import Iterator
from itertools import chain
from typing import Final
from urllib.parse import quote

from bridge.types import VaultPath
from bridge.vault import name_key

_NOT_IN_WIKI: Final = re.compile(r"[\[\]|#^\\\r\n]|%%")
_NOT_IN_ADDRESS: Final = re.compile(r"[\x00-\x20%#^|<>\[\]\\\"]")
_NOT_IN_POINTED: Final = re.compile(r"[\x00-\x1f%#^|<>\\]")
_PARENTHESIS: Final = re.compile(r"[()]")
_ENCODED_LETTER: Final = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")


def ways(
    asked: str, was: VaultPath, now: VaultPath, source: tuple[VaultPath, VaultPath], *, relative: bool
) -> Iterator[str]:
    """Yield how a link can call a file: in its own form, with more folders, and from the vault's root.

    Args:
        asked: How the link called it, percent-decoded.
        was: The file's path before.
        now: Its path now.
        source: The paths, before and now, of the file that has the link.
        relative: Whether links of its kind are taken to begin at their own folder.
    """
    keeps_ending = asked.lower().endswith(".md")
    for way in dict.fromkeys(chain(_own(asked, was, now, source, relative=relative), (now, f"/{now}"))):
        # The ending is left out where it was, if that leads to the same file.
        if not keeps_ending and way.lower().endswith(".md"):
            yield way[:-3]
        yield way


def _own(
    asked: str, was: VaultPath, now: VaultPath, source: tuple[VaultPath, VaultPath], *, relative: bool
) -> Iterator[str]:
    """Yield the ways of a link's own form."""
    near = posixpath.relpath(now, posixpath.dirname(source[1]) or ".")
    dotted = near if near.startswith("../") else f"./{near}"
    if asked.startswith("/"):
        yield f"/{now}"
    elif asked.startswith(("./", "../")):
        yield dotted
    elif "/" in asked and _same(asked, was):
        yield now
    elif relative and _same(posixpath.join(posixpath.dirname(source[0]), asked), was):
        yield from (near, dotted)
    else:
        parts = now.split("/")
        yield from ("/".join(parts[-count:]) for count in range(1 + asked.strip("/").count("/"), len(parts)))


def _same(one: str, other: str) -> bool:
    return name_key(one, whole=True) == name_key(other, whole=True)


def in_wiki(way: str) -> str | None:
    """Write a file's name for a wiki link; None when it cannot stand there."""
    return None if _NOT_IN_WIKI.search(way) else way


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


def _percent(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def _is_balanced(text: str) -> bool:
    depth = 0
    for each in _PARENTHESIS.findall(text):
        depth += 1 if each == "(" else -1
        if depth < 0:
            return False
    return depth == 0
