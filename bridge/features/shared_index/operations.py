"""The index beyond one machine: its vectors in a file, and folders in a store that others search."""

import asyncio
import getpass
import hashlib
import platform
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import orjson
from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.hints import File, Folder
from bridge.api.registry import operation
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import ConfirmationRequired, FolderNotFound, InvalidArguments, NotReady
from bridge.features.shared_index.stores import SharedStores
from bridge.index.hits import PassageHit
from bridge.index.note import IndexedNote
from bridge.index.portable import Precision, is_export, read_vectors, write_vectors
from bridge.index.rows import StoredPassage
from bridge.index.shared_store import Publication, SharedStore, publication_schema
from bridge.records import Record
from bridge.text.counts import count_of
from bridge.types import VaultPath, lies_in

LOOK_S = 0.05
PATIENCE_S = 30.0
"""Seconds to wait for the model to be chosen, after a start."""


class ExportedIndex(Record):
    """The file that was written.

    Attributes:
        file: Its path.
        model: The model of the vectors, with the first digits of its digest.
        texts: How many passages and titles it has vectors of.
        bytes: Its size.
    """

    file: str
    model: str
    texts: int
    bytes: int


class ImportedIndex(Record):
    """What a file of vectors was good for.

    Attributes:
        model: The model of the vectors, with the first digits of its digest.
        texts: How many passages and titles the file has vectors of.
        stored: How many of them this vault needed.
        missing: Passages that still have no vector; they are embedded here.
    """

    model: str
    texts: int
    stored: int
    missing: int


@operation(
    example={"file": "/home/me/Notes.index"},
    reads=False,
    idempotent=True,
    scope="write",
    tool=False,
)
async def export_index(call: Call, file: File, precision: Precision = "f16", overwrite: bool = False) -> ExportedIndex:
    """Write the vectors of all notes to a file for `import_index` on another device.

    It holds no text, title or path, only digests of the texts: who has it can find out whether a note contains a
    passage that they guess word for word. Denied notes are left out.

    Args:
        file: The file.
        precision: `int8` halves the file, and moves vectors a little.
        overwrite: Replace a file that was exported before.

    Raises:
        Forbidden: The caller is no program of the user.
        FolderNotFound: The folder of the file does not exist.
        NotReady: No model has embedded the notes yet.
    """
    call.principal.require_local("export-index")
    call.vault.require_keyword()
    path = absolute_path(file)
    if not path.parent.is_dir():
        raise FolderNotFound(f"There is no folder `{path.parent}`.", hint="Create it first, or give another file.")
    refuse_in_vaults(call, path)
    if path.exists() and not (overwrite and is_export(path)):
        raise InvalidArguments(
            f"`{path}` exists.", hint="Give another file; `overwrite` replaces one that was exported before."
        )
    found = await call.vault.index.vectors.collect()
    if found is None:
        raise call.vault.why_not_by_meaning()
    model, digests, vectors = found
    await asyncio.to_thread(write_vectors, path, model, digests, vectors, precision)
    return ExportedIndex(str(path), model, len(digests), path.stat().st_size)


@operation(
    example={"file": "/home/me/Notes.index"},
    reads=False,
    idempotent=True,
    scope="write",
    tool=False,
)
async def import_index(call: Call, file: File) -> ImportedIndex:
    """Take the vectors of notes from a file of `export_index`, instead of embedding the notes here.

    A damaged file changes nothing.

    Args:
        file: The file.

    Raises:
        Forbidden: The caller is no program of the user.
        InvalidArguments: The file is missing, damaged, or of another model.
        ModelMissing: No model is installed.
    """
    call.principal.require_local("import-index")
    path, vault = absolute_path(file), call.vault
    vault.require_keyword()
    async with vault.backfill.lock:
        model, dimensions = await _requested_model(vault)
        wanted = vault.index.vectors.unmet_texts
        manifest, digests, vectors = await asyncio.to_thread(read_vectors, path, model, dimensions, wanted)
        stored = await vault.index.import_vectors(digests, vectors)
    vault.backfill.hurry()
    return ImportedIndex(model, manifest.texts, stored, vault.index.pending_vectors())


async def _requested_model(vault: OpenVault) -> tuple[str, int]:
    """Return the model that is to embed the vault, once it is chosen, and its dimensions."""
    ends = time.monotonic() + PATIENCE_S
    vault.backfill.hurry()
    while (key := vault.index.vectors.backfill) is None or vault.backfill.model is None:
        if vault.embedders.trouble or time.monotonic() > ends:
            raise vault.why_not_by_meaning()
        await vault.signal.wait(LOOK_S)
    return key, vault.backfill.model.model.spec.dimensions


def refuse_in_vaults(call: Call, path: Path) -> None:
    """Refuse to write among notes, where nothing would keep what was there."""
    for host in call.bridge.vaults.values():
        if path.resolve().is_relative_to(host.root.resolve()):
            raise InvalidArguments(f"`{path}` is in the vault {host.name}.", hint="Give a place outside of it.")


