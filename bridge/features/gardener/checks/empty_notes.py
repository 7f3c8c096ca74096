"""Notes without any text."""

from collections.abc import Iterator

from bridge.changes.requests.move_note import DeleteNote
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.index.note import IndexedNote
from bridge.notebook.plan_note import plan_link

DAY_NS = 86_400 * 10**9
QUIET_DAYS = 7
"""Days for which nobody wrote into it."""

LARGEST = 1_000
"""Bytes of a note that may be empty."""


def is_abandoned(garden: Garden, note: IndexedNote) -> bool:
    """Return whether nothing links to a note, and the vault has been written for a week since it was."""
    is_old = garden.newest_ns - note.mtime_ns >= QUIET_DAYS * DAY_NS
    return is_old and not garden.graph_snapshot.graph.linked_from(note.path) - {note.path}


class EmptyNotes:
    """Finds notes that say nothing and that nobody links to."""

    name = "empty_notes"
    sentence = "Notes without text, properties and links to them, for at least a week."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        for note in garden.fresh():
            if note.properties or note.packed_links != "[]" or note.headings or note.size > LARGEST:
                continue
            if not is_abandoned(garden, note):
                continue
            read = garden.read(note)
            if read is not None and not read.text.strip():
                yield GardenFinding(
                    check=self.name,
                    notes=(note.path,),
                    text=f"Delete {plan_link(note.path)}",
                    why="it is empty, and nothing links to it",
                    # Its name may be what somebody wanted to keep.
                    confidence=0.7,
                    request=DeleteNote(path=note.path, digest=note.digest),
                )
