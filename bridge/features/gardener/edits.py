"""Edits that name the words that they replace, so that they still fit after other edits of the note."""

from bridge.changes.requests.edit_note import EditNote
from bridge.index.note import IndexedNote
from bridge.markdown.edit.requests import ReplaceText
from bridge.types import Span

MAX_CONTEXT_CHARS = 300
"""Characters around the words that are named at most."""


def replace_span(note: IndexedNote, text: str, span: Span, new: str) -> EditNote | None:
    """Return the edit that replaces a span of a note's text; None if the words around it do not tell it apart."""
    first, last = span
    line_start, line_end = text.rfind("\n", 0, first) + 1, text.find("\n", last)
    line_end = len(text) if line_end < 0 else line_end
    start, end = first, last
    while text.count(text[start:end]) > 1:
        if (start, end) == (line_start, line_end) or end - start > MAX_CONTEXT_CHARS:
            return None
        start, end = _before(text, start, line_start), _after(text, end, line_end)
    edit = ReplaceText(old=text[start:end], new=text[start:first] + new + text[last:end])
    return EditNote(path=note.path, edits=(edit,), digest=note.digest)


def _before(text: str, start: int, least: int) -> int:
    at = text.rfind(" ", least, max(least, start - 1))
    return least if at < 0 else at + 1


def _after(text: str, end: int, most: int) -> int:
    at = text.find(" ", min(most, end + 1), most)
    return most if at < 0 else at
