"""Orders the best notes of a search by reading the query together with each note's passage."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from bridge.index.note import IndexedNote
from bridge.index.rows import StoredPassage
from bridge.records import dataclass
from bridge.search.fuse import FusedHit
from bridge.search.model import ScorePassages
from bridge.search.snippet import clean_text
from bridge.types import VaultPath

MOST_READ = 40
"""Notes that are read closely at most."""

_AS_HYBRID = "The order is that of `hybrid`."


@dataclass(frozen=True, slots=True)
class CloseReading:
    """Notes in their new order, those that were read, and notices if not all were."""

    ranked: Sequence[FusedHit]
    read: frozenset[VaultPath] = field(default_factory=frozenset)
    notices: tuple[str, ...] = ()


async def read_closely(
    score: ScorePassages,
    query: str,
    ranked: Sequence[FusedHit],
    notes: Mapping[VaultPath, IndexedNote],
    texts: Mapping[VaultPath, StoredPassage],
) -> CloseReading:
    """Rank the first notes by their scores for the query; those not read follow in their order."""
    best = [hit for hit in ranked[:MOST_READ] if hit.path in notes and hit.path in texts]
    if not best:
        return CloseReading(ranked)
    found = await score(query, [_readable(notes[hit.path], texts[hit.path]) for hit in best])
    if not found.scores:
        return CloseReading(ranked, notices=(f"{found.problem} {_AS_HYBRID}",))
    read = dict(zip([hit.path for hit in best], found.scores, strict=False))
    first = sorted((hit for hit in best if hit.path in read), key=lambda hit: -read[hit.path])
    others = [hit for hit in ranked if hit.path not in read]
    return CloseReading([*first, *others], frozenset(read), (found.problem,) if found.problem else ())


def _readable(note: IndexedNote, passage: StoredPassage) -> str:
    return "\n".join(part for part in (note.title, passage.heading, clean_text(passage.text)) if part)
