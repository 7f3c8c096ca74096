"""Orphans that belong on the page that lists the other notes of their folder."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from bridge.changes.requests.edit_note import EditNote
from bridge.features.gardener.finding import GardenFinding
from bridge.features.gardener.garden import Garden
from bridge.linking.apply import write_link
from bridge.markdown.edit.requests import AddItem
from bridge.markdown.kinds import title_of
from bridge.notebook.plan_note import plan_link
from bridge.types import VaultPath

FEWEST: Final = 4
"""Notes of the folder that the page must link to."""

LEAST: Final = 0.6
"""Share of the folder that it must link to."""


class Orphans:
    """Finds notes without links in a folder whose others are listed on one page."""

    name = "orphans"
    sentence = "Notes without links, and the page that lists the others of their folder."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        """Yield each orphan with its page."""
        graph = garden.graph_snapshot.graph
        folders: defaultdict[str, list[VaultPath]] = defaultdict(list)
        for path, note in garden.notes.items():
            if note.kind == "note":
                folders[path.rpartition("/")[0]].append(path)
        pages: dict[str, tuple[VaultPath, float] | None] = {}
        for note in garden.fresh():
            folder = note.path.rpartition("/")[0]
            if not folder or note.packed_links != "[]" or graph.neighbours(note.path):
                continue
            if folder not in pages:
                pages[folder] = self._page(garden, folders[folder])
            if (page := pages[folder]) is None or page[0] == note.path:
                continue
            path, share = page
            parent = garden.notes[path]
            link = write_link(title_of(note.path), note.path, path, garden.vault.names, garden.style)
            if link is None:
                continue
            yield GardenFinding(
                check=self.name,
                notes=(note.path, path),
                text=f"List {plan_link(note.path)} in {plan_link(path)}",
                why=f"it lists {share:.0%} of the folder",
                confidence=round(min(0.9, share), 2),
                request=EditNote(path=path, edits=(AddItem(text=link),), digest=parent.digest),
                kind="orphan",
            )

    def _page(self, garden: Garden, inside: Sequence[VaultPath]) -> tuple[VaultPath, float] | None:
        """Return the page that lists the notes of a folder, with the share of them that it links to."""
        graph = garden.graph_snapshot.graph
        linking: Counter[VaultPath] = Counter()
        for path in inside:
            garden.budget.pause()
            linking.update(graph.linked_from(path))
        for page, count in linking.most_common(3):
            others = len(inside) - (page in inside)
            if count >= max(FEWEST, LEAST * others) and page in garden.notes and garden.may_change(page):
                return page, count / others
        return None
