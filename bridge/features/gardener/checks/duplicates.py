"""Two notes that should be one."""

from collections.abc import Iterator
from typing import Final

from bridge.changes.requests.merge_notes import MergeNotes
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.linking.merge_pairs import MergeReason, find_merge_pairs
from bridge.notebook.plan_note import plan_link

LEAST: Final = 0.6
"""Confidence from which a merge is proposed."""

WORDS: Final[dict[MergeReason, str]] = {
    "name": "the same name",
    "alias": "one's name is the other's alias",
    "text": "common text",
    "meaning": "the same meaning",
    "stub": "one only points to the other",
    "neighbours": "common links",
}


class Duplicates:
    """Finds pairs of notes that are nearly the same."""

    name = "duplicates"
    sentence = "Two notes that may be one."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each pair that can be merged."""
        days = f"{garden.style.daily_folder}/" if garden.style.daily_folder else None
        garden.budget.pause()
        pairs = find_merge_pairs(garden.notes, garden.texts, garden.near, garden.graph_snapshot.graph.neighbours)
        for pair in pairs:
            garden.budget.pause()
            if pair.confidence < LEAST or (days and pair.path.startswith(days) and pair.into.startswith(days)):
                continue
            note = garden.notes[pair.path]
            yield GardenFinding(
                check=self.name,
                notes=(pair.path, pair.into),
                text=f"Merge {plan_link(pair.path)} into {plan_link(pair.into)}",
                why=", ".join(WORDS[one] for one in pair.why),
                # What is lost by a wrong merge is hard to see, so that only copies are sure.
                confidence=round(pair.confidence if (pair.common or 0) >= 0.95 else min(0.84, pair.confidence), 2),
                request=MergeNotes(path=pair.path, into=pair.into, digest=note.digest),
                kind="merge",
            )
