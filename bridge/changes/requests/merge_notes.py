"""Merging one note into another."""

from typing import ClassVar, Literal

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.merge import merge
from bridge.changes.requests.base import ChangeKind, Request, RequestContext, read_unchanged, require_own
from bridge.types import Digest, VaultPath


@ChangeKind(
    example={
        "path": "Inbox/Overheard at the gate.md",
        "into": "Inbox/To sort.md",
        "digest": "d029232d735e09fb3dddc996b8c6d4bceb97ccbec204eea57f8d8b5a4833e30f",
    },
    tasks=(
        "merge two notes",
        "make one note of two",
        "these two notes are about the same thing, make them one",
    ),
    required=("digest",),
)
class MergeNotes(Request, tag="merge_notes"):
    """Merge a note into another: its text goes below a heading there, its links follow, and it goes to the trash.

    Lists such as tags get the items of both; of other properties the note that stays keeps its own values.

    Attributes:
        path: The note that goes.
        into: The note that stays.
        keep: `both` keeps the text of both, once if it is the same; `into` drops that of the note that goes.
        alias: Make the name of the note that goes an alias of the other.
        digest: Digest of the note that goes, as read; a changed note is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        ProtectedPath: A read-only note would have to change.
        InvalidProperties: The properties of one of them cannot be parsed.
        SettingsUnreadable: Obsidian's `app.json`, which selects the trash, cannot be read.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    into: VaultPath
    keep: Literal["both", "into"] = "both"
    alias: bool = True
    digest: Digest | None = None

    @property
    def result_path(self) -> VaultPath:
        return self.into

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view = context.view(draft)
        if self.path in view.names:
            data = read_unchanged(self.path, self.digest, draft, context)
            if self.digest is None:
                require_own(draft, self.path, data, lambda _: b"", "merge a note")
        obsidian = context.obsidian()
        obsidian.require("app.json", hint="which says where deleted files go.")
        planned = merge(self.path, self.into, view, obsidian.property_types, keep=self.keep, alias=self.alias)
        draft.take(planned.plan)
        return planned.effect
