"""What is known about one note, in one answer."""

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final, get_args

from bridge.api.agreement import is_user
from bridge.api.among import choose_among
from bridge.api.call import Call
from bridge.api.creation import creation_text
from bridge.api.moments import iso
from bridge.api.not_found import no_such_note
from bridge.api.note_text import open_note
from bridge.api.registry import operation
from bridge.errors import BridgeError
from bridge.features.profiles import neighbours
from bridge.features.profiles.aliases import suggest_aliases
from bridge.features.profiles.parts import (
    index_state,
    last_change,
    memories_about,
    open_tasks,
    outline_of,
    violated_rules,
)
from bridge.features.profiles.records import NoteProfile, ProfilePart
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.markdown.note import Note

BY_DEFAULT: Final[tuple[ProfilePart, ...]] = tuple(
    part for part in get_args(ProfilePart) if part not in ("structure", "aliases")
)
DAY_S: Final = 86_400


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "parts": ["outline", "links", "tasks"]},
    tasks=(
        "everything that is known about one note",
        "profile of a note: outline, links, history and tasks",
        "how important is this note, and who changed it last",
        "other names that notes use for this one",
        "suggest aliases for a note",
    ),
)
async def note_profile(call: Call, path: VaultPath, parts: tuple[ProfilePart, ...] = BY_DEFAULT) -> NoteProfile:
    """Tell what is known about a note: sections, links, ties, missing links, broken rules, history, tasks, memories.

    Args:
        path: The note.
        parts: Only these parts; by default all but `structure` and `aliases`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    vault = call.vault
    vault.require_keyword()
    if path not in vault.index.notes:
        raise no_such_note(vault, path)
    indexed = vault.index.notes[path]
    note = await asyncio.to_thread(open_note, vault, path)
    found: dict[str, Any] = {}
    notices: list[str] = []
    for part in dict.fromkeys(parts):
        try:
            found[part] = await describe_part(call, part, note)
        except BridgeError as error:
            notices.append(f"`{part}` is not known: {error.message}")
    return NoteProfile(
        path=path,
        title=indexed.title,
        tags=tuple(indexed.tags),
        note_type=indexed.note_type,
        digest=indexed.digest,
        words=sum(section.words for section in outline_of(note)),
        created=await asyncio.to_thread(creation_text, indexed, vault.root),
        modified=iso(indexed.modified),
        age_days=max(0, int((time.time() - indexed.modified) // DAY_S)),
        notices=tuple(notices),
        **found,
    )


async def describe_part(call: Call, part: ProfilePart, note: "Note") -> object:  # noqa: PLR0911 - one part, one line
    """Return one part of a profile."""
    among = choose_among(call.vault, None, (note.path,))
    match part:
        case "links":
            return await neighbours.describe_links(call.vault, among, note.path)
        case "ties":
            return await neighbours.strongest_ties(call.vault, among, note.path)
        case "related":
            return await neighbours.related_unlinked(call.vault, among, note.path)
        case "missing_links":
            corpus = await call.vault.mention_index.corpus()
            find = partial(neighbours.missing_links, call.vault, corpus, note, for_user=is_user(call))
            return await asyncio.to_thread(find)
        case "rules":
            return await violated_rules(call.vault, among, note.path)
        case "aliases":
            return await suggest_aliases(call.vault, note.path)
        case "structure":
            return await neighbours.describe_structure(call.vault, among, note.path)
        case _:
            return await asyncio.to_thread(_describe_at_once, call, part, note)


def _describe_at_once(call: Call, part: ProfilePart, note: "Note") -> object:
    """Return a part that one thread finds by itself."""
    match part:
        case "outline":
            return outline_of(note)
        case "history":
            return last_change(call.vault, note.path)
        case "index":
            return index_state(call.vault, note.path)
        case "tasks":
            return open_tasks(call.vault, note.path)
        case _:
            return memories_about(call, note.path)
