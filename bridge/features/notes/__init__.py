"""Notes: found, read, written, moved and deleted."""

from bridge.api.feature import Feature
from bridge.features.notes import change_set, daily, move, operations, read, read_several, write

FEATURE = Feature(
    "notes",
    operations=(
        operations.find_notes,
        operations.list_folders,
        operations.list_tags,
        read.read_note,
        read_several.read_notes,
        write.create_note,
        write.edit_note,
        write.set_properties,
        move.move_note,
        move.rename_heading,
        move.rename_alias,
        move.delete_note,
        daily.daily_note,
        change_set.change_set,
    ),
)
