"""Orphans that belong on the page that lists the other notes of their folder, or those that are like them."""

import asyncio
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bridge.changes.requests.edit_note import EditNote
from bridge.features.gardener.checks.missing_links import DAY
from bridge.features.gardener.finding import TICKED, GardenFinding
from bridge.features.gardener.garden import BudgetSpent, Garden, OrphansOfGarden
from bridge.index.fulltext_query import TextQuery
from bridge.index.note import IndexedNote
from bridge.linking.apply import write_link
from bridge.markdown.edit.requests import AddItem
from bridge.markdown.kinds import title_of
from bridge.markdown.link_targets import target_subpath
from bridge.notebook.plan_note import plain_words, plan_link
from bridge.records import dataclass
from bridge.search.related import rare_words
from bridge.topics.suggest import body_of
from bridge.types import VaultPath

FEWEST: Final = 4
"""Notes of the folder that the page must link to."""

LEAST: Final = 0.6
"""Share of the folder that it must link to."""

ALIKE: Final = 25
"""Notes that are most like an orphan by their words."""

POWER: Final = 1.5
"""Power of the similarity by which each of them counts."""

LEAST_ALIKE: Final = 0.5
"""Share of their weight that a page must list."""

LEAST_BESIDE: Final = 0.2
"""The same of a page in the folder of the orphan, or around it."""

FEWEST_ALIKE: Final = 5
"""How many of them it must list."""

MOST: Final = 100
"""Orphans for which one plan looks for notes that are like them."""

SHORTEST: Final = 40
"""Characters of an orphan that say what it is about."""

