"""The texts of notes that have no vector yet, for the model."""

from collections.abc import Sequence

from bridge.index.matrix import TextDigests
from bridge.index.open import OpenIndex
from bridge.records import dataclass
from bridge.types import Digest

DueNote = tuple[int, TextDigests, set[bytes]]
"""The key of a note, its texts, and those of them that need a vector."""


@dataclass(frozen=True, slots=True)
class MissingVector:
    """A text without a vector; `passage` is false for a title."""

    digest: Digest
    text: str
    passage: bool


async def read_missing(opened: OpenIndex, due: Sequence[DueNote], limit: int) -> list[MissingVector]:
    """Read the texts that need a vector, `limit` of them or fewer, in the order of the notes."""
    # Read now: a note's title may change while the texts of passages are read.
    titles = {key: _title_text(opened, key) for key, digests, wanted in due if digests.title in wanted}
    texts = await _passage_texts(opened, due)
    found: list[MissingVector] = []
    for key, digests, wanted in due:
        if opened.catalogue.at_key(key) is None:
            continue
        if key in titles:
            found.append(MissingVector(Digest(digests.title.hex()), titles[key], passage=False))
        found += [
            MissingVector(Digest(digest.hex()), texts[digest], passage=True)
            for digest in dict.fromkeys(digests.passages)
            if digest in wanted and digest != digests.title and digest in texts
        ]
    return found[:limit]


def _title_text(opened: OpenIndex, key: int) -> str:
    note = opened.catalogue.at_key(key)
    entry = opened.catalogue.entry(note.path) if note else None
    return entry.title_text if entry else ""


async def _passage_texts(opened: OpenIndex, due: Sequence[DueNote]) -> dict[bytes, str]:
    wheres = []
    for key, digests, wanted in due:
        ordinals = [str(at) for at, digest in enumerate(digests.passages) if digest in wanted]
        if ordinals:
            wheres.append(f"(key = {key} AND ordinal IN ({', '.join(ordinals)}))")
    if not wheres:
        return {}
    rows = await opened.passages.fetch(["digest", "embed_text"], " OR ".join(wheres))
    return dict(zip(rows["digest"].to_pylist(), rows["embed_text"].to_pylist(), strict=True))
