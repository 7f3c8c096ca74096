"""Whether what stands around an edit still means what it meant."""

from bridge.errors import InvalidArguments
from bridge.vault.edit.draft import Draft
from bridge.vault.edit.splice import Woven
from bridge.vault.edit.unclosed import openings
from bridge.vault.structure import Part

_HOLDING = frozenset({"quote", "item", "footnote", "table"})
"""What may grow by what is added to it."""


def require_closed(text: Draft) -> None:
    """Check that what comes after a caller's text would not be lost in it.

    Raises:
        InvalidArguments: The text opens what it does not close.
    """
    for opening in openings(text):
        if opening.hides:
            raise InvalidArguments(
                f"The text opens {opening.what} that it does not close; what is below would be lost in it.",
                hint="Close it in the text.",
            )


def harm(before: Draft, after: Draft, made: Woven) -> InvalidArguments | None:
    """Say what in the rest of a note an edit would change the meaning of; None when nothing.

    Args:
        before: The note without the edit.
        after: The note with it.
        made: What was changed.
    """
    untouched = made.changes[0].start >= before.body
    if before.text.strip() and untouched and properties(after) != properties(before):
        return InvalidArguments(
            "The text would be read as the note's properties.", hint="Use `set_properties`, or `***` for a line."
        )
    for opening in openings(before):
        if (
            opening.hides
            and opening.offset < made.changes[-1].start
            and not made.touched(opening.offset, opening.offset + 1)
        ):
            line = before.lines.at(opening.offset)
            return InvalidArguments(
                f"Line {line} opens {opening.what} that nothing closes; what is put below it would be lost in it.",
                hint="Close it first, with `replace_lines`.",
            )
    known = {mark(part) for part in parts_of(after)}
    for part in parts_of(before):
        if not touched(part, made) and mark(moved(part, made)) not in known:
            line = before.lines.at(part.start)
            return InvalidArguments(
                f"With this text line {line} of `{before.path}` would mean something else to Markdown.",
                hint="Indent the text less, or replace the lines around it with `replace_lines`.",
            )
    return None


def properties(draft: Draft) -> str:
    """Return a note's property block as it is written."""
    return draft.text[: draft.body].rstrip()


def touched(part: Part, made: Woven) -> bool:
    """Tell whether a part was changed; one that holds others is when its start was."""
    return made.touched(part.start, part.start + 1 if part.kind in _HOLDING else part.end)


def moved(part: Part, made: Woven) -> Part:
    """Return a part where it should be now."""
    return Part(part.kind, made.moved(part.start), made.moved(part.end - 1) + 1, part.depth, part.level)


def parts_of(draft: Draft) -> list[Part]:
    """Return what a note consists of, comments too; lists are the sum of their items."""
    comments = [Part("html", start, end, 0, -1) for start, end in draft.comments]
    return [part for part in draft.structure.parts if part.kind != "list"] + comments


def mark(part: Part) -> tuple[object, ...]:
    """Return what tells a part from others."""
    return part.kind, part.start, None if part.kind in _HOLDING else part.end, part.depth, part.level