_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?!?\[")


@dataclass(frozen=True, slots=True)
class ParentPage:
    """A page on which an orphan would be listed."""

    path: VaultPath
    heading: str | None
    """The heading above the list; None for the last list."""
    why: str
    confidence: float


def is_orphan(garden: Garden, note: IndexedNote) -> bool:
    return note.packed_links == "[]" and not garden.graph_snapshot.graph.neighbours(note.path)


def choose_orphans(garden: Garden) -> Sequence[IndexedNote]:
    return [
        note
        for note in garden.by_time
        if is_orphan(garden, note)
        and not DAY.fullmatch(title_of(note.path))
        and len(body_of(garden.texts.get(note.path, ""))) >= SHORTEST
    ]


async def read_orphans(garden: Garden) -> OrphansOfGarden:
    """Return the notes that are most like the orphans, for as many as one plan looks at."""
    orphans = choose_orphans(garden)
    found: dict[VaultPath, Mapping[VaultPath, float]] = {}
    for note in orphans[:MOST]:
        words = await asyncio.to_thread(rare_words, f"{note.title} {body_of(garden.texts[note.path])}")
        hits = await garden.graph_snapshot.index.whole(TextQuery(should=words), ALIKE + 1) if words else []
        best = max((hit.score for hit in hits), default=1.0)
        found[note.path] = {hit.path: (hit.score / best) ** POWER for hit in hits if hit.path != note.path}
    return OrphansOfGarden(found, frozenset(note.path for note in orphans[MOST:]))


class Orphans:
    """Finds notes without links, for which one page lists the others of their folder, or those that are like them."""

    name = "orphans"
    sentence = "Notes without links, and the page that lists the others of their folder or those like them."

    def look(self, garden: Garden) -> Iterator[GardenFinding]:
        folders: defaultdict[str, list[VaultPath]] = defaultdict(list)
        for path, note in garden.notes.items():
            if note.kind == "note":
                folders[path.rpartition("/")[0]].append(path)
        pages: dict[str, tuple[VaultPath, float] | None] = {}
        lists = ListPages(garden)
        for note in garden.fresh(without=garden.orphans.left):
            if not is_orphan(garden, note):
                continue
            folder = note.path.rpartition("/")[0]
            if folder and folder not in pages:
                pages[folder] = self._page(garden, folders[folder])
            if (page := pages.get(folder)) is not None:
                path, share = page
                parent: ParentPage | None = ParentPage(
                    path, None, f"it lists {share:.0%} of the folder", round(min(0.9, share), 2)
                )
            else:
                parent = lists.find_parent(note.path, garden.orphans.alike.get(note.path, {}))
            if parent is not None and parent.path != note.path:
                yield from self._list(garden, note, parent)
        if garden.orphans.left:
            raise BudgetSpent

    def _list(self, garden: Garden, note: IndexedNote, parent: ParentPage) -> Iterator[GardenFinding]:
        link = write_link(title_of(note.path), note.path, parent.path, garden.vault.names, garden.style)
        if link is None:
            return
        below = f" below “{plain_words(parent.heading)}”" if parent.heading else ""
        edit = AddItem(text=link, heading=parent.heading)
        yield GardenFinding(
            check=self.name,
            notes=(note.path, parent.path),
            text=f"List {plan_link(note.path)} in {plan_link(parent.path)}{below}",
            why=parent.why,
            confidence=parent.confidence,
            request=EditNote(path=parent.path, edits=(edit,), digest=garden.notes[parent.path].digest),
            kind="orphan",
        )

    def _page(self, garden: Garden, inside: Sequence[VaultPath]) -> tuple[VaultPath, float] | None:
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


class ListPages:
    """The pages that list notes."""

    def __init__(self, garden: Garden) -> None:
        self._garden = garden
        self._lists: dict[VaultPath, Mapping[VaultPath, str]] = {}

    def find_parent(self, orphan: VaultPath, alike: Mapping[VaultPath, float]) -> ParentPage | None:
        weights: defaultdict[VaultPath, Counter[str]] = defaultdict(Counter)
        counts: Counter[VaultPath] = Counter()
        for path, weight in alike.items():
            self._garden.budget.pause()
            for page in self._garden.graph_snapshot.graph.linked_from(path):
                heading = self._listed(page).get(path)
                if heading is not None:
                    weights[page][heading] += weight  # type: ignore[assignment]
                    counts[page] += 1
        if not weights:
            return None
        page = max(weights, key=lambda one: (weights[one].total(), one))
        share, folder = weights[page].total() / sum(alike.values()), page.rpartition("/")[0]
        is_beside = bool(folder) and orphan.startswith(f"{folder}/")
        if counts[page] < FEWEST_ALIKE or share < (LEAST_BESIDE if is_beside else LEAST_ALIKE):
            return None
        heading = weights[page].most_common(1)[0][0]
        if not self._is_one_list(page, heading):
            return None
        why = f"it lists {counts[page]} of the {len(alike)} notes that are most like it"
        return ParentPage(page, heading or None, why, round(min(TICKED - 0.01, 0.4 + share), 2))

    def _is_one_list(self, page: VaultPath, heading: str) -> bool:
        if not heading:
            return not any(self._listed(page).values())
        headings = self._garden.notes[page].headings
        places = [at for at, one in enumerate(headings) if one.text == heading]
        after = headings[places[0] + 1 :][:1]
        return len(places) == 1 and all(one.level <= headings[places[0]].level for one in after)

    def _listed(self, page: VaultPath) -> Mapping[VaultPath, str]:
        """Return the notes that a page lists, with the heading above each; none of a page that is no list."""
        if page not in self._lists:
            self._lists[page] = self._read(page)
        return self._lists[page]

    def _read(self, page: VaultPath) -> Mapping[VaultPath, str]:
        garden, found = self._garden, dict[VaultPath, str]()
        note = garden.notes.get(page)
        if note is None or not garden.may_change(page) or DAY.fullmatch(title_of(page)):
            return {}
        lines = garden.texts.get(page, "").splitlines()
        for link in note.links:
            if link.line > len(lines) or target_subpath(link.target) or not _ITEM.match(lines[link.line - 1]):
                continue
            target = garden.vault.names.resolve(link.target, page, link.kind).path
            if target is not None:
                above = [one.text for one in note.headings if one.line < link.line]
                found.setdefault(target, above[-1] if above else "")
        return found if len(found) >= FEWEST_ALIKE else {}
