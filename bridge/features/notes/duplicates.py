"""Compares a new note with those that exist, so that no second one is made of the same text."""

import asyncio

from bridge.api.call import Call
from bridge.api.change import Objections
from bridge.api.note_text import read_text
from bridge.changes.requests.create_note import CreateNote
from bridge.errors import ConfirmationRequired
from bridge.features.entities.public import may_be_one
from bridge.markdown.kinds import title_of
from bridge.search.related import find_related
from bridge.text.overlap import find_overlaps
from bridge.types import VaultPath

WORDS = 12
"""Words that a text must have to be compared."""

CANDIDATES = 8
"""Notes compared, the most related ones."""

NEARLY_ALL = 0.8
"""The share of a text that another note must contain to be the better place for it."""

MAX_TEXT_CHARS = 20_000
"""Characters of a text that are compared."""


async def check_duplicates(call: Call, request: CreateNote) -> Objections:
    """Warn of notes that contain much of a new note's text, and object if one contains nearly all of it."""
    call.vault.require_keyword()
    vault, path, text = call.vault, request.path, request.text
    if vault.files.has(path):
        return (), None
    if len(text.split()) < WORDS and len(text) < 10 * WORDS:
        return (), None
    near = await find_related(vault.sources(), path=None, text=text[:MAX_TEXT_CHARS], limit=CANDIDATES)
    title = title_of(path)

    def compare() -> list[tuple[VaultPath, float]]:
        texts = {
            hit.path: read_text(vault, hit.path) for hit in near.hits if may_be_one(title, hit.title, is_copy=True)
        }
        common = read_text(vault, request.template) if request.template is not None else ""
        return find_overlaps(text[:MAX_TEXT_CHARS], texts, common=common)

    # In a thread: the notes may be long.
    found = await asyncio.to_thread(compare)
    refusal = None
    if found and found[0][1] >= NEARLY_ALL:
        other, share = found[0]
        refusal = ConfirmationRequired(
            f"`{other}` already contains {share:.0%} of this text.",
            would=f"create `{path}`, though `{other}` already contains {share:.0%} of its text",
            hint=f"Append to `{other}` with `edit_note` instead, or repeat the call with `confirm`.",
            path=other,
            share=round(share, 2),
        )
    return tuple(f"`{other}` already contains {share:.0%} of this text." for other, share in found), refusal
