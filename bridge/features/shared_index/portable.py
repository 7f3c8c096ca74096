"""The vectors of a vault in a file, so that another device with the same notes need not embed them again."""

import asyncio
import time
from pathlib import Path

from bridge.api.call import Call
from bridge.api.hints import File
from bridge.api.registry import operation
from bridge.engine.open_vault import OpenVault
from bridge.errors import FolderNotFound, InvalidArguments
from bridge.index.portable import Precision, is_export, read_vectors, write_vectors
from bridge.records import Record

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
    example={"file": "/home/anna/Notes.index"},
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
    example={"file": "/home/anna/Notes.index"},
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
