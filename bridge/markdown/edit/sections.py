"""Inserts and replaces text under a heading."""

from bridge.errors import HeadingNotFound, InvalidArguments
from bridge.markdown.edit.append import plan_append
from bridge.markdown.edit.draft import BLANK, Draft, append_offset, content_end, content_start, editable_end, line_end
from bridge.markdown.edit.heading_levels import headings_in, highest_level, repeated_heading, shift_headings
from bridge.markdown.edit.places import TextEdit, trim_blank_lines
from bridge.markdown.edit.requests import Append, InsertUnder, ReplaceSection
from bridge.markdown.note import Heading
from bridge.text.invisible import is_line


def plan_insert_under(draft: Draft, edit: InsertUnder) -> TextEdit:
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


def plan_new_section(draft: Draft, heading: str, text: str, error: HeadingNotFound, *, create: bool) -> TextEdit:
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


def plan_replace_section(draft: Draft, edit: ReplaceSection) -> TextEdit:
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


def editable_section_end(draft: Draft, start: int, end: int) -> int:
    limit = editable_end(draft)
    return min(end, limit) if start <= limit else end
