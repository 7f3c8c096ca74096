"""Replaces the block that an id names."""

import re
from typing import Final

from bridge.errors import BlockNotFound, InvalidArguments
from bridge.markdown.blocks import read_blocks
from bridge.markdown.edit.blank_lines import edge_kinds, is_blank_line
from bridge.markdown.edit.draft import Draft, read_draft
from bridge.markdown.edit.lists import BOX, MARKER
from bridge.markdown.edit.literal import line_span
from bridge.markdown.edit.places import TextEdit, trim_blank_lines
from bridge.markdown.edit.requests import ReplaceBlock
from bridge.markdown.edit.verify import require_closed
from bridge.markdown.note import Block
from bridge.markdown.parse import parse_structure
from bridge.text.lines import LineIndex

_SHOWN: Final = 50
_QUOTE: Final = re.compile(r"[ \t]*(?:>[ \t]?)*")


def plan_replace_block(draft: Draft, edit: ReplaceBlock) -> TextEdit:
    block = find_block(draft, edit.block.strip().removeprefix("^"))
    start, end = line_span(draft.text, *block.lines)
    source = draft.text[start:end]
    id_ = re.compile(rf"[ \t]*\^{re.escape(block.id)}[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
    text = trim_blank_lines(edit.text, edit.op)
    # Checked before the text goes into an item or a quote, where what it leaves unclosed would swallow only the id.
    require_closed(read_draft(draft.path, text))
    if not id_.search(source):
        # The id is below the block and stays there.
        text = fit_block(source, trim_blank_lines(id_.sub("", text), edit.op), "")
    else:
        text = fit_block(source, text, "" if id_.search(text) else f"^{block.id}")
    return TextEdit(start, end, text, apart=False)


def find_block(draft: Draft, block_id: str) -> Block:
    """Return the block that an id names."""
    blocks = list(read_blocks(draft.text, draft.body, draft.structure, draft.lines))
    same = [block for block in blocks if block.id.lower() == block_id.lower()]
    if len(same) > 1:
        lines = " and ".join(str(block.lines[0]) for block in same)
        raise InvalidArguments(
            f"`^{block_id}` names more than one block of `{draft.path}`, in lines {lines}.",
            hint="Replace the one that you mean with `replace_lines`.",
        )
    if not same:
        ids = [f"^{block.id}" for block in blocks]
        some = f"its blocks are {', '.join(f'`{each}`' for each in ids[:8])}" if ids else "it has none"
        raise BlockNotFound(f"There is no block `^{block_id[:100]}` in {draft.path}; {some}.", blocks=ids[:_SHOWN])
    return same[0]


def fit_block(source: str, text: str, id_: str) -> str:
    quote = _QUOTE.match(source)
    if quote and ">" in quote[0] and not text.lstrip().startswith(">"):
        inner = fit_block(source.removeprefix(quote[0]), text, id_)
        return "\n".join((quote[0] + line).rstrip() for line in inner.split("\n"))
    margin = source[: len(source) - len(source.lstrip(" \t"))]
    text = "\n".join(line.removeprefix(margin) for line in text.split("\n"))
    lines = (add_block_id(text, id_) if id_ else text).split("\n")
    if (marker := MARKER.match(source, len(margin))) and not MARKER.match(text):
        box = BOX.match(source, marker.end())
        prefix = marker[0] + (box[0] if box and not BOX.match(text) else "")
        inside = " " * len(marker[0])
        lines = [prefix + lines[0], *(line if is_blank_line(line) else inside + line for line in lines[1:])]
    return "\n".join(line if is_blank_line(line) else margin + line for line in lines)


def add_block_id(text: str, id_: str) -> str:
    match edge_kinds(text):
        case _, "paragraph" | "heading":
            inline = f"{text} {id_}"
        case "list", "list":
            # An item's id goes after its own text, above the lists in it.
            lines = text.split("\n")
            ends = (at for at, line in enumerate(lines[1:]) if is_blank_line(line) or MARKER.match(line.lstrip()))
            at = next(ends, len(lines) - 1)
            inline = "\n".join([*lines[:at], f"{lines[at]} {id_}", *lines[at + 1 :]])
        case _:
            inline = text
    ids = read_blocks(inline, 0, parse_structure(inline, 0)[0], LineIndex(inline))
    return inline if any(f"^{block.id}" == id_ for block in ids) else f"{text}\n\n{id_}"
