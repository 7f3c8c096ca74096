"""The link targets in a note and its own links, read with no more work than an edit needs."""

import re
from dataclasses import dataclass
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.edit.draft import open_draft
from bridge.markdown.frontmatter import read_frontmatter
from bridge.markdown.links import read_links
from bridge.markdown.note import Heading, Link
from bridge.types import VaultPath

_BLOCK: Final = re.compile(r"(?:^|[ \t])\^([A-Za-z0-9-]+)[ \t]*\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Contents:
    """The headings, block ids and links of a note."""

    headings: tuple[Heading, ...] = ()
    blocks: frozenset[str] = frozenset()
    """Block ids in lower case, without `^`."""
    links: tuple[Link, ...] = ()


def read_contents(path: VaultPath, data: bytes) -> Contents:
    """Read the headings, block ids and links of a note; returns none for a file that cannot be edited."""
    try:
        draft = open_draft(path, data)
    except InvalidArguments:
        return Contents()
    head = draft.text[: draft.body]
    # YAML is slow, and most properties hold no link.
    front = read_frontmatter(draft.text, draft.lines).links if "[[" in head or "](" in head else ()
    return Contents(
        draft.headings,
        frozenset(block.lower() for block in _BLOCK.findall(draft.text)),
        (*front, *read_links(draft.text, draft.body, draft.structure, draft.lines)),
    )
