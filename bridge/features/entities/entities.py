"""Lists notes that may be one."""

import asyncio
from collections.abc import Iterable

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.markup import Column, Element, Table, notice
from bridge.api.note_names import folder_of
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.features.dismissals.public import dismissed_rows
from bridge.features.entities.merge_pairs import MergeSuggestion, find_merge_pairs
from bridge.index.boilerplate import is_template
from bridge.state.dismissals import Dismissal
from bridge.text.counts import count_of
from bridge.types import Among
from bridge.vault.obsidian_settings import read_obsidian_settings


class MergeSuggestions(ListPage):
    """Pairs of notes that may be one.

    Attributes:
        pairs: Most certain first.
        dismissed: How many more were dismissed; absent if none.
    """

    pairs: tuple[MergeSuggestion, ...]
    dismissed: int | None = None


@operation(
    example={"limit": 5},
    tasks=(
        "notes about the same thing that could be merged",
        "near-duplicate notes",
    ),
    whole_vault=True,
)
async def merge_suggestions(
    call: Call,
    folder: Folder | None = None,
    page: PageArguments = Page(20),
    among: Among | None = None,
) -> MergeSuggestions:
    """Find pairs of notes that may be one, each with the reasons; never a note of a day, or two numbers of a series.

    Args:
        folder: Only pairs with a note under this folder.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.

    Raises:
        FolderNotFound: No notes in such a folder; the message names the closest.
    """
    vault = call.vault
    graph_snapshot = await vault.graph_snapshot(choose_among(vault, among, (folder,)))
    inside = folder_of(graph_snapshot.notes, folder)
    texts = await graph_snapshot.index.wholes()
    dismissed = await dismissed_rows(call, "merge")

    def find() -> MergeSuggestions:
        settings = read_obsidian_settings(vault.root)
        folder = settings.template_folders
        notes = {path: note for path, note in graph_snapshot.notes.items() if not is_template(note, folder)}
        learnt = graph_snapshot.index.boilerplate
        said = {path: learnt.blank(text) for path, text in texts.items()}
        every = find_merge_pairs(notes, said, graph_snapshot.graph, daily_folder=settings.daily_folder)
        asked = [
            one for one in every if not inside or any(path.startswith(f"{inside}/") for path in (one.path, one.into))
        ]
        found = [one for one in asked if Dismissal("merge", frozenset((one.path, one.into))) not in dismissed]
        return MergeSuggestions(page.cut(found), len(asked) - len(found) or None, **page.place(len(found)))

    return await asyncio.to_thread(find)


PAIRS = (
    Column("path", role="path"),
    Column("into", " → {}", role="path"),
    Column("confidence", " · {:.0%}"),
    Column("why", lambda why: " · " + ", ".join(why)),
    Column("common", " · {:.0%} in common", detail=True),
)


def merge_suggestions_view(suggested: MergeSuggestions) -> Iterable[Element]:
    total, dismissed = suggested.total, suggested.dismissed
    shown = f"{len(suggested.pairs)} of " if len(suggested.pairs) < total else ""
    besides = f", {dismissed} more dismissed" if dismissed else ""
    yield notice(f"{shown}{count_of(total, 'pair')} of notes that may be one{besides}")
    yield Table(PAIRS, suggested.pairs)
