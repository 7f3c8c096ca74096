"""The copy of a note in the global vault: whether there is one, and the changes that make it or bring it up to date."""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from bridge.api.call import Call
from bridge.api.note_text import open_note
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext
from bridge.changes.requests.preconditions import read_unchanged
from bridge.features.promotion.copy_text import open_address, without_vaults
from bridge.markdown.edit.properties import edit_properties
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Note, Value, property_of
from bridge.notebook.promotion import BODY_DIGEST, COPY, ORIGIN, PROJECT, is_copy_of, origin_of, texts_of
from bridge.records import dataclass
from bridge.types import Digest, VaultPath

DIGITS = 16
"""Digits of a text's digest that a copy keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewCopy(Request):
    """Replaces the text of a copy, if it is still as it was read."""

    text: str
    digest: Digest
    properties: Mapping[str, Any] = field(default_factory=dict)
    op: Literal["promote_note"] = "promote_note"

    def plan(self, draft: Draft, context: RequestContext) -> Effect:
        old = read_unchanged(self.path, self.digest, draft, context).decode("utf-8", "surrogateescape")
        cut = cut_frontmatter(old)
        new = f"{old[: cut[1] if cut else 0]}{self.text}".encode("utf-8", "surrogateescape")
        draft.replace(
            self.path, edit_properties(self.path, new, self.properties, (), context.obsidian().property_types)
        )
        return Effect()


def body_digest(text: str) -> str:
    """Return the digest of a text without properties; blank lines around it and names of vaults do not count."""
    return hashlib.sha256(without_vaults(text).encode()).hexdigest()[:DIGITS]


def body_of(note: Note) -> str:
    """Return the text of a note without its properties."""
    return note.text[note.body :]


async def find_copy(call: Call, other: Call, note: Note) -> Note | None:
    """Return the copy of a note in the global vault; None if there is none.

    A copy names its original. After that was moved, it is found by the address that the original has.
    """
    notes, ids = other.vault.index.notes, call.host.ids
    path = next((path for path, one in notes.items() if is_copy_of(one.properties, ids, note.path)), None)
    if path is None:
        addresses = texts_of(property_of(note.properties, COPY))
        named = (one for one in notes.values() if copy_address(other, one.path) in addresses)
        path = next((one.path for one in named if _is_from(one.properties, call)), None)
    return None if path is None else await asyncio.to_thread(open_note, other.vault, path)


def copy_address(other: Call, path: VaultPath) -> str:
    return open_address(other.host.root.name, path)


def origin_properties(call: Call, path: VaultPath, text: str, before: Mapping[str, Value]) -> dict[str, Value]:
    origins = [one for one in texts_of(before.get(ORIGIN)) if not _is_replaced(call, path, one)]
    # Of a single original it is known that other names are former ones.
    others = texts_of(before.get(PROJECT)) if origins else ()
    projects = [*dict.fromkeys((*others, call.host.root.name))]
    origins.append(origin_of(call.host.id, path))
    return {
        PROJECT: projects[0] if len(projects) == 1 else projects,
        ORIGIN: origins[0] if len(origins) == 1 else origins,
        BODY_DIGEST: body_digest(text),
    }


def _is_replaced(call: Call, path: VaultPath, origin: str) -> bool:
    id_, _, there = origin.partition("/")
    return id_ in call.host.ids and (there == path or not call.vault.files.has(VaultPath(there)))


def _is_from(properties: Mapping[str, Value], call: Call) -> bool:
    return any(one.startswith(f"{id_}/") for one in texts_of(property_of(properties, ORIGIN)) for id_ in call.host.ids)