def absolute_path(file: str) -> Path:
    path = Path(file).expanduser()
    if not path.is_absolute():
        raise InvalidArguments(f"`{file}` is not an absolute path.", hint="Begin it at the root of the disk.")
    return path


Uri = Annotated[str, Meta(max_length=1_000)]

NOTES_AT_ONCE = 32
"""Notes whose passages are gathered between two pauses of the event loop."""

MAX_LISTED_NOTES = 100


class PublishedFolders(Record):
    """What a store holds of a vault.

    Attributes:
        uri: The store.
        folders: The folders that are published; an empty one is the whole vault.
        notes: Notes in the store.
        passages: Their passages.
        written: Notes that were new or changed.
        removed: Notes that were erased from the store.
        model: The model of the vectors; null where words alone are searched.
        paths: The first 100 notes that a dry run would write.
        dry_run: Whether nothing was written, as this is a dry run; absent otherwise.
    """

    uri: str
    folders: tuple[str, ...]
    notes: int
    passages: int
    written: int
    removed: int
    model: str | None = None
    paths: tuple[VaultPath, ...] = ()
    dry_run: bool | None = None


class RetractedFolders(Record):
    """What was removed from a store.

    Attributes:
        uri: The store.
        folders: The folders that were published there.
        notes: How many notes that were.
    """

    uri: str
    folders: tuple[str, ...]
    notes: int


class _Plan(Record):
    """The notes to publish, by the digest of their path, with what tells their state."""

    notes: Mapping[str, IndexedNote]
    states: Mapping[str, str]
    written: Sequence[str]
    removed: Collection[str]


@operation(
    example={"uri": "/home/me/Team", "folders": ["Bread"], "dry_run": True},
    reads=False,
    idempotent=True,
    scope="write",
    tool=False,
    open_world=True,
)
async def publish(
    call: Call, uri: Uri, folders: tuple[Folder, ...] = (), dry_run: bool = False, confirm: bool = False
) -> PublishedFolders:
    """Write the passages and vectors of some folders to a store, where others who add it can search them.

    Later calls write what changed, and erase what was deleted or denied meanwhile. Denied notes are never published,
    those of agents only where their folder is named. Who can read the store can read these notes.

    Args:
        uri: A folder by its absolute path, or an object store such as `s3://bucket/folder`; credentials are taken from
            the environment.
        folders: The folders, in place of those published there before; by default the same.
        dry_run: Only show what would be published.
        confirm: Publish folders that were not published there before.

    Raises:
        Forbidden: The caller is no program of the user.
        FolderNotFound: There is no such folder, or no note in one to publish.
        ConfirmationRequired: These folders were not published there before.
        Busy: Another device publishes the same vault.
    """
    call.principal.require_local("publish")
    vault = call.vault
    vault.require_keyword()
    store, name = await call.bridge.part(SharedStores).open(uri), publication_name(vault)
    if "://" not in store.uri:
        refuse_in_vaults(call, Path(store.uri))
    before = await store.publication(name)
    chosen = tuple(sorted(set(folders))) or (before.folders if before is not None else ())
    if not chosen:
        raise InvalidArguments("Nothing was published there yet.", hint='Name `folders`; "" is the whole vault.')
    plan = await _plan(store, name, vault, chosen, before)
    for folder in chosen:
        if not any(_is_in(note.path, [folder]) for note in plan.notes.values()):
            raise FolderNotFound(f"There is no note to publish in `{folder}`.", hint="`list_folders` lists folders.")
    if dry_run:
        paths = tuple(sorted(plan.notes[note].path for note in plan.written)[:MAX_LISTED_NOTES])
        return replace(_describe(store, _publication(vault, chosen, plan), plan, paths), dry_run=True)
    if not set(chosen) <= set(before.folders if before is not None else ()) and not call.is_confirmed(confirm):
        listed = ", ".join(f"`{folder}`" if folder else "the whole vault" for folder in chosen)
        would = f"let everybody who can read `{store.uri}` read {count_of(len(plan.notes), 'note')}: {listed}"
        raise ConfirmationRequired(would=would, subject=f"publication {store.uri}")
    async with store.lease(name):
        while True:
            rules = vault.files.rules
            before = await store.publication(name)
            plan = await _plan(store, name, vault, chosen, before)
            publication = _publication(vault, chosen, plan)
            await _write(store, name, vault, plan, publication, before)
            # A note may have been denied while it was written.
            if vault.files.rules.deny == rules.deny:
                return _describe(store, publication, plan)


@operation(
    example={"uri": "/home/me/Team"},
    reads=False,
    idempotent=True,
    destructive=True,
    scope="write",
    tool=False,
    open_world=True,
)
async def retract(call: Call, uri: Uri) -> RetractedFolders:
    """Erase all that was published of a vault from a store, text and vectors, in every file.

    Copies that others made of the store stay with them.

    Args:
        uri: The store.

    Raises:
        Forbidden: The caller is no program of the user.
        FolderNotFound: The store is a folder that does not exist.
        Busy: Another device publishes the same vault.
    """
    call.principal.require_local("retract")
    store, name = await call.bridge.part(SharedStores).open(uri), publication_name(call.vault)
    before = None
    # A retraction that was interrupted leaves what cannot be read.
    with suppress(NotReady):
        before = await store.publication(name)
    async with store.lease(name):
        await store.drop(name)
    return RetractedFolders(store.uri, before.folders if before else (), before.notes if before else 0)


