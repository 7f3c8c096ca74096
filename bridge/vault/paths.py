"""Decides which paths may name a file of the vault, without reading the disk."""

import os
import re
from collections.abc import Callable, Collection, Iterable
from itertools import count
from typing import Final

from bridge.errors import InvalidArguments, OutsideVault, ProtectedPath
from bridge.text.fold import nfc
from bridge.text.invisible import one_line
from bridge.types import VaultPath

MAX_PATH_CHARS = 4096
DRIVE = re.compile(r"[A-Za-z]:(?!\s)")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
SUSPECT_CHAR = re.compile("[\x00-\x1f\x7f\\\\:\ud800-\udfff]")
"""What every flaw of a path has in it, but for those that only matter on Windows."""

INVISIBLE_CHAR = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""HFS+ ignores most of these, so that `.git` with one of them in front is `.git`."""

_SURROGATE = re.compile("[\ud800-\udfff]")
WINDOWS = os.name == "nt"
DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)", re.IGNORECASE)


def is_hidden(path: str) -> bool:
    """Return whether a part of a path begins with a dot, which hides it from Obsidian."""
    if path.startswith(".") or "/." in path:
        return True
    if path.isascii() or INVISIBLE_CHAR.search(path) is None:
        return False
    return any(INVISIBLE_CHAR.sub("", part).startswith(".") for part in path.split("/"))


def at_or_below(places: Collection[str], paths: Iterable[VaultPath]) -> set[VaultPath]:
    """Return those paths that are among the places or inside one; everything is inside the root, which is empty."""
    clean = {place.strip("/") for place in places}
    if "" in clean:
        return set(paths)
    return {path for path in paths if path in clean or any(folder in clean for folder in parents(path))}


def parents(path: str) -> list[str]:
    """Return the folders around a path, outermost first."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts))]


def find_flaw(path: str, *, windows: bool = WINDOWS) -> str | None:
    """Return why a relative path is invalid on some system that a vault may sync to, or None."""
    return _find_flaw(path, windows=windows) if windows or SUSPECT_CHAR.search(path) else None


def _find_flaw(path: str, *, windows: bool) -> str | None:
    if CONTROL.search(path):
        return "has a control character"
    if "\\" in path:
        return "has a `\\`"
    if DRIVE.match(path) or (windows and ":" in path):
        return "reads as a drive or a stream of Windows"
    if windows and any(DEVICE.match(part) or part.endswith((".", " ")) for part in path.split("/")):
        return "is a name that Windows keeps for itself"
    if not is_utf8(path):
        return "is not valid Unicode"
    return None


def vault_path(path: str) -> VaultPath:
    if not path:
        raise InvalidArguments("The path is empty.", hint=OutsideVault.hint)
    if len(path) > MAX_PATH_CHARS:
        raise InvalidArguments(f"The path is longer than {MAX_PATH_CHARS} characters.")
    if not is_utf8(path):
        raise InvalidArguments("The path is not valid Unicode.")
    if path.startswith("/"):
        raise OutsideVault(f"`{display_path(path)}` is absolute.")
    if why := find_flaw(path):
        raise OutsideVault(f"`{display_path(path)}` {why}.")
    parts = [part for part in nfc(path).split("/") if part not in ("", ".")]
    if ".." in parts:
        raise OutsideVault(f"`{display_path(path)}` contains `..`.")
    if not parts:
        raise InvalidArguments(f"`{display_path(path)}` is the vault itself.", hint=OutsideVault.hint)
    clean = "/".join(parts)
    if is_hidden(clean):
        raise ProtectedPath(f"`{display_path(path)}` is hidden: it belongs to Obsidian or to another program.")
    return VaultPath(clean)


def is_utf8(path: str) -> bool:
    return path.isascii() or _SURROGATE.search(path) is None


def display_path(path: str) -> str:
    """Return a path for use in a message: short, and without characters that a terminal would act on."""
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in path[:200])
    return text if len(path) <= 200 else f"{text}…"


MAX_NAME_BYTES: Final = 180
"""Bytes of a name, so that a number and an extension fit in what disks allow."""

_REFUSED_CHARS: Final = re.compile(r'[\\/:*?"<>|#^\[\]%\x00-\x1f\x7f]+')
"""What some system or a link cannot have in a name."""
_REFUSED_INSIDE: Final = re.compile(rf"(?<=[({{«“‘]){_REFUSED_CHARS.pattern}|{_REFUSED_CHARS.pattern}(?=[)}}»”’])")
"""Such characters next to a bracket, which need no space in their place."""


def clean_name(title: str) -> str:
    """Return what of a title any system and any link takes within a file name; it may be empty."""
    name = " ".join(_REFUSED_CHARS.sub(" ", _REFUSED_INSIDE.sub("", nfc(one_line(title)))).split()).strip(". ")
    return name.encode("utf-8", "ignore")[:MAX_NAME_BYTES].decode("utf-8", "ignore").strip(". ")


def file_name_for(title: str, is_taken: Callable[[str], bool], *, default: str) -> str:
    """Return a file name without extension that any system and any link takes, with a number if it is taken."""
    name = clean_name(title) or default
    if DEVICE.match(name):
        name = f"{default} {name}"
    return next(one for number in count(1) if not is_taken(one := name if number == 1 else f"{name} {number}"))
