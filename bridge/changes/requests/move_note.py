"""Moving and deleting notes."""

from typing import ClassVar

from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.move import move, remove
from bridge.changes.requests.base import ChangeKind, Request, RequestContext, read_unchanged, require_own
from bridge.types import Digest, NewPath, NoteOrFolder, VaultPath


@ChangeKind(
    example={"path": "Bread/Starters", "to": "Bread/Leaven"},
    tasks=(
        "put a note into a folder",
        "give a note a new name",
        "change a note's name",
        "rename a note with its links",
        "move a note to another folder",
        "rename or move a folder",
        "move a file or picture",
        "change the title of a file",
    ),
)
class MoveNote(Request, tag="move_note"):
    """Move or rename a note, another file or a folder; every link to it is rewritten in its own style.

    Attributes:
        path: The file or folder.
        to: Its full new path, or the target folder with a trailing `/`.
        digest: Digest of the file as read; a changed file is refused.

    Raises:
        NoteNotFound: No such file or folder; the message names the closest.
        NoteExists: The new path exists.
        NoteChanged: Its content does not match `digest`.
        ProtectedPath: A read-only note would have to change.
    """

    relinks: ClassVar[bool] = True

    path: NoteOrFolder
    to: NewPath
    digest: Digest | None = None

    @property
    def result_path(self) -> VaultPath:
        return self.to

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        """Move the file in the draft, with the links to it."""
        view = context.view(draft)
        if self.path in view.names:
            read_unchanged(self.path, self.digest, draft, context)
        planned = move(self.path, self.to, view)
        draft.take(planned.plan)
        return planned.effect


@ChangeKind(
    example={
        "path": "Bread/Starters/Sourdough starter.md",
        "digest": "48346d159e821615fff49c0abfea3e7b3368a7cd19c150943b54be3723ac38ff",
    },
    tasks=("delete a note", "put a note into the trash", "remove a file"),
    required=("digest",),
)
class DeleteNote(Request, tag="delete_note"):
    """Delete a note as Obsidian does, to the trash chosen there; `undo_change` brings it back.

    Attributes:
        path: The note.
        digest: Digest of the note as read; a changed note is refused.

    Raises:
        NoteNotFound: No such note; the message names the closest.
        NoteChanged: Its content does not match `digest`.
        SettingsUnreadable: Obsidian's `app.json`, which selects the trash, cannot be read.
    """

    relinks: ClassVar[bool] = True

    path: VaultPath
    digest: Digest | None = None

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        view = context.view(draft)
        if self.path in view.names:
            data = read_unchanged(self.path, self.digest, draft, context)
            if self.digest is None:
                require_own(draft, self.path, data, lambda _: b"", "delete a note")
        context.obsidian().require("app.json", hint="which says where deleted files go.")
        planned = remove(self.path, view)
        draft.take(planned.plan)
        return planned.effect
