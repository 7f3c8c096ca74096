"""Applies edits to a note's bytes: all of them or none, and nothing else."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, assert_never

from msgspec.structs import replace
from rapidfuzz import fuzz, process

from bridge.errors import BlockNotFound, HeadingNotFound, Internal, InvalidArguments, TextNotFound
from bridge.markdown.blocks import read_blocks
from bridge.markdown.decode import encode_like
from bridge.markdown.edit.draft import (
    BLANK,
    EditedText,
    TextDraft,
    TextEdit,
    append_offset,
    content_end,
    content_start,
    editable_end,
    line_end,
    list_block_ids,
    normalise_newlines,
    open_draft,
    order_edits,
    read_draft,
    splice,
    trim_blank_lines,
)
from bridge.markdown.edit.headings import headings_in, highest_level, repeated_heading, shift_headings
from bridge.markdown.edit.requests import (
    AddItem,
    Append,
    Edit,
    InsertUnder,
    Prepend,
    ReplaceBlock,
    ReplaceLines,
    ReplaceSection,
    ReplaceText,
)
from bridge.markdown.edit.verify import require_closed, verify_edit
from bridge.markdown.note import BlockId, Heading
from bridge.markdown.parse import parse_structure
from bridge.markdown.sections import has_line_number
from bridge.markdown.structure import Part
from bridge.records import Record
from bridge.text.budget import cut
from bridge.text.fold import FoldedText, nfc, normalize
from bridge.text.invisible import inline, is_line
from bridge.text.lines import LineIndex
from bridge.types import Span, VaultPath

MARKER: Final = re.compile(
    r"(?P<sign>[-*+]|(?P<number>[0-9]{1,9})(?P<closing>[.)]))(?P<space>[ \t]+|(?=\r?$))", re.MULTILINE
)
BOX: Final = re.compile(r"\[[^\r\n]\](?:[ \t]+|(?=\r?$))", re.MULTILINE)


def items_of(draft: TextDraft, part: Part) -> list[Part]:
    return [
        item
        for item in draft.structure.parts
        if item.kind == "item" and item.depth == part.depth + 1 and part.start <= item.start < part.end
    ]


def is_loose(draft: TextDraft, part: Part) -> bool:
    """Return whether blank lines separate the last items of a list."""
    items = items_of(draft, part)
    if len(items) < 2:
        return False
    between = draft.text[items[-2].end : items[-1].start]
    return between.count("\n") > 1


class Margins(Record):
    """Whether to force a blank line above and below each text, even where none seems needed."""

    above: bool = False
    below: bool = False


def join_blocks(draft: TextDraft, places: Sequence[TextEdit], margins: Margins) -> EditedText:
    exact: list[TextEdit] = []
    for number, place in enumerate(places):
        last = exact[-1] if exact and exact[-1].end == place.start and exact[-1].text else None
        follows = number + 1 < len(places) and places[number + 1].start == place.end
        text = place.text and leading_breaks(draft, place, last, margins) + place.text + trailing_breaks(
            draft, place, margins, follows=follows
        )
        exact.append(TextEdit(place.start, place.end, text))
    return splice(draft.text, exact)


def leading_breaks(draft: TextDraft, place: TextEdit, last: TextEdit | None, margins: Margins) -> str:
    """Return the line breaks above a text; `last` is what another edit inserts directly above it."""
    above = last.text if last else draft.text[draft.body : place.start]
    ended = (above or draft.text[: place.start] or "\n").endswith(("\n", "\r"))
    apart = place.apart if place.apart is not None else not is_tight(draft, place, last)
    blank = (apart or margins.above) and not is_blank_line(last_line(above))
    return ("" if ended else "\n") + ("\n" if blank else "")


def trailing_breaks(draft: TextDraft, place: TextEdit, margins: Margins, *, follows: bool) -> str:
    """Return the line breaks below a text; `follows` is true when another edit inserts something directly below it."""
    below = draft.text[place.end :]
    if not below and not follows:
        # The file ending is kept; an empty file gets a complete line.
        return "\n" if draft.text[: place.end].endswith(("\n", "\r")) or not draft.text else ""
    if follows or is_blank_line(below.partition("\n")[0]):
        return "\n"
    # Lines without a blank line between them stay so, unless Markdown needs one.
    close = not is_blank_line(last_line(draft.text[draft.body : place.end])) or continues_list(draft, place)
    return "\n" if close and not margins.below else "\n\n"


def is_tight(draft: TextDraft, place: TextEdit, last: TextEdit | None) -> bool:
    """Return whether blocks go directly below what is above them, without a blank line."""
    opening = edge_kinds(place.text)[0]
    if last:
        kind, loose = edge_kinds(last.text)[1], False
    else:
        part = next((part for part in reversed(draft.tops) if part.start < place.start), None)
        if part is None or part.end < draft.body + len(draft.text[draft.body : place.start].rstrip(BLANK)):
            return False
        kind, loose = part.kind, part.kind == "list" and is_loose(draft, part)
    match kind, opening:
        case "heading", _:
            return True
        case "list", "list":
            return not loose
        case "table", "paragraph":
            return place.text.startswith("|")
        case _:
            return False


def continues_list(draft: TextDraft, place: TextEdit) -> bool:
    part = next((part for part in draft.tops if part.start >= place.end), None)
    return part is not None and part.kind == edge_kinds(place.text)[1] == "list" and not is_loose(draft, part)


def edge_kinds(text: str) -> tuple[str, str]:
    tops: list[Part] = [part for part in parse_structure(text, 0)[0].parts if part.depth == 0]
    return (tops[0].kind, tops[-1].kind) if tops else ("", "")


def last_line(text: str) -> str:
    end = len(text) - text.endswith("\n")
    return text[text.rfind("\n", 0, end) + 1 : end]


def is_blank_line(line: str) -> bool:
    return not line.strip(BLANK)


def plan_append(draft: TextDraft, edit: Append) -> TextEdit:
    end = editable_end(draft)
    return TextEdit(end, end, trim_blank_lines(edit.text, edit.op))


def plan_prepend(draft: TextDraft, edit: Prepend) -> TextEdit:
    """Add text below the properties; existing blank lines there stay between the two."""
    start = content_start(draft.text, draft.body, editable_end(draft))
    return TextEdit(start, start, trim_blank_lines(edit.text, edit.op))


_MIN_LIKENESS: Final = 75.0
_MIN_FAINT_LIKENESS: Final = 50.0
_MAX_QUOTED_CHARS: Final = 200
_MAX_SHOWN_CHARS: Final = 1_000
_MAX_LINES: Final = 3
_QUOTES: Final = str.maketrans("‘’‚‛“”„‟–—‑", "''''\"\"\"\"---")


def text_not_found(draft: TextDraft, text: str) -> TextNotFound:
    lines = draft.text.split("\n")
    first = next((line for line in text.split("\n") if line.strip()), "")
    if same := [at for at, line in enumerate(lines, 1) if first and normalise_text(first) in normalise_text(line)]:
        # Lines that are equal after normalisation are named; suggesting their text would be a guess.
        detail = (
            f"Line {same[0]} differs from it in spaces, quotes or letters"
            if "\n" not in text
            else (f"Line {same[0]} starts like it, but it goes on differently")
        )
        return TextNotFound(
            f"The text is not in {draft.path}. {detail}: {quote_line(lines, same[0])}.", count=0, near=same[:_MAX_LINES]
        )
    near = similar_lines(lines, first) or similar_lines(lines, first, _MIN_FAINT_LIKENESS)[:1]
    also = f" (then {', '.join(map(str, near[1:]))})" if near[1:] else ""
    rest = f" Most like it is line {near[0]}{also}: {quote_line(lines, near[0])}." if near else ""
    return TextNotFound(f"The text is not in {draft.path}.{rest}", count=0, near=near)


def quote_line(lines: Sequence[str], number: int) -> str:
    return f"“{cut(inline(lines[number - 1]), _MAX_QUOTED_CHARS)}”"


def similar_lines(lines: list[str], example: str, least: float = _MIN_LIKENESS) -> list[int]:
    found = process.extract(
        example[:_MAX_SHOWN_CHARS],
        [line[:_MAX_SHOWN_CHARS] for line in lines],
        scorer=fuzz.partial_ratio if len(example) < 40 else fuzz.ratio,
        score_cutoff=least,
        limit=_MAX_LINES,
    )
    return [at + 1 for line, _, at in found if line.strip()]


def normalise_text(text: str) -> str:
    """Return a text without hardly visible differences: case, kinds of spaces, quotes, dashes, Unicode forms."""
    text = normalize("NFKC", text).translate(_QUOTES)
    return re.sub(r"\s+", " ", text).strip().casefold()


def plan_replace_lines(draft: TextDraft, edit: ReplaceLines) -> TextEdit:
    """Replace whole lines with text; an empty text removes them."""
    total = max(1, draft.text.count("\n") + (not draft.text.endswith("\n")))
    first, last = edit.lines
    if not 1 <= first <= last <= total:
        raise InvalidArguments(
            f"`lines` must be a first and a last line from 1 to {total}, the lines of `{draft.path}`, not {first} to"
            f" {last}.",
            total_lines=total,
        )
    start, end = line_span(draft.text, first, last)
    text = normalise_newlines(edit.text)
    ended = draft.text[start:end].endswith("\n")
    return TextEdit(start, end, text and text.removesuffix("\n") + ("\n" if ended else ""), literal=True)


def plan_replace_text(draft: TextDraft, edit: ReplaceText) -> Sequence[TextEdit]:
    """Replace text that occurs once in the note, or every occurrence."""
    old, new = normalise_newlines(edit.old), normalise_newlines(edit.new)
    if not old:
        raise InvalidArguments("`replace_text` needs an `old` text to look for.")
    if old == new:
        raise InvalidArguments("`replace_text` has the same text for `old` and `new`; there is nothing to change.")
    spans = find_text(draft.text, old, once=not edit.all)
    if not spans:
        raise text_not_found(draft, old)
    if len(spans) > 1 and not edit.all:
        lines = [draft.lines.at(start) for start, _ in spans]
        shown = ", ".join(map(str, dict.fromkeys(lines[:8]))) + (" …" if len(lines) > 8 else "")
        where = f"line {shown}" if len({*lines}) == 1 else f"lines {shown}"
        raise TextNotFound(
            f"The text occurs {len(spans)} times in {draft.path}, in {where}.", count=len(spans), lines=lines[:50]
        )
    return [TextEdit(start, end, new, literal=True) for start, end in spans]


def find_text(text: str, needle: str, *, once: bool = False) -> list[Span]:
    """Return where a text stands, with either line break, composed or decomposed; overlapping places, too, if `once`.

    `once` means the other form only where the text does not stand as it is given.
    """
    found: list[Span] = []
    for fold in (str, nfc):
        folded, wanted = FoldedText(text, fold), fold(needle)
        pattern = re.escape(wanted).replace("\\\n", "(?:\r\n|(?<!\r)\n)")
        places = re.finditer(f"(?=({pattern}))" if once else f"({pattern})", folded.text)
        spans = ((folded.place(match.start(1)), folded.place(match.end(1))) for match in places)
        found += [span for span in spans if normalise_newlines(fold(text[slice(*span)])) == wanted]
        if found and once:
            break
    apart: list[Span] = []
    for span in sorted(found):
        if once or not apart or span[0] >= apart[-1][1]:
            apart.append(span)
    return apart


def line_span(text: str, first: int, last: int) -> Span:
    start = 0
    for _ in range(first - 1):
        start = text.index("\n", start) + 1
    end = start
    for _ in range(last - first + 1):
        end = text.find("\n", end) + 1 or len(text)
    return start, end


MAX_BLOCK_IDS: Final = 50
_QUOTE: Final = re.compile(r"[ \t]*(?:>[ \t]?)*")


def plan_replace_block(draft: TextDraft, edit: ReplaceBlock) -> TextEdit:
    block = find_block(draft, edit.block.strip().removeprefix("^"))
    start, end = line_span(draft.text, *block.lines)
    source = draft.text[start:end]
    id_ = re.compile(rf"[ \t]*\^{re.escape(block.id)}[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
    text = trim_blank_lines(edit.text, edit.op)
    # Checked before the text goes into an item or a quote, where what it leaves unclosed would swallow only the id.
    own = read_draft(draft.path, text)
    require_closed(own)
    has_id = any(one.id.lower() == block.id.lower() for one in list_block_ids(own))
    if not id_.search(source):
        # The id is below the block and stays there.
        text = fit_block(source, trim_blank_lines(id_.sub("", text), edit.op), "")
    else:
        text = fit_block(source, text, "" if has_id else f"^{block.id}")
    return TextEdit(start, end, text, apart=False)


def find_block(draft: TextDraft, block_id: str) -> BlockId:
    blocks = list_block_ids(draft)
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
        raise BlockNotFound(
            f"There is no block `^{block_id[:100]}` in {draft.path}; {some}.", blocks=ids[:MAX_BLOCK_IDS]
        )
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


def plan_insert_under(draft: TextDraft, edit: InsertUnder) -> TextEdit:
    """Add text at the end of a section's own text, or after its subsections if the text begins with a heading."""
    try:
        at, end = draft.section(edit.heading)
    except HeadingNotFound as error:
        return plan_new_section(
            draft, edit.heading, trim_blank_lines(edit.text, edit.op), error, create=edit.create_heading
        )
    heading = draft.headings[at]
    text = trim_blank_lines(edit.text, edit.op)
    own = repeated_heading(text, heading)
    if own and own.level <= heading.level:
        text = trim_blank_lines(text[own.span[1] :], edit.op)
    below = [each for each in draft.headings[at + 1 :] if each.span[0] < end]
    mine = headings_in(text)
    opens = bool(mine) and not text[: mine[0].span[0]].strip()
    if mine:
        level = highest_level(below) if below else max(highest_level(mine), heading.level + 1)
        text = shift_headings(text, level - highest_level(mine) if opens or highest_level(mine) <= heading.level else 0)
    if below and not opens:
        mine = headings_in(text)
        if mine and highest_level(mine) < below[0].level:
            raise InvalidArguments(
                f"The headings in the text would move `{below[0].text[:100]}` out of `{heading.text[:100]}`.",
                hint="Begin the text with a heading, so that it goes below the other subsections.",
            )
        end = below[0].span[0]
    start = line_end(draft.text, heading.span[1])
    where = append_offset(draft.text, start, editable_section_end(draft, start, end))
    return TextEdit(where, where, text)


