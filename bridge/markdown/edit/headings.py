"""Changes the text of a heading."""

import re
from collections.abc import Sequence
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.blocks import read_headings
from bridge.markdown.decode import encode_like
from bridge.markdown.edit.draft import TextDraft, TextEdit, normalise_newlines, open_draft, read_draft, splice
from bridge.markdown.edit.verify import verify_edit
from bridge.markdown.note import Heading
from bridge.markdown.parse import parse_structure
from bridge.text.invisible import is_line
from bridge.text.lines import LineIndex
from bridge.types import VaultPath

_BLOCK_ID: Final = re.compile(r"(?:^|[ \t]+)\^[A-Za-z0-9-]+$")


def replace_heading(path: VaultPath, data: bytes, heading: str, to: str) -> bytes:
    """Change a heading's text; its level, closing `#`s and block id stay."""
    draft = open_draft(path, data)
    at, _ = draft.section(heading)
    old = draft.headings[at]
    title = heading_text(old, normalise_newlines(to).strip())
    made = splice(draft.text, [heading_edit(draft, old, title)])
    after = read_draft(path, made.text)
    levels = [each.level for each in after.headings] == [each.level for each in draft.headings]
    if not levels or after.headings[at].text != title or verify_edit(draft, after, made):
        raise InvalidArguments(f"No heading of `{path}` can read `{to[:100]}`.", hint="Give a plain text.")
    return encode_like(data, made.text)


def heading_text(heading: Heading, to: str) -> str:
    if not is_line(to):
        raise InvalidArguments("A heading must be one line of text.")
    block = _BLOCK_ID.search(heading.text)
    return f"{to} {block[0].lstrip()}" if block and not _BLOCK_ID.search(to) else to


def heading_edit(draft: TextDraft, heading: Heading, title: str) -> TextEdit:
    start, end = heading.span
    if not heading.text:
        behind = end - len(draft.text[start:end].lstrip("#"))
        return TextEdit(start, behind, f"{draft.text[start:behind]} {title}", literal=True)
    signs = 0 if "\n" in draft.text[start:end] else heading.level
    at = draft.text.index(heading.text, start + signs)
    return TextEdit(at, at + len(heading.text), title, literal=True)


MAX_LEVEL: Final = 6
_HASHES: Final = re.compile(r"#{1,6}(?=[ \t]|$)", re.MULTILINE)
_BLOCK_ID_AFTER_TEXT: Final = re.compile(r"[ \t]+\^[A-Za-z0-9-]+$")


def headings_in(text: str) -> tuple[Heading, ...]:
    return tuple(read_headings(text, parse_structure(text, 0)[0], LineIndex(text)))


def highest_level(headings: Sequence[Heading]) -> int:
    return min(heading.level for heading in headings)


def shift_headings(text: str, by: int) -> str:
    """Make the headings of a text deeper, or higher when `by` is negative."""
    for heading in reversed(headings_in(text) if by else ()):
        level = max(1, heading.level + by)
        if level > MAX_LEVEL:
            raise InvalidArguments(
                f"`{heading.text[:100]}` would be a heading of level {level}; Markdown has {MAX_LEVEL}.",
                hint="Use fewer levels of headings in the text.",
            )
        start, end = heading.span
        source = text[start:end]
        # An underlined heading has at most two levels, so it becomes one with `#`.
        bare = source.rpartition("\n")[0].strip() if "\n" in source else _HASHES.sub("", source, count=1).lstrip()
        text = f"{text[:start]}{'#' * level} {bare}".rstrip() + text[end:]
    return text


def repeated_heading(text: str, heading: Heading) -> Heading | None:
    """Return the heading that a text starts with if it equals the heading that the text goes under."""
    first = next(iter(headings_in(text)), None)
    if first is None or text[: first.span[0]].strip() or comparable_title(first.text) != comparable_title(heading.text):
        return None
    return first


def comparable_title(title: str) -> str:
    """Return a heading's text without its block id, for comparison."""
    return _BLOCK_ID_AFTER_TEXT.sub("", title).strip().casefold()
