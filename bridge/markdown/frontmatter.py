"""The property block at the top of a note: its end, and the tags, aliases and links in it."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from frontmatter.default_handlers import YAMLHandler
from msgspec import field
from yaml import MarkedYAMLError, YAMLError
from yaml.reader import ReaderError

from bridge.markdown.links import WIKI, is_outside, wiki_link
from bridge.markdown.note import Link, Tag, Value
from bridge.markdown.tags import is_tag
from bridge.markdown.yaml12 import Properties, PropertyLoader, mark_of
from bridge.records import Record
from bridge.text.lines import LineIndex
from bridge.types import Span

OBSIDIAN_PROPERTIES: Final = frozenset({"tags", "tag", "aliases", "alias", "cssclasses", "cssclass"})
"""Properties that mean something to Obsidian, which reads them in any form."""

MAX_BLOCK: Final = 256 * 1024

_OPENING: Final = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSING: Final = re.compile(r"(?:^|(?<=\r))---[ \t]*(?:\r\n|\n|\r|\Z)", re.MULTILINE)
_YAML: Final = YAMLHandler()
# `tags` and `aliases` in any case; the old singular forms only as they were written then.
_TAG_NAMES: Final = re.compile(r"tag|(?i:tags)")
_ALIAS_NAMES: Final = re.compile(r"alias|(?i:aliases)")
_MARKDOWN_LINK: Final = re.compile(r"(!?)\[([^\[\]]*)\]\((?:<([^<>]*)>|([^()\s]+))\)")


class Frontmatter(Record):
    """The contents of a note's property block; `body` is the offset after it, 0 when there is none."""

    body: int = 0
    properties: Mapping[str, Value] = field(default_factory=dict)
    tags: tuple[Tag, ...] = ()
    aliases: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    problems: tuple[str, ...] = ()


def is_tag_property(name: str) -> bool:
    return _TAG_NAMES.fullmatch(name) is not None


def cut_frontmatter(text: str) -> tuple[Span, int] | None:
    """Return the span between the `---` lines and where the body starts, or `None` when there is no block."""
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    return ((opening.end(), closing.start()), closing.end()) if closing else None


def read_frontmatter(text: str, lines: LineIndex) -> Frontmatter:
    """Read the property block of a note; an unreadable one is reported as a problem, not raised."""
    cut = cut_frontmatter(text)
    if cut is None:
        return Frontmatter()
    (start, end), body = cut
    if end - start > MAX_BLOCK:
        return Frontmatter(
            body, problems=(f"The properties are larger than {MAX_BLOCK // 1024} KiB and were not read.",)
        )
    try:
        found = load_properties(text[start:end])
    except YAMLError as error:
        return Frontmatter(body, problems=(explain_error(error, start, lines),))
    return Frontmatter(
        body,
        found.values,
        tuple(_tags(found, start, lines)),
        tuple(dict.fromkeys(_aliases(found))),
        tuple(_links(text, found, start, lines)),
        tuple(f"Property `{name}` in line {lines.at(start + at)} stands twice." for name, at in found.repeated),
    )


# A change reads the old and the new text, usually with the same properties, and YAML is slow.
@lru_cache(maxsize=4)
def load_properties(block: str) -> Properties:
    """Parse the text between the `---` lines."""
    try:
        found: Properties = _YAML.load(block, Loader=PropertyLoader)
    except ReaderError as error:
        # It counts bytes, where all other errors count characters.
        error.position = len(block.encode()[: error.position].decode(errors="ignore"))
        raise
    return found


def explain_error(error: YAMLError, start: int, lines: LineIndex) -> str:
    """Describe what is wrong with a block, and in which line of the file."""
    if isinstance(error, MarkedYAMLError) and (mark := mark_of(error)) is not None:
        line = lines.at(start + mark.index)
        return f"The properties cannot be read, line {line}: {error.problem or 'no YAML'}."
    position = getattr(error, "position", None)
    where = f", line {lines.at(start + position)}" if isinstance(position, int) else ""
    return f"The properties cannot be read{where}: {getattr(error, 'reason', 'no YAML')}."


def _texts_named(found: Properties, names: re.Pattern[str]) -> Iterator[tuple[str, int, bool]]:
    for name, items in found.items.items():
        if names.fullmatch(name) is None:
            continue
        listed = isinstance(found.values[name], list)
        for value, at in items:
            match value:
                case str():
                    yield value, at, listed
                case int() | float() if not isinstance(value, bool):
                    yield str(value), at, listed


def _tags(found: Properties, start: int, lines: LineIndex) -> Iterator[Tag]:
    for text, at, _ in _texts_named(found, _TAG_NAMES):
        for word in re.split(r"[,\s]+", text):
            name = word.removeprefix("#")
            if is_tag(name):
                yield Tag(name, lines.at(start + at))


def _aliases(found: Properties) -> Iterator[str]:
    for text, _, listed in _texts_named(found, _ALIAS_NAMES):
        for alias in [text] if listed else text.split(","):
            if alias.strip():
                yield alias.strip()


def _links(text: str, found: Properties, start: int, lines: LineIndex) -> Iterator[Link]:
    for value, (first, last) in found.linked:
        written = value.strip()
        begin, end = start + first, start + last
        at = text.find(written, begin, end)
        span = (at, at + len(written)) if at >= 0 else (begin, end)
        if (link := link_in_value(written)) is not None:
            yield Link(link.target, link.shown, "property", lines.at(span[0]), span, link.embed)


def link_in_value(value: str) -> Link | None:
    """Return the link of which a value consists, as Obsidian counts it, with places in the value; None without one."""
    written = value.strip()
    if wiki := WIKI.fullmatch(written):
        return wiki_link(wiki, 1, "property")
    plain = _MARKDOWN_LINK.fullmatch(written)
    target = (plain[3] or plain[4]) if plain else None
    if plain is None or not target or is_outside(target):
        return None
    return Link(unquote(target), plain[2], "property", 1, (0, len(written)), bool(plain[1]))
