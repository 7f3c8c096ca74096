"""The bytes of a new note."""

from collections.abc import Mapping

from bridge.markdown.edit.draft import open_draft
from bridge.markdown.edit.places import normalise_newlines
from bridge.markdown.edit.properties import edit_properties
from bridge.markdown.note import Value
from bridge.types import VaultPath


def build_note(
    path: VaultPath, text: str, properties: Mapping[str, Value] | None = None, types: Mapping[str, str] | None = None
) -> bytes:
    """Build the bytes of a new note, with LF line endings."""
    text = normalise_newlines(text).removeprefix("\ufeff")
    data = (text if not text or text.endswith("\n") else f"{text}\n").encode("utf-8")
    open_draft(path, data)
    return edit_properties(path, data, properties, (), types) if properties else data
