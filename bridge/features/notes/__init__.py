"""Notes: found, read, written, moved and deleted."""

from bridge.api.change_view import written_view
from bridge.api.feature import Feature
from bridge.api.write import change_operation
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import EditNote, SetProperties
from bridge.changes.requests.many_notes import RenameAlias, RenameHeading
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.changes.requests.split_note import SplitNote
from bridge.features.notes import daily, operations, read, stale, views

FEATURE = Feature(
    "notes",
    operations=(
        operations.find_notes,
        operations.list_folders,
        operations.list_tags,
        stale.stale_notes,
        read.read_note,
        read.read_notes,
        change_operation(CreateNote, operations.check_duplicates),
        change_operation(EditNote),
        change_operation(SetProperties),
        change_operation(MoveNote),
        change_operation(MergeNotes),
        change_operation(SplitNote),
        change_operation(RenameHeading),
        change_operation(RenameAlias),
        change_operation(DeleteNote),
        daily.daily_note,
        operations.change_set,
    ),
    views=(
        views.note_list_view,
        views.folder_list_view,
        views.tag_list_view,
        stale.stale_notes_view,
        views.note_view,
        views.notes_view,
        written_view,
        views.daily_note_view,
    ),
)
