"""Links as written: wiki links, embeds and Markdown links, with exact spans."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from bridge.markdown.link_targets import inside_wiki
from bridge.markdown.note import Link, LinkKind
from bridge.markdown.structure import MarkdownLink, Structure
from bridge.text.lines import LineIndex

WIKI: Final = re.compile(rf"!?\[\[((?!\[){inside_wiki()}+|(?:[^\[\]\r\n]++|\](?!\]))+)\]\]")
LONGEST_LABEL: Final = 1000
"""Characters of a label that a link keeps: images nest without limit, and copying every label would be quadratic."""

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:|//")
UNESCAPED_BAR: Final = re.compile(r"(?<!\\)\|")
"""Separates the cells of a table, and the parts of a link in one."""
ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{-~])")
POINTED: Final = re.compile(r"<((?:\\.|[^<>\r\n\\])*)>")


def read_links(text: str, start: int, structure: Structure, lines: LineIndex) -> list[Link]:
    """Return the links of a text from `start` on, in order; links that leave the vault are omitted."""
    wiki = list(_wiki_links(text, start, structure, lines))
    plain = (_markdown_link(text, link, lines) for link in structure.links)
    markdown = [link for link in plain if link is not None]
    return list(_outermost(text, sorted([*wiki, *markdown], key=lambda link: link.span))) if markdown else wiki


def split_wiki(inner: str) -> tuple[str, str | None]:
    """Split the inside of `[[…]]` into its target and its displayed text."""
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
    label = text[first : min(link.label, first + LONGEST_LABEL)]
    return Link(destination, label, "markdown", lines.at(link.start), (link.start, link.end), link.image)


def _destination(inner: str) -> str:
    inner = inner.strip(" \t\r\n")
    raw = pointed[1] if (pointed := POINTED.match(inner)) else re.split(r"[ \t\r\n]", inner, maxsplit=1)[0]
    return unescape(ESCAPE.sub(r"\1", raw))


def _is_escaped(text: str, offset: int) -> bool:
    before = offset
    while before > 0 and text[before - 1] == "\\":
        before -= 1
    return (offset - before) % 2 == 1
