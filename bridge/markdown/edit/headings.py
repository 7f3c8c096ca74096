"""Changes the text of a heading."""

import re
from typing import Final

from bridge.errors import InvalidArguments
from bridge.markdown.decode import BOM
from bridge.markdown.edit.draft import Draft, open_draft, read_draft
from bridge.markdown.edit.places import TextEdit, normalise_newlines, splice
from bridge.markdown.edit.verify import verify_edit
from bridge.markdown.note import Heading
from bridge.text.invisible import is_line
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
    return data[: len(BOM) if data.startswith(BOM) else 0] + made.text.encode("utf-8")


def heading_text(heading: Heading, to: str) -> str:
    if not is_line(to):
        raise InvalidArguments("A heading must be one line of text.")
    block = _BLOCK_ID.search(heading.text)
    return f"{to} {block[0].lstrip()}" if block and not _BLOCK_ID.search(to) else to


def heading_edit(draft: Draft, heading: Heading, title: str) -> TextEdit:
    start, end = heading.span
    if not heading.text:
        behind = end - len(draft.text[start:end].lstrip("#"))
        return TextEdit(start, behind, f"{draft.text[start:behind]} {title}", literal=True)
    signs = 0 if "\n" in draft.text[start:end] else heading.level
    at = draft.text.index(heading.text, start + signs)
    return TextEdit(at, at + len(heading.text), title, literal=True)
