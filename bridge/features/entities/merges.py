"""Pairs of notes that may be one."""

import asyncio

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.note_names import folder_of
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.features.dismissals.public import dismissed_rows
from bridge.features.entities.merge_pairs import MergeSuggestion, find_merge_pairs
from bridge.features.links.public import similar_notes
from bridge.index.boilerplate import is_template
from bridge.state.dismissals import Dismissal
from bridge.types import Among
from bridge.vault.obsidian_settings import read_obsidian_settings


class MergeSuggestions(ListPage):
    """Pairs of notes that may be one.

    Attributes:
        pairs: Most certain first.
        notices: What was left out.
        dismissed: How many more were dismissed; absent if none.
    """

    pairs: tuple[MergeSuggestion, ...]
    notices: tuple[str, ...] = ()
    dismissed: int | None = None


@operation(
    example={"limit": 5},
    tasks=(
        "notes about the same thing that could be merged",
        "near-duplicate notes",
    ),
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
    near = await similar_notes(vault, graph_snapshot)
    dismissed = await dismissed_rows(call, "merge")

    def find() -> MergeSuggestions:

        settings = read_obsidian_settings(vault.root)
        folder = settings.template_folders
        notes = {path: note for path, note in graph_snapshot.notes.items() if not is_template(note, folder)}
        learnt = graph_snapshot.index.boilerplate
        said = {path: learnt.blank(text) for path, text in texts.items()}
        every = find_merge_pairs(notes, said, near, graph_snapshot.graph)
        asked = [
            one for one in every if not inside or any(path.startswith(f"{inside}/") for path in (one.path, one.into))
        ]
        if settings.daily_folder:
            days = f"{settings.daily_folder}/"
            asked = [one for one in asked if not (one.path.startswith(days) and one.into.startswith(days))]
        found = [one for one in asked if Dismissal("merge", frozenset((one.path, one.into))) not in dismissed]
        pairs = tuple(round_shares(one) for one in page.cut(found))
        notices = () if near else ("No note has a vector yet, so meaning was not compared.",)
        return MergeSuggestions(pairs, notices, len(asked) - len(found) or None, **page.place(len(found)))

    return await asyncio.to_thread(find)


def round_shares(pair: MergeSuggestion) -> MergeSuggestion:
    common, cosine = (None if share is None else round(share, 2) for share in (pair.common, pair.cosine))
    return replace(pair, common=common, cosine=cosine)
