"""Which names a new file may have: so that links can say them, and this and other systems can hold them."""

import re

from bridge.errors import InvalidArguments
from bridge.vault.linkable import NOT_IN_WIKI
from bridge.vault.paths import DEVICE, nfc, shown

LONGEST = 255
"""Bytes of a name that every usual disk holds."""
DEEPEST = 100
"""Folders around something new: each is opened for each that it holds, which takes half a minute for 400."""
ELSEWHERE = re.compile(r'[:*?"<>]')
"""Characters that Windows and Android refuse."""


def require_name(path: str) -> None:
    """Let only a path pass whose last part can be the name of a file and stand in a link.

    Raises:
        InvalidArguments: It cannot.
    """
    name = last(path)
    if found := NOT_IN_WIKI.search(name):
        raise InvalidArguments(
            f"`{shown(name)}` has `{found[0]}` in it, which no link can name.",
            hint="Choose a name without `[`, `]`, `|`, `#`, `^` and `%%`.",
        )
    if len(name.encode()) > LONGEST:
        raise InvalidArguments(
            f"`{shown(name)}` is longer than {LONGEST} bytes, more than a disk holds.", hint="Choose a shorter name."
        )


def require_shallow(path: str) -> None:
    """Let only a path pass that lies in so many folders that they can be held open one by one.

    Raises:
        InvalidArguments: It lies deeper.
    """
    if (folders := path.count("/")) > DEEPEST:
        raise InvalidArguments(
            f"`{shown(path)}` would lie in {folders} folders, one in the other; {DEEPEST} at most.",
            hint="Choose a place that is less deep.",
        )


def doubts(path: str) -> list[str]:
    """Say what other systems that may sync the vault have against the last part of a path."""
    name = last(path)
    found = [
        f"`{shown(name)}` has `{bad[0]}` in it: Windows and Android refuse it."
        for bad in [ELSEWHERE.search(name)]
        if bad
    ]
    if name.endswith((".", " ")):
        found.append(f"`{shown(name)}` ends with a dot or a space: Windows takes that away.")
    if DEVICE.match(name):
        found.append(f"`{shown(name)}` is a name that Windows keeps for itself.")
    return found


def twins(path: str, names: list[str]) -> list[str]:
    """Say which name of a folder's is the path's but for the case: Windows and macOS take both for one file."""
    name = last(path)
    twin = next((other for other in names if nfc(other) != name and nfc(other).casefold() == name.casefold()), None)
    return [f"`{shown(twin)}` differs in case only: Windows and macOS take both for one."] if twin else []


def last(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]