def plan_new_section(draft: TextDraft, heading: str, text: str, error: HeadingNotFound, *, create: bool) -> TextEdit:
    """Add a missing heading with text: at the end of the note, or of the section that its path names."""
    if not create:
        hint = "Use one of its headings, or add this one with `create_heading`."
        raise HeadingNotFound(error.message, hint=hint, **error.facts)
    parent, _, title = heading.rpartition(" > ")
    title = title.strip().lstrip("#").strip()
    if not is_line(title):
        raise InvalidArguments("A heading must be one line of text.")
    # There are several headings of level 1, so none of them is the note's title.
    level = 1 if parent or sum(each.level == 1 for each in draft.headings) > 1 else 2
    if own := repeated_heading(text, Heading(title, level, 1, (0, 0))):
        text = trim_blank_lines(text[own.span[1] :], "text")
    mine = headings_in(text)
    made = f"{'#' * level} {title}\n\n{shift_headings(text, max(0, level + 1 - highest_level(mine))) if mine else text}"
    if parent:
        return plan_insert_under(draft, InsertUnder(heading=parent, text=made, create_heading=True))
    return plan_append(draft, Append(text=made))


def plan_replace_section(draft: TextDraft, edit: ReplaceSection) -> TextEdit:
    at, end = draft.section(edit.heading)
    heading = draft.headings[at]
    start = line_end(draft.text, heading.span[1])
    end = editable_section_end(draft, start, end)
    first, last = content_start(draft.text, start, end), content_end(draft.text, start, end)
    text = trim_blank_lines(edit.text, edit.op) if edit.text.strip(BLANK) else ""
    by = 0
    if own := repeated_heading(text, heading):
        text = text[own.span[1] :].strip(BLANK) and trim_blank_lines(text[own.span[1] :], edit.op)
        by = heading.level - own.level
    if mine := headings_in(text):
        text = shift_headings(text, by + max(0, heading.level + 1 - highest_level(mine) - by))
    if last <= first:
        first = last = append_offset(draft.text, start, end)
    if text:
        return TextEdit(first, last, text)
    # The blank line above the removed text replaces the one below it.
    return TextEdit(first, end if start < first < last else last, "")


