"""Choosing the note that a link shall lead to, by the words that will be the link."""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from bridge.api.call import Call
from bridge.api.hints import Limit, Query
from bridge.api.moments import iso
from bridge.api.registry import operation
from bridge.features.search.operations import DIGEST, search
from bridge.features.search.results import Hit, SearchResult
from bridge.types import SearchMode, VaultPath, lies_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bridge.engine.open_vault import OpenVault

SHORTEST = 3
"""Of fewer letters no words that were chosen before are guessed."""


@operation(
    example={"words": "feeding the starter", "path": "Welcome.md", "limit": 3},
    tasks=("choose the note that a link should lead to", "find a link target for some words"),
)
async def pick_link(
    call: Call, words: Query, path: VaultPath | None = None, limit: Limit = 10, mode: SearchMode = "hybrid"
) -> SearchResult:
    """Find notes that a link may lead to, by name and content.

    A note chosen earlier for these words, or for words that start with them, as recorded by `judge_link`, comes first.

    Args:
        words: The words to link, or the subject of the note.
        path: The note that will contain the link; excluded from the results.
        limit: Maximum notes.
        mode: Match words, meaning or both.

    Raises:
        ModelMissing: The mode is `semantic` and no model is installed.
    """
    found = await search(call, query=words, limit=min(limit + 1, 100), mode=mode)
    times = times_chosen(call.vault, words)
    hits = {hit.path: hit for hit in found.hits}
    first = [mark_chosen(hits.get(note) or named_hit(call.vault, note), count) for note, count in times.items()]
    folders = call.vault.mention_index.templates
    # A template is hardly ever meant, whatever its name.
    others = sorted(
        (hit for hit in found.hits if hit.path not in times),
        key=lambda hit: lies_in(hit.path, folders),
    )
    return replace(found, hits=tuple([hit for hit in (*first, *others) if hit.path != path][:limit]))


def times_chosen(vault: "OpenVault", words: str) -> "Mapping[VaultPath, int]":
    """Count how often each note was chosen for such words, the most often chosen first."""
    from bridge.text.fold import fold_case

    form = fold_case(words).strip()
    counts = Counter[VaultPath]()
    for entry in vault.store.feedback.all():
        if entry.form == form or (len(form) >= SHORTEST and entry.form.startswith(form)):
            counts[entry.target] += entry.accepted - entry.declined + entry.by_agents
    return {note: count for note, count in counts.most_common() if count > 0 and note in vault.index.notes}


def named_hit(vault: "OpenVault", path: VaultPath) -> Hit:
    """Show a note that the search did not find, by its name alone."""
    note = vault.index.notes[path]
    return Hit(path, note.title, "", (1, 1), "", 1.0, (), note.tags, iso(note.modified), note.digest[:DIGEST])


def mark_chosen(hit: Hit, count: int) -> Hit:
    """Say of a note that it was chosen before."""
    return replace(hit, score=1.0, why=(f"chosen {count} times before" if count > 1 else "chosen before", *hit.why))
