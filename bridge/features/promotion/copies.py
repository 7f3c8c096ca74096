"""The copy of a note in the global vault: whether there is one, and the changes that make it or bring it up to date."""

import asyncio
import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from msgspec import field

from bridge.api.call import Call
from bridge.api.note_text import open_note, read_text
from bridge.changes.draft import Draft
from bridge.changes.effect import Effect
from bridge.changes.requests.base import Request, RequestContext, read_unchanged
from bridge.features.memory.public import BODY_DIGEST, COPY, ORIGIN, PROJECT, is_copy_of, origin_of
from bridge.markdown.edit.places import normalise_newlines
from bridge.markdown.edit.properties import edit_properties
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.kinds import title_of
from bridge.markdown.links import percent_decode, target_file, target_subpath
from bridge.markdown.names import Names
from bridge.markdown.note import Link, Note, Value, property_of, texts_of
from bridge.records import Record
from bridge.search.related import find_related
from bridge.text.overlap import find_overlaps
from bridge.types import Digest, VaultPath

KEPT: Final = (
    *("type", "kind", "tags", "aliases", "scope", "confidence", "tier", "resolved", "superseded_by", "expires"),
    *("title", "valid_from", "valid_until", "private_to", "deny_agents"),
)
"""Properties that a copy keeps: the kind of note, who may be told about it, and how long it is valid."""

_BRACKET: Final = re.compile(r"[\[\]]")
_SIZE: Final = re.compile(r"\d+(x\d+)?")
_VAULT: Final = re.compile(r"(obsidian://open\?vault=)[^&)\s]*")


class CopiedText(Record):
    """The text of a copy, without properties."""

    text: str
    embeds: tuple[str, ...]
    """What the note shows and the copy only links to, as written."""


def open_address(vault: str, path: str, place: str = "") -> str:
    return f"obsidian://open?vault={quote(vault, safe='')}&file={quote(path.removesuffix('.md') + place, safe='')}"


def copy_text(note: Note, vault: str, names: Names, copy: VaultPath, there: Names) -> CopiedText:
    """Return the text of a note for another vault; a link that means a note there too stays as it is."""
    parts: list[str] = []
    embeds: list[str] = []
    end = note.body
    for link in note.links:
        start = link.span[0]
        target = names.resolve(link.target, note.path, link.kind).path
        if start < end or target is None or _is_there(link, copy, there):
            continue
        place = target_subpath(link.target)
        place = percent_decode(place) if link.kind == "markdown" else place
        address, is_itself = open_address(vault, target, place), target == note.path
        linked = f"[[{title_of(copy)}{place}]]" if is_itself else f"[{_label(link, target)}]({address})"
        parts += [note.text[end:start], linked]
        end = link.span[1]
        if link.embed and not is_itself:
            embeds.append(note.text[slice(*link.span)])
    return CopiedText("".join((*parts, note.text[end:])).lstrip("\n"), tuple(embeds))


def kept_properties(properties: Mapping[str, Value], type_: str | None) -> dict[str, Value]:
    """Return the properties that a copy keeps; without another type, a journal or plain note becomes a pattern."""
    kept = {name: value for name, value in properties.items() if name.casefold() in KEPT}
    own = next((name for name in kept if name.casefold() == "type"), "type")
    if type_ is not None or (kept.get(own) or "journal") == "journal":
        kept[own] = type_ or "pattern"
    return kept


def without_vaults(text: str) -> str:
    """Return a text without the vaults in its addresses, in which copies of one note from two vaults differ."""
    return _VAULT.sub(r"\1", normalise_newlines(text).strip())


def _is_there(link: Link, copy: VaultPath, there: Names) -> bool:
    """Return whether a link in the copy leads to a file of the other vault; one within the note always does."""
    return not target_file(link.target, link.kind) or there.resolve(link.target, copy, link.kind).path is not None


def _label(link: Link, target: VaultPath) -> str:
    if link.kind == "markdown" and link.shown:
        return link.shown
    shown = "" if link.embed and _SIZE.fullmatch(link.shown or "") else link.shown or ""
    name = title_of(target) if target.endswith(".md") else target.rpartition("/")[2]
    place = target_subpath(link.target).strip("#^").replace("#", " > ").strip()
    return _BRACKET.sub(r"\\\g<0>", shown or " > ".join(filter(None, (name, place))))


DIGITS = 16
"""Digits of a text's digest that a copy keeps."""


class RenewCopy(Request, kw_only=True, tag="promote_note"):
    """Replaces the text of a copy, if it is still as it was read."""

    text: str
    digest: Digest
    properties: Mapping[str, Any] = field(default_factory=dict)

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


CANDIDATES: Final = 8
"""Notes compared, the most related ones."""

MAX_TEXT_CHARS: Final = 20_000
"""Characters of a text that are compared."""

MIN_OVERLAP: Final = 0.6
"""The share of a note's word sequences from which another repeats it."""

MIN_COSINE: Final = 0.9
"""The similarity in meaning from which it does."""


class LikeNote(Record):
    """A note of the global vault that says much of the same.

    Attributes:
        vault: The global vault, by name.
        path: The note.
        share: The share of the text that it contains, 0–1.
        cosine: Similarity in meaning; null without a model.
    """

    vault: str
    path: VaultPath
    share: float
    cosine: float | None = None


async def find_like_notes(call: Call, other: Call, note: Note) -> tuple[LikeNote, ...]:
    """Return the notes of the global vault that repeat a note, the most similar first."""
    vault, text = other.vault, note.text[note.body :][:MAX_TEXT_CHARS]
    cosines = await _cosines(call, other, note.path)
    near = await find_related(await vault.sources_among("all"), path=None, text=text, limit=CANDIDATES)
    paths = dict.fromkeys((*(hit.path for hit in near.hits), *cosines))
    texts = {path: await asyncio.to_thread(read_text, vault, path) for path in paths}
    shares = dict(await asyncio.to_thread(find_overlaps, text, texts, least=MIN_OVERLAP))
    found = (
        LikeNote(other.host.name, path, round(shares.get(path, 0.0), 2), cosines.get(path))
        for path in paths
        if path in shares or path in cosines
    )
    return tuple(sorted(found, key=lambda one: (-max(one.share, one.cosine or 0.0), one.path)))


async def _cosines(call: Call, other: Call, path: VaultPath) -> dict[VaultPath, float]:
    """Return the notes that are close in meaning to a note of another vault; none unless one model reads both."""
    index, there = call.vault.index, other.vault.index.view("all")
    vector = index.vector_of(path) if index.answering_model == there.answering_model else None
    if vector is None:
        return {}
    found = {}
    for hit in await there.nearest(vector, CANDIDATES):
        # By its best passage so far; what counts is the whole note.
        if (whole := there.vector_of(hit.path)) is not None and (cosine := float(vector @ whole)) >= MIN_COSINE:
            found[hit.path] = round(cosine, 2)
    return found
