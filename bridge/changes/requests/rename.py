"""Renaming a part of a note by which links name it: a heading or an alias."""

from typing import ClassVar

from msgspec import Meta

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.heading import rename_alias, rename_heading
from bridge.changes.requests.base import ChangeKind, Request, RequestContext, read_unchanged, require_lines
from bridge.markdown.sections import has_line_number
from bridge.types import Digest, VaultPath


@ChangeKind(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "heading": "Feeding",
        "to": "Feeding it",
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
    },
    tasks=(
        "change the text of a heading, links stay whole",
        "rename a heading and the links to it",
        "reword a section's heading everywhere",
    ),
    bounds={"heading": Meta(max_length=2_000), "to": Meta(max_length=1_000)},
)
class RenameHeading(Request, tag="rename_heading"):
    """Rename a heading; every link to it is rewritten in its own style.

    Attributes:
        path: The note.
        heading: The heading, or its path `A > B`.
        to: Its new text.
        digest: Digest of the note as read; a changed note is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        HeadingNotFound: No such heading; `headings` lists those that exist.
        AmbiguousHeading: Several sections match; `headings` lists them.
        ProtectedPath: A read-only note would have to change.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    heading: str
    to: str
    digest: Digest | None = None

    @property
    def rename(self) -> tuple[str, str]:
        return self.heading, self.to

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        """Rename the heading in the draft, with the links to it."""
        view = context.view(draft)
        if self.path in view.names:
            data = read_unchanged(self.path, self.digest, draft, context)
            if has_line_number(self.heading):
                require_lines(draft, self.path, data, self.digest)
        planned = rename_heading(self.path, self.heading, self.to, view)
        draft.take(planned.plan)
        return planned.effect


@ChangeKind(
    example={
        "path": "Bread/Starters/Levain.md",
        "alias": "leaven",
        "to": "the milk",
        "digest": "1ea4d7c0cb4e6a8ad3db01af7659a0e953b701e7607ba0f60110b6fe86ffb73f",
    },
    tasks=("rename an alias of a note", "change another name of a note in links"),
    bounds={"alias": Meta(max_length=1_000), "to": Meta(max_length=1_000)},
)
class RenameAlias(Request, tag="rename_alias"):
    """Rename an alias of a note and, if you want, the links that show it.

    Attributes:
        path: The note.
        alias: The exact alias.
        to: The new alias.
        digest: Digest of the note as read; a changed note is refused.
        links: Also update links that show the old alias.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        TextNotFound: The note has no such alias.
        InvalidProperties: Its properties cannot be parsed, so nothing is changed.
        ProtectedPath: A read-only note would have to change.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    alias: str
    to: str
    digest: Digest | None = None
    links: bool = False

    @property
    def rename(self) -> tuple[str, str]:
        return self.alias, self.to

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view = context.view(draft)
        if self.path in view.names:
            read_unchanged(self.path, self.digest, draft, context)
        types = context.obsidian().property_types
        planned = rename_alias(self.path, self.alias, self.to, view, types, links=self.links)
        draft.take(planned.plan)
        return planned.effect