def publication_name(vault: OpenVault) -> str:
    """Return the name of a vault in stores: the same each time, but another one for each device."""
    return hashlib.sha256(f"{vault.id}\0{platform.node()}".encode()).hexdigest()[:16]


def _is_in(path: VaultPath, folders: Collection[str]) -> bool:
    return "" in folders or lies_in(path, folders)


async def _plan(
    store: SharedStore, name: str, vault: OpenVault, folders: Sequence[str], before: Publication | None
) -> _Plan:
    index, agents = vault.index, agents_folder(vault.settings)
    await index.vectors.load()
    named = [folder for folder in folders if folder == agents.path or agents.holds(folder)]
    notes = {
        hashlib.sha256(path.encode()).hexdigest()[:32]: note
        for path, note in index.notes.items()
        if note.passages and _is_in(path, named if agents.holds(path) else folders)
    }
    model = index.answering_model or ""
    states = {
        key: f"{note.digest[:24]}.{note.recipe}.{model}.{index.is_embedded(note.path):d}" for key, note in notes.items()
    }
    there = await store.states(name) if before is not None and before.model == index.answering_model else {}
    written = [key for key, state in states.items() if there.get(key) != state]
    return _Plan(notes, states, written, there.keys() - notes.keys())


def _publication(vault: OpenVault, folders: tuple[str, ...], plan: _Plan) -> Publication:
    passages = sum(note.passages for note in plan.notes.values())
    model, who = vault.index.answering_model, getpass.getuser()
    return Publication(vault.name, who, time.time(), folders, model, len(plan.notes), passages)


def _describe(
    store: SharedStore, publication: Publication, plan: _Plan, paths: tuple[VaultPath, ...] = ()
) -> PublishedFolders:
    return PublishedFolders(
        uri=store.uri,
        folders=publication.folders,
        notes=publication.notes,
        passages=publication.passages,
        written=len(plan.written),
        removed=len(plan.removed),
        model=publication.model,
        paths=paths,
    )


async def _write(
    store: SharedStore,
    name: str,
    vault: OpenVault,
    plan: _Plan,
    publication: Publication,
    before: Publication | None,
) -> None:
    import pyarrow as pa

    overwrite = before is None or before.model != publication.model
    schema = publication_schema(vault.index.vectors.answering_dimensions)
    parts = [schema.empty_table()]
    for at in range(0, len(plan.written), NOTES_AT_ONCE):
        rows = await _rows(vault, plan, plan.written[at : at + NOTES_AT_ONCE])
        parts.append(await asyncio.to_thread(pa.Table.from_pylist, rows, schema))
    if plan.written or plan.removed or overwrite or before is None or before.folders != publication.folders:
        await store.write(
            name, publication, pa.concat_tables(parts), {*plan.written, *plan.removed}, overwrite=overwrite
        )
    await store.finish(name, removes=bool(plan.removed) or (bool(plan.written) and not overwrite))


async def _rows(vault: OpenVault, plan: _Plan, keys: Sequence[str]) -> list[dict[str, Any]]:
    index, rows = vault.index, []
    hits = [PassageHit(plan.notes[key].path, at, 0.0) for key in keys for at in range(plan.notes[key].passages)]
    passages: dict[VaultPath, list[StoredPassage]] = {}
    for passage in await index.text_of(hits, as_written=True):
        passages.setdefault(passage.path, []).append(passage)
    for key in keys:
        note = plan.notes[key]
        # One that changed or was denied meanwhile is published the next time.
        if index.notes.get(note.path) is note and not vault.files.rules.denies(note.path):
            rows += [_row(vault, key, plan.states[key], note, passage) for passage in passages.get(note.path, ())]
    return rows


def _row(vault: OpenVault, key: str, state: str, note: IndexedNote, passage: StoredPassage) -> dict[str, Any]:
    before = f"{note.title}\n{passage.heading}\n"
    vector = vault.index.vector_of(note.path, passage.ordinal)
    return {
        "id": f"{key}-{passage.ordinal}",
        "note": key,
        "state": state,
        "path": note.path,
        "title": note.title,
        "heading": passage.heading,
        "text": before + passage.text,
        "start": len(before),
        "properties": orjson.dumps(dict(note.properties), default=str).decode(),
        "digest": note.digest,
        "first": passage.lines[0],
        "last": passage.lines[1],
        "tags": list(note.tags),
        "links": list(dict.fromkeys(target for target, _ in note.targets)),
        "modified": note.mtime,
        "vector": None if vector is None else vector.astype(np.float16),
    }
