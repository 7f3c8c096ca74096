"""Daily notes outside of their folder."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Final

from bridge.changes.requests.move_note import MoveNote
from bridge.errors import BridgeError
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.markdown.kinds import title_of
from bridge.notebook.plan_note import code_words, plan_link
from bridge.vault.daily_notes import daily_path

FEWEST: Final = 3
"""Daily notes that must be in the folder."""

_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


class StrayDailyNotes:
    """Finds notes named as a day that are not where Obsidian looks for that day."""

    name = "daily_notes"
    sentence = "Daily notes outside of the folder that Obsidian's settings name."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each daily note that can be moved."""
        style = garden.style
        inside = f"{style.daily_folder}/"
        if not style.daily_folder or sum(path.startswith(inside) for path in garden.notes) < FEWEST:
            return
        for note in garden.fresh():
            title = title_of(note.path)
            if not _DAY.fullmatch(title) or note.path.startswith(inside):
                continue
            try:
                to = daily_path(style, date.fromisoformat(title))
            except (BridgeError, ValueError):
                continue
            if title_of(to) != title or to in garden.vault.names or not garden.may_change(to):
                continue
            yield GardenFinding(
                check=self.name,
                notes=(note.path,),
                text=f"Move {plan_link(note.path)} to {code_words(to.rpartition('/')[0])}",
                why="Obsidian looks there for this day",
                # In another folder it may be filed on purpose.
                confidence=0.9 if "/" not in note.path else 0.7,
                request=MoveNote(path=note.path, to=to, digest=note.digest),
            )
