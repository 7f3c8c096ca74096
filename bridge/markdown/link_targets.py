"""Takes a link's target apart, in the order in which Obsidian does."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from bridge.markdown.note import LinkKind
from bridge.types import VaultPath

SPACES = str.maketrans("\u00a0\u202f", "  ")
SUBPATH = re.compile(r"[#^]")
_ATTACHMENT = re.compile(r"[^/]\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,4}\Z")
SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:(?!\s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResolvedLink:
    """Where a link leads; `path` is None when there is no such file, `heading` reads `A > B`."""

    path: VaultPath | None
    heading: str | None = None
    block: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """A target in its parts: which file (empty: the note itself), and where in it."""

    file: str
    heading: str | None
    block: str | None


def fold(text: str) -> str:
    """Return what Obsidian compares names by: composed, lower case, plain spaces."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text.translate(SPACES)).lower()


def is_external(target: str) -> bool:
    """Say whether a Markdown link leaves the vault: it has a scheme, or a host."""
    return bool(SCHEME.match(target)) or target.startswith(("//", "\\\\"))


# Links of one text stand in many notes, and each is resolved as it was and as it will be.
@lru_cache(maxsize=4_096)
def split_target(target: str, kind: LinkKind = "wiki") -> Target:
    """Split a target into file, heading and block; Markdown links are percent-decoded."""
    cut = SUBPATH.search(target)
    file, rest = (target[: cut.start()], target[cut.start() :]) if cut else (target, "")
    if kind == "markdown":
        file, rest = percent_decode(file), percent_decode(rest)
    # A `^` begins a block only at the start of a part: `#2^10` is a heading.
    parts = [part.strip() for part in rest.split("#")]
    block = next((part[1:].strip() for part in parts if part.startswith("^")), None) or None
    heading = " > ".join(part for part in parts if part and not part.startswith("^")) or None
    return Target(file.strip(), None if block else heading, block)


def target_subpath(target: str) -> str:
    """Return what a link's target says behind the file, from `#` or `^` on; empty for a whole file."""
    cut = SUBPATH.search(target)
    return target[cut.start() :] if cut else ""


def target_file(target: str, kind: LinkKind = "wiki") -> str:
    """Return the file that a link asks for, as written; empty for a place in the note itself or outside the vault."""
    outside = kind == "markdown" and is_external(target.strip())
    return "" if outside else split_target(target, kind).file


def is_attachment_name(file: str) -> bool:
    """Say whether what a link asks for has the ending of a file that is not a note: `Dr. Who` and `1.5` have none."""
    return _ATTACHMENT.search(file) is not None


def name_key(path: str, *, whole: bool = False) -> str:
    """Return what a file and every link that can mean it have in common: the folded name without `.md`.

    Args:
        path: The path of a file, or what a link asks for.
        whole: With the folders that are written.
    """
    folded = fold(path)
    return (folded if whole else folded.rpartition("/")[2]).removesuffix(".md")


def percent_decode(text: str) -> str:
    """Percent-decode; what is not UTF-8 then stays as written."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def resolve_relative(folder: str, target: str) -> str:
    """Make a folded `./` or `../` target absolute; too many `../` end at the root."""
    parts = folder.split("/") if folder else []
    while target.startswith(("./", "../")):
        if target.startswith("../"):
            parts = parts[:-1]
        target = target.partition("/")[2]
    return "/".join([*parts, target])
