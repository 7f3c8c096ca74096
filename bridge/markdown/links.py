"""Links as written: wiki links, embeds and Markdown links, with exact spans."""

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import Final, Literal
from urllib.parse import quote, unquote

from bridge.markdown.note import Link, LinkKind
from bridge.markdown.structure import MarkdownLink, Structure
from bridge.records import Record
from bridge.text.fold import normalize
from bridge.text.lines import LineIndex
from bridge.types import Span, VaultPath

SUBPATH = re.compile(r"[#^]")
_ATTACHMENT = re.compile(r"[^/]\.(?=\d*[A-Za-z])[A-Za-z0-9]{1,4}\Z")
WEB_LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\(<?https?://")
"""The beginning of a link to the web, up to its address; the group is its text."""

SCHEME = re.compile(r"[a-z][a-z0-9+.-]+:(?!\s)", re.IGNORECASE)


class ResolvedLink(Record):
    """The target of a link.

    Attributes:
        path: The file; null if unresolved, as a wiki link is with `[[` or `]]` in it.
        heading: The heading after `#`, if any, such as `A > B`.
        block: The block id after `#^`, if any.
    """

    path: VaultPath | None
    heading: str | None
    block: str | None


class Target(Record):
    """The parts of a target: the file (empty for the note itself), heading and block."""

    file: str
    heading: str | None
    block: str | None


def inside_wiki(but: str = "") -> str:
    """Return a pattern for a piece of the inside of `[[…]]`, in which single brackets come in pairs."""
    plain = rf"[^\[\]\r\n{but}]"
    return rf"(?:{plain}++|\[{plain}*+\])"


def fold_name(text: str) -> str:
    """Return the form in which Obsidian compares names: composed, lower case, plain spaces.

    A Greek `Σ` at the end of a word becomes another letter than one before `.md`: the ending is added before folding.
    """
    if text.isascii():
        return text.lower()
    return normalize("NFC", text.replace("\u00a0", " ").replace("\u202f", " ")).lower()


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


def can_name_note(file: str) -> bool:
    """Return whether a link's file may be a note: `Dr. Who` and `1.5` have no extension of another kind of file."""
    return "|" not in file and _ATTACHMENT.search(file) is None


def name_key(path: str, *, whole: bool = False) -> str:
    """Return the key shared by a file and every link that can mean it: the folded name without `.md`."""
    folded = fold_name(path).replace("ς", "σ")
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


WIKI: Final = re.compile(rf"!?\[\[((?!\[){inside_wiki()}+|(?:[^\[\]\r\n]++|\](?!\]))+)\]\]")
MAX_LABEL_CHARS: Final = 1000
"""Characters of a label that a link keeps: images nest without limit, and copying every label would be quadratic."""

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//")
UNESCAPED_BAR: Final = re.compile(r"(?<!\\)\|")
"""Separates the cells of a table, and the parts of a link in one."""
ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
POINTED_TARGET: Final = re.compile(r"<((?:\\.|[^<>\r\n\\])*)>")


def read_links(text: str, start: int, structure: Structure, lines: LineIndex) -> list[Link]:
    """Return the links of a text from `start` on, in order; links that leave the vault are omitted."""
    wiki = list(_wiki_links(text, start, structure, lines))
    plain = (_markdown_link(text, link, lines) for link in structure.links)
    markdown = [link for link in plain if link is not None]
    return list(_outermost(text, sorted([*wiki, *markdown], key=lambda link: link.span))) if markdown else wiki


def split_wiki(inner: str) -> tuple[str, str | None]:
    bar = inner.find("|", 1)
    if bar < 0:
        return inner.strip(), None
    # Inside a table the bar is written `\|`.
    return inner[:bar].removesuffix("\\").strip(), inner[bar + 1 :].strip()


def wiki_link(found: re.Match[str], line: int, kind: LinkKind | None = None) -> Link:
    embed = found[0].startswith("!")
    start, end = found.span()
    if embed and _is_escaped(found.string, start):
        embed, start = False, start + 1
    target, shown = split_wiki(found[1])
    return Link(target, shown, kind or ("embed" if embed else "wiki"), line, (start, end), embed)


def _outermost(text: str, links: list[Link]) -> Iterator[Link]:
    """Leave out what looks like a Markdown link in the name of a heading: `[[Note#[a](b)]]`."""
    inside = 0
    for link in links:
        start, end = link.span
        if link.kind == "markdown" and start < inside:
            continue
        if link.kind != "markdown" and text.find("[", start + 3, end) > 0:
            inside = end
        yield link


def is_outside(destination: str) -> bool:
    """Return whether a destination leaves the vault: a web address, a mail address, another program."""
    return _SCHEME.match(destination) is not None


def _wiki_links(text: str, start: int, structure: Structure, lines: LineIndex) -> Iterator[Link]:
    for found in WIKI.finditer(text, start, structure.end):
        bracket = found.start(1) - 2
        # Obsidian's cache has no link in `[[[a] b]]`, but one in `[[a] b]]`.
        bracketed = "]" in found[1] and "[" not in found[1] and text[bracket - 1 : bracket] == "["
        if bracketed or structure.covers(bracket) or structure.hides(bracket) or _is_escaped(text, bracket):
            continue
        if found[1].strip():
            yield wiki_link(found, lines.at(bracket))


def _markdown_link(text: str, link: MarkdownLink, lines: LineIndex) -> Link | None:
    destination = link.destination
    if "\x7f" in destination:
        destination = _destination(text[link.label + 2 : link.end - 1])
    if not destination or is_outside(destination):
        return None
    first = link.start + (2 if link.image else 1)
    label = text[first : min(link.label, first + MAX_LABEL_CHARS)]
    return Link(destination, label, "markdown", lines.at(link.start), (link.start, link.end), link.image)


def _destination(inner: str) -> str:
    inner = inner.strip(" \t\r\n")
    raw = pointed[1] if (pointed := POINTED_TARGET.match(inner)) else re.split(r"[ \t\r\n]", inner, maxsplit=1)[0]
    return unescape(ESCAPE.sub(r"\1", raw))


def _is_escaped(text: str, offset: int) -> bool:
    before = offset
    while before > 0 and text[before - 1] == "\\":
        before -= 1
    return (offset - before) % 2 == 1


Syntax = Literal["wiki", "markdown", "path"]
"""How a link is written: `[[file#place|words]]`, `[words](file#place)`, or only the path of a file."""

_BARE_TARGET: Final = re.compile(r"[^ \t\r\n]*")


class Parts(Record):
    """The parts of one link, as offsets into its markup."""

    file: Span
    """The file name; empty in a link to a place in the note itself."""
    place: Span
    """From the first `#` or `^` on; empty when the link names the whole file."""
    shown: Span | None = None


def wiki_parts(markup: str) -> Parts:
    first, last = markup.index("[[") + 2, len(markup) - 2
    bar = markup.find("|", first + 1, last)
    if bar < 0:
        return _target(markup, first, last)
    # Inside a table the bar is written `\|`.
    end = bar - 1 if markup[bar - 1] == "\\" else bar
    found = _target(markup, first, end)
    return Parts(found.file, found.place, _strip(markup, bar + 1, last))


def markdown_parts(markup: str, label: int) -> Parts:
    first = markup.index("[") + 1
    end = first + label if label < MAX_LABEL_CHARS else markup.rindex("](")
    found = destination_parts(markup, end + 2, len(markup) - 1)
    return Parts(found.file, found.place, (first, end))


def destination_parts(text: str, start: int, end: int) -> Parts:
    """Locate the parts of a Markdown destination between two offsets, with or without a title after it."""
    while start < end and text[start] in " \t\r\n":
        start += 1
    if pointed := POINTED_TARGET.match(text, start, end):
        return _target(text, *pointed.span(1))
    bare = _BARE_TARGET.match(text, start, end)
    return _target(text, start, bare.end() if bare else end)


def _target(text: str, start: int, end: int) -> Parts:
    cut = SUBPATH.search(text, start, end)
    at = cut.start() if cut else end
    return Parts(_strip(text, start, at), _strip(text, at, end))


def _strip(text: str, start: int, end: int) -> Span:
    inside = text[start:end]
    first = start + len(inside) - len(inside.lstrip())
    return first, max(first, start + len(inside.rstrip()))


_NOT_IN_WIKI: Final = re.compile(r"[|#^\\\r\n]|%%")
_PAIRED_BRACKETS: Final = re.compile(rf"{inside_wiki()}*")

NOT_IN_PLACE: Final = re.compile(r"(?:[:#|^\\\r\n\s]|%%|\[\[|\]\])+")
"""Characters not allowed in the heading part of any link."""

_NOT_IN_ADDRESS: Final = re.compile(r"[\x00-\x20%#^|<>\[\]\\\"]")
_NOT_IN_POINTED: Final = re.compile(r"[\x00-\x1f%#^|<>\\]")
_PARENTHESIS: Final = re.compile(r"[()]")
_ENCODED_LETTER: Final = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")


def percent_encode(name: str) -> str:
    return _PARENTHESIS.sub(_percent, _NOT_IN_ADDRESS.sub(_percent, name))


def find_flaw(name: str) -> str | None:
    """Return what a wiki link, which has no escapes, cannot have in the name of a file; None if it can name it."""
    if found := _NOT_IN_WIKI.search(name):
        return found[0]
    return "[" if name.startswith("[") else find_lone_bracket(name)


def find_lone_bracket(text: str) -> str | None:
    paired = _PAIRED_BRACKETS.match(text)
    return text[paired.end() if paired else 0 :][:1] or None


def wiki_file_name(way: str) -> str | None:
    """Return a file name for a wiki link; None when a wiki link cannot contain it."""
    return None if find_flaw(way) else way


def encode_destination(way: str, before: str, *, pointed: bool) -> str:
    """Write a file name for a Markdown link, encoded as the old name was."""
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
