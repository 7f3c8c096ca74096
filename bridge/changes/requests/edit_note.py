"""Changing what a note says: its text or its properties."""

from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, field

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import (
    AppendedLinks,
    ChangeKind,
    Request,
    RequestContext,
    read_unchanged,
    require_lines,
    require_own,
)
from bridge.markdown.edit.apply import apply_edits, is_replacement, stamp_items, uses_line_numbers
from bridge.markdown.edit.properties import PropertyBlock, edit_properties
from bridge.markdown.edit.requests import Edit
from bridge.text.invisible import inline
from bridge.types import EXACT_MARK, Digest, VaultPath


@ChangeKind(
    example={"path": "Bread/Starters/Sourdough starter.md", "edits": [{"op": "append", "text": "Fed again."}]},
    tasks=(
        "replace words or a paragraph",
        "add text to a note",
        "change text in a note",
        "insert under a heading",
        "replace a section, lines or words",
        "append to a note",
        "fix a typo",
    ),
    bounds={"edits": Meta(min_length=1, max_length=1_000)},
)
class EditNote(Request, tag="edit_note"):
    """Change a note's text, all edits or none; the rest stays byte for byte.

    Attributes:
        path: The note.
        edits: Such as `[{"op": "replace_text", "old": "teh", "new": "the"}]`. They refer to the note as read; none
            overlap.
        digest: Digest of the note as read; required to replace existing text.
        append_links: Add a last line with at most so many suggested links, to notes that the text names without one.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`; the error shows the differences.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        AmbiguousHeading: Several sections match; `headings` lists them.
        BlockNotFound: No such block; `blocks` lists those that exist.
        TextNotFound: The text does not occur, or occurs more than once.
    """

    path: VaultPath
    edits: tuple[Edit, ...]
    digest: Digest | None = None
    append_links: AppendedLinks = 0

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        def edit(data: bytes) -> bytes:
            return apply_edits(self.path, data, stamp_items(self.edits, data, context.now))

        data = read_unchanged(self.path, self.digest, draft, context, edit)
        if any(map(uses_line_numbers, self.edits)):
            require_lines(draft, self.path, data, self.digest)
        if self.digest is None and any(map(is_replacement, self.edits)):
            require_own(draft, self.path, data, edit, "replace text")
        draft.replace(self.path, edit(data))
        return Effect()


@ChangeKind(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "properties": {"rating": 5},
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
    },
    tasks=(
        "set the frontmatter of a note",
        "change a property",
        "add a tag or an alias to a note's properties",
        "remove a property",
        "mark a note's status",
    ),
    idempotent=True,
)
class SetProperties(Request, tag="set_properties"):
    """Set and remove properties of a note; its other lines stay as they are.

    Attributes:
        path: The note.
        digest: Digest of the note as read; a changed note is refused.
        properties: New values by name.
        remove: Properties to remove.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`; the error shows the differences.
        InvalidProperties: The properties cannot be parsed, so nothing is changed; the message names the line.
    """

    path: VaultPath
    digest: Digest | None = None
    properties: Annotated[Mapping[str, Any], EXACT_MARK] = field(default_factory=dict)
    remove: tuple[str, ...] = ()

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        def edit(data: bytes) -> bytes:
            return edit_properties(self.path, data, self.properties, self.remove, context.obsidian().property_types)

        data = read_unchanged(self.path, self.digest, draft, context, edit)
        draft.replace(self.path, changed := edit(data))
        if changed == data:
            return Effect()
        before = PropertyBlock.read(self.path, data.decode("utf-8-sig", "surrogateescape"))
        missing = [inline(name) for name in self.remove if before.spelling_of(name) not in before.values]
        return Effect(warnings=tuple(f"The note has no property `{name}` to remove." for name in missing))
