"""Notes without any text."""

from collections.abc import Iterator

from bridge.changes.requests.move_note import DeleteNote
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.notebook.plan_note import plan_link

DAY_NS = 86_400 * 10**9
QUIET_DAYS = 7
"""Days for which nobody wrote into it."""


class EmptyNotes:
    """Finds notes that say nothing and that nobody links to."""

    name = "empty_notes"
    sentence = "Notes without text, properties and links to them, for at least a week."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each empty note."""
        newest = max((note.mtime_ns for note in garden.notes.values()), default=0)
        graph = garden.graph_snapshot.graph
        for note in garden.fresh():
            if note.properties or note.packed_links != "[]" or note.headings or graph.linked_from(note.path):
                continue
            if note.size > 1_000 or newest - note.mtime_ns < QUIET_DAYS * DAY_NS:
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