def editable_section_end(draft: TextDraft, start: int, end: int) -> int:
    limit = editable_end(draft)
    return min(end, limit) if start <= limit else end


_MAX_LIST_NUMBER: Final = 999_999_999
"""The highest list number in Markdown."""


def plan_add_item(draft: TextDraft, edit: AddItem) -> TextEdit:
    """Add an item at the end of the last list, or start a list where there is none."""
    start, end = draft.body, editable_end(draft)
    if edit.heading is not None:
        try:
            at, _ = draft.section(edit.heading)
        except HeadingNotFound as error:
            return plan_new_section(draft, edit.heading, format_item(edit, "", "- "), error, create=edit.create_heading)
        start = line_end(draft.text, draft.headings[at].span[1])
        end = draft.headings[at + 1].span[0] if at + 1 < len(draft.headings) else max(start, end)
    lists = [part for part in draft.tops if part.kind == "list"]
    here = [part for part in lists if start <= part.start < end]
    if not here:
        sign = next_marker(draft, lists[-1])[1][0] if lists else "-"
        where = append_offset(draft.text, start, end)
        return TextEdit(where, where, format_item(edit, "", f"{sign if sign in '-*+' else '-'} "))
    item = items_of(draft, here[-1])[-1]
    where = line_end(draft.text, item.end - 1)
    margin, marker = next_marker(draft, here[-1])
    return TextEdit(where, where, format_item(edit, margin, marker), apart=is_loose(draft, here[-1]))


