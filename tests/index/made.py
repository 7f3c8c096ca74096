"""Notes, indexes and vectors for the tests of the index."""

import asyncio
import hashlib
import os
import random
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np

from bridge.index.boilerplate import Boilerplate
from bridge.index.index import Index
from bridge.index.inverted_index import TextQuery
from bridge.index.matrix import Floats
from bridge.index.prepare import PreparedNote, prepare
from bridge.markdown.documents import read_document
from bridge.types import VaultPath
from bridge.vault.scan import Stat

MODEL = "made-000000000000"
DIMENSIONS = 32


def prepared(
    path: str, text: str, *, boilerplate: Boilerplate | None = None, mtime_ns: int = 1_700_000_000_000_000_000
) -> PreparedNote:
    """Prepare a note as if it had been read from a vault."""
    data = text.encode("utf-8", "surrogatepass")
    note = read_document(VaultPath(path), data)
    return prepare(note, Stat(mtime_ns, len(data)), boilerplate or Boilerplate())


def learn_from(texts: Iterable[str], folder: str = "") -> Boilerplate:
    """Learn the recurring lines of notes with these texts."""
    return Boilerplate.learn((VaultPath(f"{folder}{at}.md"), text) for at, text in enumerate(texts))


def all_of(notes: Mapping[str, str]) -> list[PreparedNote]:
    """Prepare several notes, later ones newer."""
    return [prepared(path, text, mtime_ns=10**18 + at) for at, (path, text) in enumerate(notes.items())]


async def opened(folder: Path, notes: Mapping[str, str] | None = None) -> Index:
    """Open an index, with some notes in it."""
    index = await asyncio.to_thread(Index.open, folder)
    if notes:
        await index.write(all_of(notes))
    return index


DAMAGES = ("cut", "flip", "other", "empty")
"""The ways in which `damage_file` damages a file."""


def damage_file(file: Path, damage: str) -> bytes:
    """Damage a file of arrays, and return what it contains now."""
    content = bytearray(file.read_bytes())
    match damage:
        case "cut":
            del content[-9:]
        case "flip":
            content[random.Random(5).randrange(16, len(content))] ^= 4
        case "other":
            # As another version of the format, whose number ends the mark.
            content[6:8] = b"99"
        case "empty":
            content.clear()
    file.write_bytes(content)
    return bytes(content)


def vector(text: str) -> Floats:
    """Embed a text pseudo-randomly, the same way each time; texts that share words are near each other."""
    total = np.zeros(DIMENSIONS, np.float32)
    for word in text.casefold().split() or [""]:
        seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "replace")).digest()[:8], "little")
        total += np.random.default_rng(seed).normal(size=DIMENSIONS).astype(np.float32)
    unit: Floats = (total / np.linalg.norm(total)).astype(np.float32)
    return unit


async def embed_all(index: Index, *, at_once: int = 64) -> list[str]:
    """Embed every text.

    Returns:
        The texts, in the order in which they were requested.
    """
    texts: list[str] = []
    while batch := await index.find_missing_vectors(at_once):
        await index.add_vectors([each.digest for each in batch], np.stack([vector(each.text) for each in batch]))
        texts += [each.text for each in batch]
    return texts


def words(*should: str, must: Iterable[str] = ()) -> TextQuery:
    """Return a query for words."""
    return TextQuery(should, tuple(must))


async def paths(hits: Awaitable[Iterable[object]]) -> list[str]:
    """Return the paths of hits, each once, in order."""
    return list(dict.fromkeys(str(hit.path) for hit in await hits))  # type: ignore[attr-defined]


def files(folder: Path) -> dict[Path, bytes]:
    """Read every file below a folder, while files may appear and disappear."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                found[Path(place, name)] = Path(place, name).read_bytes()
    return found


async def until(claim: Callable[[], bool], seconds: float = 300.0) -> None:
    """Wait until a condition is true."""
    async with asyncio.timeout(seconds):
        while not claim():
            await asyncio.sleep(0.02)


def sentence(seed: int, count: int = 60) -> str:
    """Generate a paragraph of made-up words, a different one for each seed."""
    dice = random.Random(seed)
    return " ".join(f"{dice.choice(SYLLABLES)}{dice.choice(SYLLABLES)}{dice.choice(SYLLABLES)}" for _ in range(count))


SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
