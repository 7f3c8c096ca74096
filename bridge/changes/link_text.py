"""Writes links as the user's settings want them."""

import posixpath
import re
from collections.abc import Iterator
from typing import Final

from bridge.markdown.links import UNESCAPED_BAR, percent_encode, wiki_file_name
from bridge.markdown.names import Names
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings

_NOT_SHOWN_IN_WIKI: Final = re.compile(r"[\[\]\r\n]")
_BRACKET: Final = re.compile(r"(?<!\\)[\[\]]")


def write_link(
    shown: str, target: VaultPath, source: VaultPath, names: Names, style: ObsidianSettings, *, table: bool = False
) -> str | None:
    """Write a link that shows some words; None when no link can name the target.

    A target whose name a wiki link cannot express, such as one with `#`, gets a Markdown link.
    """
    link = write_wiki_link(shown, target, source, names, style) if not style.markdown_links else None
    link = link or write_markdown_link(shown, target, source, names, style)
    return UNESCAPED_BAR.sub(r"\\|", link) if table and link else link


def write_wiki_link(
    shown: str, target: VaultPath, source: VaultPath, names: Names, style: ObsidianSettings
) -> str | None:
    for way in link_names(target, source, names, style):
        # The ending is left out where the result resolves to the same file.
        for asked in dict.fromkeys((way.removesuffix(".md"), way)):
            if names.resolve(asked, source).path == target and wiki_file_name(asked):
                if _NOT_SHOWN_IN_WIKI.search(shown):
                    return None
                return f"[[{asked}]]" if asked == shown else f"[[{asked}|{shown}]]"
    return None


def write_markdown_link(
    shown: str, target: VaultPath, source: VaultPath, names: Names, style: ObsidianSettings
) -> str | None:
    label = _BRACKET.sub(r"\\\g<0>", shown)
    for way in link_names(target, source, names, style):
        asked = percent_encode(way)
        if names.resolve(asked, source, "markdown").path == target:
            return f"[{label}]({asked})"
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
