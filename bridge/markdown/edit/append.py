"""Adds text at the start or the end of a note."""

from bridge.markdown.edit.draft import Draft, content_start, editable_end
from bridge.markdown.edit.places import TextEdit, trim_blank_lines
from bridge.markdown.edit.requests import Append, Prepend


def plan_append(draft: Draft, edit: Append) -> TextEdit:
    end = editable_end(draft)
    return TextEdit(end, end, trim_blank_lines(edit.text, edit.op))


def plan_prepend(draft: Draft, edit: Prepend) -> TextEdit:
    """Add text below the properties; existing blank lines there stay between the two."""
    start = content_start(draft.text, draft.body, editable_end(draft))
    return TextEdit(start, start, trim_blank_lines(edit.text, edit.op))
