"""Vectors in one file, for another device with the same notes: by the digests of their texts, without text or path."""

import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Literal

import msgspec
import numpy as np

from bridge.errors import InvalidArguments
from bridge.index.matrix import Floats, Halves
from bridge.private_files import replace_file
from bridge.records import Record

FORMAT_VERSION = 1
"""Version of the file; increased whenever its parts change."""

MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 10_000

DIGEST_BYTES = 32
ROWS_AT_ONCE = 4_096

MAX_COMPRESSION = 4
"""How much smaller vectors can become; more than that, as of zeros, is none."""

COMPRESSED_PARTS = {"upper", "vectors"}
"""The parts that are smaller when compressed."""

Precision = Literal["f16", "int8"]


class Manifest(Record):
    """What a file of vectors says of itself."""

    format: int
    model: str
    dimensions: int
    texts: int
    precision: Precision

    @property
    def widths(self) -> dict[str, int]:
        """The bytes of a text in each part of the file."""
        if self.precision == "f16":
            # Apart, since only the upper bytes can be compressed.
            return {"digests": DIGEST_BYTES, "upper": self.dimensions, "lower": self.dimensions}
        return {"digests": DIGEST_BYTES, "scales": 4, "vectors": self.dimensions}


def write_vectors(path: Path, model: str, digests: Sequence[bytes], vectors: Halves, precision: Precision) -> None:
    """Write vectors to a file, replacing it; blocks."""
    manifest = Manifest(FORMAT_VERSION, model, vectors.shape[1], len(digests), precision)
    # In this order nothing tells which texts stood beside each other.
    order = sorted(range(len(digests)), key=digests.__getitem__)
    with replace_file(path) as file, zipfile.ZipFile(file, "w", compresslevel=1) as archive:
        archive.writestr(MANIFEST, msgspec.json.encode(manifest))
        for name in manifest.widths:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED if name in COMPRESSED_PARTS else zipfile.ZIP_STORED
            with archive.open(info, "w", force_zip64=True) as part:
                for at in range(0, len(order), ROWS_AT_ONCE):
                    rows = order[at : at + ROWS_AT_ONCE]
                    part.write(_encode(name, [digests[row] for row in rows], vectors[rows]))


def _encode(name: str, digests: Sequence[bytes], vectors: Halves) -> bytes:
    if name == "digests":
        return b"".join(digests)
    if name in {"upper", "lower"}:
        return vectors.astype("<f2").view(np.uint8)[:, name == "upper" :: 2].tobytes()
    whole = vectors.astype(np.float32)
    scales = np.abs(whole).max(axis=1, keepdims=True) / 127
    encoded: bytes = (scales.astype("<f4") if name == "scales" else np.rint(whole / scales).astype(np.int8)).tobytes()
    return encoded


def is_export(path: Path) -> bool:
    """Return whether a file is one of vectors, as far as its parts tell; blocks."""
    try:
        with zipfile.ZipFile(path) as archive:
            return MANIFEST in archive.namelist()
    except (OSError, zipfile.BadZipFile):
        return False


def read_vectors(
    path: Path, model: str, dimensions: int, wanted: Collection[bytes]
) -> tuple[Manifest, list[bytes], Floats]:
    """Read the vectors of some texts, once the whole file proved sound; blocks.

    Raises:
        InvalidArguments: The file is missing, damaged, or of another model.
    """
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            manifest = _read_manifest(archive)
            if (manifest.model, manifest.dimensions) != (model, dimensions):
                raise InvalidArguments(
                    f"The vectors in `{path}` are of the model `{manifest.model}`; this vault has those of `{model}`.",
                    hint="Choose the same model on both devices, with `vaultside models use`, then export it again.",
                )
            parts = list(_read_parts(archive, manifest, wanted))
    except FileNotFoundError:
        raise InvalidArguments(f"There is no file `{path}`.", hint="Give the file that was exported.") from None
    except (OSError, EOFError, ValueError, RuntimeError, zipfile.BadZipFile, zlib.error, msgspec.MsgspecError) as error:
        raise InvalidArguments(
            f"`{path}` holds no vectors that can be read: {error}.", hint="Nothing was changed. Export it again."
        ) from None
    digests = [digest for found, _ in parts for digest in found]
    return manifest, digests, np.concatenate([np.empty((0, dimensions), np.float32), *(part for _, part in parts)])


def _read_manifest(archive: zipfile.ZipFile) -> Manifest:
    if archive.namelist().count(MANIFEST) != 1 or archive.getinfo(MANIFEST).file_size > MAX_MANIFEST_BYTES:
        raise ValueError("it has no manifest")
    with archive.open(MANIFEST) as part:
        raw = part.read(MAX_MANIFEST_BYTES)
    if (version := msgspec.json.decode(raw, type=dict[str, object]).get("format")) != FORMAT_VERSION:
        raise ValueError(f"its format is {version!r:.20}, and this version of Vaultside reads {FORMAT_VERSION}")
    return msgspec.json.decode(raw, type=Manifest)


def _read_parts(
    archive: zipfile.ZipFile, manifest: Manifest, wanted: Collection[bytes]
) -> Iterator[tuple[list[bytes], Floats]]:
    widths = manifest.widths
    if sorted(archive.namelist()) != sorted([MANIFEST, *widths]):
        raise ValueError("its parts are others")
    for name, width in widths.items():
        part = archive.getinfo(name)
        if part.file_size != width * manifest.texts or part.file_size > MAX_COMPRESSION * part.compress_size + 100:
            raise ValueError(f"`{name}` has another size than it should")
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {name: stack.enter_context(archive.open(name)) for name in widths}
        for at in range(0, manifest.texts, ROWS_AT_ONCE):
            count = min(ROWS_AT_ONCE, manifest.texts - at)
            data = {name: _read_exactly(file, count * widths[name]) for name, file in files.items()}
            digests = [
                data["digests"][row : row + DIGEST_BYTES] for row in range(0, count * DIGEST_BYTES, DIGEST_BYTES)
            ]
            vectors = _decode(data, count)
            if not (np.abs(np.linalg.norm(vectors, axis=1) - 1) < 0.1).all():
                raise ValueError("a vector has not the length 1")
            rows = [row for row, digest in enumerate(digests) if digest in wanted]
            yield [digests[row] for row in rows], vectors[rows]


def _read_exactly(file: IO[bytes], size: int) -> bytes:
    data = file.read(size)
    if len(data) != size:
        raise EOFError("it ends too early")
    return data


def _decode(data: dict[str, bytes], count: int) -> Floats:
    if "scales" in data:
        whole = np.frombuffer(data["vectors"], np.int8).reshape(count, -1).astype(np.float32)
        scaled: Floats = whole * np.frombuffer(data["scales"], "<f4")[:, None]
        scaled /= np.linalg.norm(scaled, axis=1, keepdims=True)
        return scaled
    both = [np.frombuffer(data[name], np.uint8).reshape(count, -1) for name in ("lower", "upper")]
    halves: Halves = np.stack(both, axis=2).view("<f2")[..., 0]
    return halves.astype(np.float32)
