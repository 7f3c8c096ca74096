"""A ranked note as a caller sees it: its best passage cut, and why it is there."""

from typing import TYPE_CHECKING

from bridge.index import IndexedNote
from bridge.retrieval.fuse import Fused
from bridge.retrieval.matching import Wanted
from bridge.retrieval.request import Hit
from bridge.retrieval.snippet import below_headings, clean, cut
from bridge.retrieval.why import Reasons, why

if TYPE_CHECKING:
    from bridge.index import Passage


def shown(
    note: IndexedNote, ranked: Fused, passage: "Passage | None", reasons: Reasons, wanted: Wanted, twins: int = 0
) -> Hit:
    """Return a note as a hit.

    Args:
        note: The note.
        ranked: Its place among the others.
        passage: What of it to show; None when it has no text.
        reasons: What the lanes found.
        wanted: What to mark.
        twins: How many other notes hold the same passage and are left out.
    """
    text = clean(passage.text) if passage is not None else ""
    matches = wanted.find(text)
    return Hit(
        path=ranked.path,
        title=note.title,
        heading=passage.heading if passage is not None else "",
        lines=passage.lines if passage is not None else (1, 1),
        snippet=cut(*below_headings(passage.text, text, matches)) if passage is not None else "",
        score=round(ranked.score, 4),
        why=why(ranked.path, reasons, text, matches, twins),
        tags=note.tags,
        modified=note.modified,
        digest=note.digest,
    )
