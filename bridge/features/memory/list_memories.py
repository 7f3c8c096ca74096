"""Listing memories, page by page."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Literal

from bridge.api.call import Call
from bridge.api.hints import When
from bridge.api.moments import moment
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.engine.agents_folder import agents_folder
from bridge.features.memory.access import audience_of, now, open_catalogue
from bridge.features.memory.memory_note import Memory, MemoryKind, Tier
from bridge.features.memory.new_memory import Places, Words, names_of
from bridge.features.memory.recall import MemoryFilter, TextChars, fold_tags, passes, recall_notices
from bridge.features.memory.results import ListedMemory, list_each
from bridge.features.memory.use_log import NO_USE, MemoryUse, UseLog
from bridge.records import Record
from bridge.text.invisible import quote_path
from bridge.types import VaultPath

Sort = Literal["-updated", "-used", "expires"]


class MemoryCounts(Record):
    """How many memories there are.

    Attributes:
        kinds: By kind.
        tiers: By tier.
    """

    kinds: Mapping[str, int]
    tiers: Mapping[str, int]


class MemoryPage(ListPage):
    """A page of memories.

    Attributes:
        memories: The memories on this page.
        counts: Of all that match.
        notices: Remarks.
    """

    memories: tuple[ListedMemory, ...]
    counts: MemoryCounts
    notices: tuple[str, ...] = ()


@operation(
    example={"kinds": ["decision"], "limit": 5},
    tasks=("list all memories", "show the stored memories by kind", "which memories are pinned or expire"),
)
async def list_memories(
    call: Call,
    kinds: tuple[MemoryKind, ...] = (),
    tiers: tuple[Tier, ...] = (),
    tags: Words = (),
    scope: Words = (),
    about: Places = (),
    since: When | None = None,
    among_private: bool = False,
    archived: bool = False,
    sort: Sort = "-updated",
    page: PageArguments = Page(50),
    text_chars: TextChars = 200,
) -> MemoryPage:
    """List the memories that hold now; listing one does not count as use.

    Args:
        kinds: Only these kinds.
        tiers: Only these tiers.
        tags: Only memories with all these tags; `a` matches `a/b`.
        scope: Only memories of one of these scopes, or of none.
        about: Only memories about one of these notes.
        since: Only memories written since this time.
        among_private: Include what is private to others; for the user only.
        archived: Include what is archived.
        sort: `-updated` is newest first, `-used` last used first, `expires` soonest first.
        text_chars: Maximum characters of each text.
    """
    catalogue = await open_catalogue(call)
    criteria = MemoryFilter(kinds, tiers, fold_tags(tags), names_of(about), moment("since", since))
    visible = catalogue.visible(audience_of(call, scope, all_private=among_private, archived=archived), now())

    def find() -> MemoryPage:
        uses, moment_ = UseLog(call.vault.store.database).all(), now()
        tiers_now = {
            path: memory.tier_at(moment_, uses.get(path, NO_USE).last) for path, memory in visible.memories.items()
        }
        found = [memory for path, memory in visible.memories.items() if passes(memory, criteria, tiers_now[path])]
        found.sort(key=lambda memory: sort_key(memory, uses, sort))
        shown = list_each(call, visible, page.cut(found), uses, text_chars)
        counts = MemoryCounts(
            dict(Counter(memory.kind for memory in found)), dict(Counter(tiers_now[memory.path] for memory in found))
        )
        remarks = (*recall_notices(call, ()), *unreadable_notices(call))
        return MemoryPage(shown, counts, remarks, **page.place(len(found)))

    return await asyncio.to_thread(find)


def unreadable_notices(call: Call) -> Iterator[str]:
    """Yield the notes among the memories whose properties cannot be read, so that nothing recalls them."""
    folder = f"{agents_folder(call.vault.settings).memory}/"
    notes = call.vault.index.view("agents").notes
    for path, note in notes.items():
        if path.startswith(folder) and note.problems and not note.properties:
            yield f"{quote_path(path)} is not recalled. {note.problems[0]}"


def sort_key(memory: Memory, uses: Mapping[VaultPath, MemoryUse], sort: Sort) -> tuple[float, VaultPath]:
    match sort:
        case "-updated":
            return -memory.updated, memory.path
        case "-used":
            return -uses.get(memory.path, NO_USE).last, memory.path
        case "expires":
            return float("inf") if memory.expires is None else memory.expires, memory.path
