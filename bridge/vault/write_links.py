"""Writes links as Obsidian would write new ones under the user's settings."""

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from bridge.markdown.link_parts import percent_encode, wiki_file_name
from bridge.markdown.names import Names
from bridge.markdown.note import Note
from bridge.markdown.parse import parse_structure
from bridge.types import Span, VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings

_NOT_SHOWN_IN_WIKI: Final = re.compile(r"[\[\]\r\n]")
_BRACKET: Final = re.compile(r"(?<!\\)[\[\]]")
_BAR: Final = re.compile(r"(?<!\\)\|")


def write_link(
    shown: str, target: VaultPath, source: VaultPath, names: Names, style: ObsidianSettings, *, table: bool = False
) -> str | None:
    """Write a link that shows some words; None when no link can name the target.

    A target whose name contains one of `[]|#^`, which a wiki link cannot express, gets a Markdown link.

    Args:
        shown: The words, as in the note.
        target: The note that the link names.
        source: The note that will contain the link.
        names: Every file of the vault.
        style: The user's link settings in Obsidian.
        table: Whether the link will be in a table.
    """
    link = write_wiki_link(shown, target, source, names, style) if not style.markdown_links else None
    link = link or write_markdown_link(shown, target, source, names, style)
    return _BAR.sub(r"\\|", link) if table and link else link


def write_wiki_link(
    shown: str, target: VaultPath, source: VaultPath, names: Names, style: ObsidianSettings
) -> str | None:
    """Write a wiki link; None when it cannot express the target or the words."""
    for way in link_names(target, source, names, style):
        # The ending is left out where the result resolves to the same file.
        for link_name in dict.fromkeys((way.removesuffix(".md"), way)):
            if names.resolve(link_name, source).path == target and wiki_file_name(link_name):
                if _NOT_SHOWN_IN_WIKI.search(shown):
                    return None
                return f"[[{link_name}]]" if link_name == shown else f"[[{link_name}|{shown}]]"
    return None


def write_markdown_link(
    shown: str, target: VaultPath, source: VaultPath, names: Names, style: ObsidianSettings
) -> str | None:
    """Write a Markdown link; None when it cannot express the target."""
    label = _BRACKET.sub(r"\\\g<0>", shown)
    for way in link_names(target, source, names, style):
        link_name = percent_encode(way)
        if names.resolve(link_name, source, "markdown").path == target:
            return f"[{label}]({link_name})"
    return None


def link_names(target: VaultPath, source: VaultPath, names: Names, style: ObsidianSettings) -> Iterator[str]:
    """Yield how a link could name a file, the user's preferred form first."""
    match style.new_link_format:
        case "shortest" if not names.namesakes(target):
            yield target.rpartition("/")[2]
        case "relative":
            near = posixpath.relpath(target, posixpath.dirname(source) or ".")
            yield near
            yield f"./{near}"
        case _:
            pass
    yield target
    yield f"/{target}"


def find_tables(note: Note) -> tuple[Span, ...]:
    """Return the spans of a note's tables, including those in lists and callouts."""
    structure, _ = parse_structure(note.text, note.body)
    return tuple((part.start, part.end) for part in structure.parts if part.kind == "table")
