"""How a link can call a file, most like the way it called it before first."""

import posixpath
from collections.abc import Iterator
from itertools import chain

from bridge.types import VaultPath
from bridge.vault import name_key


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
