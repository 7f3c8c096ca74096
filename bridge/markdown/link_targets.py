"""Splits a link's target in the order in which Obsidian does."""

import re
import unicodedata
from functools import lru_cache
from urllib.parse import unquote

from bridge.markdown.note import LinkKind
from bridge.records import dataclass
from bridge.types import VaultPath

SUBPATH = re.compile(r"[#^]")
_ATTACHMENT = re.compile(r"[^/]\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,4}\Z")
SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:(?!\s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResolvedLink:
    """The resolved target of a link; `path` is None when there is no such file, `heading` reads `A > B`."""

    path: VaultPath | None
    heading: str | None = None
    block: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a target: the file (empty for the note itself), heading and block."""

    file: str
    heading: str | None
    block: str | None


def inside_wiki(but: str = "") -> str:
    """Return a pattern for a piece of the inside of `[[…]]`, in which single brackets come in pairs."""
    plain = rf"[^\[\]\r\n{but}]"
    return rf"(?:{plain}++|\[{plain}*+\])"


def fold_name(text: str) -> str:
    """Return the form in which Obsidian compares names: composed, lower case, plain spaces."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text.replace("\u00a0", " ").replace("\u202f", " ")).lower()


def is_external(target: str) -> bool:
    """Return whether a Markdown link leaves the vault: it has a scheme or a host."""
    return bool(SCHEME.match(target)) or target.startswith(("//", "\\\\"))


# The same link is in many notes, and each is resolved before and after a change.
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
    """Return the part of a link's target after the file, from `#` or `^` on; empty for a whole file."""
    cut = SUBPATH.search(target)
    return target[cut.start() :] if cut else ""


def target_file(target: str, kind: LinkKind = "wiki") -> str:
    """Return the file that a link names, as written; empty for a place in the note itself or outside the vault."""
    outside = kind == "markdown" and is_external(target.strip())
    return "" if outside else split_target(target, kind).file


def is_attachment_name(file: str) -> bool:
    """Return whether a link's file has an extension other than a note's: `Dr. Who` and `1.5` have none."""
    return _ATTACHMENT.search(file) is not None


def name_key(path: str, *, whole: bool = False) -> str:
    """Return the key shared by a file and every link that can mean it: the folded name without `.md`."""
    folded = fold_name(path)
    return (folded if whole else folded.rpartition("/")[2]).removesuffix(".md")


def percent_decode(text: str) -> str:
    """Percent-decode a text; one that is then not UTF-8 stays as written."""
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def resolve_relative(folder: str, target: str) -> str:
    """Make a folded `./` or `../` target absolute; excess `../` end at the root."""
    parts = folder.split("/") if folder else []
    while target.startswith(("./", "../")):
        if target.startswith("../"):
            parts = parts[:-1]
        target = target.partition("/")[2]
    return "/".join([*parts, target])
