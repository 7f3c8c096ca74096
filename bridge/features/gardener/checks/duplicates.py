"""Two notes that should be one."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from bridge.changes.requests.merge_notes import MergeNotes
from bridge.features.gardener.finding import TICKED, GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.linking.merge_pairs import MergePair, MergeReason, find_merge_pairs
from bridge.notebook.plan_note import plan_link

LEAST: Final = 0.75
"""Confidence from which a merge is proposed."""

COMMON: Final = 0.8
"""Share of common text of two texts of the same length from which they are proposed whatever their names."""

PARALLEL: Final = 5
"""Pairs between two folders from which their notes are meant to be alike, as translations are."""

WORDS: Final[dict[MergeReason, str]] = {
    "name": "the same name",
    "alias": "one's name is the other's alias",
    "text": "common text",
    "meaning": "the same meaning",
    "stub": "one only points to the other",
    "neighbours": "common links",
}


def _places(pair: MergePair) -> frozenset[str]:
    return frozenset(path.partition("/")[0] if "/" in path else "" for path in (pair.path, pair.into))


class Duplicates:
    """Finds pairs of notes that are nearly the same."""

    name = "duplicates"
    sentence = "Two notes that may be one."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each pair that can be merged."""
        days = f"{garden.style.daily_folder}/" if garden.style.daily_folder else None
        garden.budget.pause()
        if garden.skipped.issuperset(garden.notes):
            return
        garden.budget.extend()
        neighbours, pause = garden.graph_snapshot.graph.neighbours, garden.budget.pause
        pairs = find_merge_pairs(garden.notes, garden.texts, garden.near, neighbours, pause)
        between = Counter(_places(pair) for pair in pairs)
        for pair in pairs:
            if pair.confidence < LEAST or (days and pair.path.startswith(days) and pair.into.startswith(days)):
                continue
            lengths = sorted(len(garden.texts[path]) for path in (pair.path, pair.into))
            # A short note often stands in a longer one, as a template or a quotation does.
            same_text = (pair.common or 0) >= COMMON and lengths[0] >= COMMON * lengths[1]
            if not same_text and not {"name", "alias", "stub"} & {*pair.why}:
                continue
            if len(_places(pair)) > 1 and between[_places(pair)] >= PARALLEL:
                continue
            note, other = garden.notes[pair.path], garden.notes[pair.into]
            is_copy = (
                same_text
                and "name" in pair.why
                and note.title != other.title
                and pair.path.rpartition("/")[0] == pair.into.rpartition("/")[0]
            )
            yield GardenFinding(
                check=self.name,
                notes=(pair.path, pair.into),
                text=f"Merge {plan_link(pair.path)} into {plan_link(pair.into)}",
                why=", ".join(WORDS[one] for one in pair.why),
                # What is lost by a wrong merge is hard to see, so that only copies beside each other are sure.
                confidence=round(pair.confidence if is_copy else min(TICKED - 0.01, pair.confidence), 2),
                request=MergeNotes(path=pair.path, into=pair.into, digest=note.digest),
                kind="merge",
            )
