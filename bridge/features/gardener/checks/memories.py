"""Memories of agents that have expired."""

import time
from collections.abc import Iterator

from bridge.changes.requests.edit_note import SetProperties
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.notebook.memory_note import read_memory
from bridge.notebook.plan_note import plan_link

DAY_S = 86_400.0


class ExpiredMemories:
    """Finds memories whose last day is over and that are not archived."""

    name = "memories"
    sentence = "Memories of agents whose last day is over."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each memory that can be archived."""
        now, rules = time.time(), garden.vault.files.rules
        for path, note in sorted(garden.vault.index.view("agents").notes.items()):
            garden.budget.pause()
            memory = read_memory(path, note.properties, title=note.title)
            if memory is None or memory.is_over or note.is_left_alone or garden.never.covers(path) or rules.keeps(path):
                continue
            ends = min((time_ for time_ in (memory.expires, memory.valid_until) if time_ is not None), default=None)
            if ends is None or ends > now - DAY_S or not garden.is_inside(path):
                continue
            yield GardenFinding(
                check=self.name,
                notes=(path,),
                text=f"Archive the memory {plan_link(path)}",
                why=f"it holds until {time.strftime('%Y-%m-%d', time.localtime(ends))}",
                confidence=0.9,
                request=SetProperties(path=path, digest=note.digest, properties={"tier": "archived"}),
            )
