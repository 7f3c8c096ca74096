"""Text under a heading."""

from bridge.errors import HeadingNotFound, InvalidArguments
from bridge.markdown.edit.append import appended
from bridge.markdown.edit.draft import BLANK, Draft, end_of, last_place, line_end, written_end, written_start
from bridge.markdown.edit.heading_levels import headings_in, highest, repeated, shifted
from bridge.markdown.edit.places import Place, given
from bridge.markdown.edit.requests import Append, InsertUnder, ReplaceSection
from bridge.markdown.note import Heading


def inserted(draft: Draft, edit: InsertUnder) -> Place:
    """Put text at the end of what stands under a heading.

    Raises:
        HeadingNotFound: No section is named so.
        AmbiguousHeading: More than one section is named so.
        InvalidArguments: The text does not fit there.
    """
    try:
        at, end = draft.section(edit.heading)
    except HeadingNotFound as error:
        return below_new(draft, edit.heading, given(edit.text, edit.op), error, create=edit.create_heading)
    heading = draft.headings[at]
    text = given(edit.text, edit.op)
    own = repeated(text, heading)
    if own and own.level <= heading.level:
        text = given(text[own.span[1] :], edit.op)
    below = [each for each in draft.headings[at + 1 :] if each.span[0] < end]
    mine = headings_in(text)
    opens = bool(mine) and not text[: mine[0].span[0]].strip()
    if mine:
        wanted = highest(below) if below else max(highest(mine), heading.level + 1)
        text = shifted(text, wanted - highest(mine) if opens or highest(mine) <= heading.level else 0)
    if below and not opens:
        mine = headings_in(text)
        if mine and highest(mine) < below[0].level:
            raise InvalidArguments(
                f"The headings in the text would take `{below[0].text[:100]}` away from `{heading.text[:100]}`.",
                hint="Begin the text with a heading, so that it goes below the other subsections.",
            )
        end = below[0].span[0]
    start = line_end(draft.text, heading.span[1])
    where = last_place(draft.text, start, end_above(draft, start, end))
    return Place(where, where, text)


def below_new(draft: Draft, heading: str, text: str, error: HeadingNotFound, *, create: bool) -> Place:
    """Put text under a heading that is missing: at the end of the note, or of the section that its path names.

    Args:
        draft: The note.
        heading: The heading, or its path as `A > B`.
        text: Blocks of Markdown.
        error: Why it is missing.
        create: Whether the caller wants it to be added.

    Raises:
        HeadingNotFound: The caller does not.
        InvalidArguments: No heading can read so.
    """
    if not create:
        hint = "Use one of its headings, or add this one with `create_heading`."
        raise HeadingNotFound(error.message, hint=hint, **error.facts)
    parent, _, title = heading.rpartition(" > ")
    title = title.strip().lstrip("#").strip()
    if not title or "\n" in title:
        raise InvalidArguments("A heading needs a text of one line.")
    # More than one at the top, and none of them is the note's title.
    level = 1 if parent or sum(each.level == 1 for each in draft.headings) > 1 else 2
    if own := repeated(text, Heading(title, level, 1, (0, 0))):
        text = given(text[own.span[1] :], "text")
    mine = headings_in(text)
    made = f"{'#' * level} {title}\n\n{shifted(text, max(0, level + 1 - highest(mine))) if mine else text}"
    if parent:
        return inserted(draft, InsertUnder(heading=parent, text=made, create_heading=True))
    return appended(draft, Append(text=made))


def replaced(draft: Draft, edit: ReplaceSection) -> Place:
    """Put text in place of all that stands under a heading.

    Raises:
        HeadingNotFound: No section is named so.
        AmbiguousHeading: More than one section is named so.
        InvalidArguments: The text does not fit there.
    """
    at, end = draft.section(edit.heading)
    heading = draft.headings[at]
    start = line_end(draft.text, heading.span[1])
    end = end_above(draft, start, end)
    first, last = written_start(draft.text, start, end), written_end(draft.text, start, end)
    text = given(edit.text, edit.op) if edit.text.strip(BLANK) else ""
    by = 0
    if own := repeated(text, heading):
        text = text[own.span[1] :].strip(BLANK) and given(text[own.span[1] :], edit.op)
        by = heading.level - own.level
    if mine := headings_in(text):
        text = shifted(text, by + max(0, heading.level + 1 - highest(mine) - by))
    if last <= first:
        first = last = last_place(draft.text, start, end)
    if text:
        return Place(first, last, text)
    # The blank line above what goes takes the place of the one below it.
    return Place(first, end if start < first < last else last, "")


def end_above(draft: Draft, start: int, end: int) -> int:
    """Return where a section ends that may be edited: above what a plugin keeps at the end."""
    kept = end_of(draft)
    return min(end, kept) if start <= kept else end