def next_marker(draft: TextDraft, part: Part) -> tuple[str, str]:
    items = items_of(draft, part)
    last = MARKER.match(draft.text, items[-1].start)
    line = draft.text.rfind("\n", 0, items[-1].start) + 1
    margin = draft.text[line : items[-1].start]
    if last is None:
        return margin, "- "
    space = last["space"] or " "
    if last["number"] is None:
        return margin, last["sign"] + space
    number = int(last["number"])
    before = MARKER.match(draft.text, items[-2].start) if len(items) > 1 else None
    # A list whose numbers are all equal leaves the counting to Markdown.
    step = 0 if before and before["number"] == last["number"] else 1
    return margin, f"{min(number + step, _MAX_LIST_NUMBER)}{last['closing']}{space}"


def format_item(edit: AddItem, margin: str, marker: str) -> str:
    """Format the item: a marker or box in the caller's text is not doubled; further lines are indented below it."""
    lines = trim_blank_lines(edit.text, edit.op).split("\n")
    first = lines[0].lstrip()
    if own := MARKER.match(first):
        first = first[own.end() :]
    box = "[ ] " if edit.task and not BOX.match(first) else ""
    inner = "\t" if "\t" in marker else " " * len(marker)
    rest = [line if is_blank_line(line) else margin + inner + line for line in lines[1:]]
    return "\n".join([margin + marker + box + first, *rest])


