"""Text at the start and the end of a note."""

from bridge.markdown.edit.draft import Draft, end_of, written_start
from bridge.markdown.edit.places import Place, given
from bridge.markdown.edit.requests import Append, Prepend


def appended(draft: Draft, edit: Append) -> Place:
    """Put text at the end."""
    end = end_of(draft)
    return Place(end, end, given(edit.text, edit.op))


def prepended(draft: Draft, edit: Prepend) -> Place:
    """Put text below the properties; blank lines there stay between the two."""
    start = written_start(draft.text, draft.body, end_of(draft))
    return Place(start, start, given(edit.text, edit.op))