def apply_edits(path: VaultPath, data: bytes, edits: Sequence[Edit]) -> bytes:
    """Apply edits to a note; every byte that no edit concerns stays."""
    draft = open_draft(path, data)
    places = order_edits(draft, [plan_edit(draft, edit) for edit in edits])
    exact = splice(draft.text, [place for place in places if place.literal])
    blocks = [
        TextEdit(exact.map_offset(place.start), exact.map_offset(place.end), place.text, apart=place.apart)
        for place in places
        if not place.literal
    ]
    text = insert_blocks(read_draft(path, exact.text) if exact.changes else draft, blocks) if blocks else exact.text
    return encode_like(data, text)


def is_replacement(edit: Edit) -> bool:
    """Return whether an edit removes something, so that its caller must have seen it."""
    return isinstance(edit, ReplaceSection | ReplaceBlock | ReplaceLines | ReplaceText)


def uses_line_numbers(edit: Edit) -> bool:
    match edit:
        case ReplaceLines():
            return True
        case InsertUnder() | ReplaceSection() | AddItem():
            return edit.heading is not None and has_line_number(edit.heading)
        case _:
            return False


def insert_blocks(draft: TextDraft, places: Sequence[TextEdit]) -> str:
    """Insert blocks so that the rest of the note keeps its meaning in Markdown."""
    for place in places:
        require_closed(read_draft(draft.path, place.text))
    wrong: InvalidArguments | None = None
    for margins in (Margins(), Margins(below=True), Margins(above=True, below=True)):
        made = join_blocks(draft, places, margins)
        refusal = verify_edit(draft, read_draft(draft.path, made.text), made)
        if refusal is None:
            return made.text
        wrong = wrong or refusal
    raise wrong or Internal


def plan_edit(draft: TextDraft, edit: Edit) -> Sequence[TextEdit]:
    match edit:
        case Append():
            place = plan_append(draft, edit)
        case Prepend():
            place = plan_prepend(draft, edit)
        case InsertUnder():
            place = plan_insert_under(draft, edit)
        case ReplaceSection():
            place = plan_replace_section(draft, edit)
        case ReplaceBlock():
            place = plan_replace_block(draft, edit)
        case ReplaceLines():
            place = plan_replace_lines(draft, edit)
        case ReplaceText():
            return plan_replace_text(draft, edit)
        case AddItem():
            place = plan_add_item(draft, edit)
        case _:
            assert_never(edit)
    return (place,)


_STAMPED_ITEM: Final = re.compile(
    r"^[ \t>]*(?:[-*+]|\d+[.)])[ \t]+(?:\[.\][ \t]+)?"
    r"(?P<open>\*\*|__|\[|\(|`|)(?P<hour>\d{1,2}):\d{2}(?P<seconds>:\d{2})?(?P<half> ?[AaPp][Mm])?"
    r"(?P<close>\*\*|__|\]|\)|`|)(?P<after>[ \t]*[-–—:·|]?[ \t]+)",
    re.MULTILINE,
)
"""A list item that begins with a time."""


def stamp_items(edits: Iterable[Edit], data: bytes, now: datetime) -> tuple[Edit, ...]:
    """Return edits in which the text of each item that asks for it begins with the time."""
    return tuple(
        replace(edit, text=stamp_of(data, now) + edit.text.lstrip(), stamp=False)
        if isinstance(edit, AddItem) and edit.stamp
        else edit
        for edit in edits
    )


def stamp_of(data: bytes, now: datetime) -> str:
    found = None
    for found in _STAMPED_ITEM.finditer(data.decode("utf-8", "replace")):  # noqa: B007 - the last one
        pass
    if found is None:
        return f"**{now:%H:%M}** "
    if found["half"]:
        half = f"{now:%p}" if found["half"].strip().isupper() else f"{now:%p}".lower()
        hour = f"{now.hour % 12 or 12}"
        time = (
            f"{hour}:{now:%M}{f':{now:%S}' if found['seconds'] else ''}{' ' if found['half'][0] == ' ' else ''}{half}"
        )
    else:
        hour = f"{now:%H}" if len(found["hour"]) == 2 else str(now.hour)
        time = f"{hour}:{now:%M}{f':{now:%S}' if found['seconds'] else ''}"
    return f"{found['open']}{time}{found['close']}{found['after']}"
