"""Text views of pairs of notes, and of entities."""

from collections.abc import Iterable

from bridge.api.markup import Answer, Column, Element, Table, notice, notices
from bridge.text.counts import count_of

PAIRS = (
    Column("path", role="path"),
    Column("into", " → {}", role="path"),
    Column("confidence", " · {:.0%}"),
    Column("why", lambda why: " · " + ", ".join(why)),
    Column("common", " · {:.0%} in common", detail=True),
    Column("cosine", " · cosine {}", detail=True),
)


def merge_suggestions_view(answer: Answer) -> Iterable[Element]:
    """Show pairs, one per line."""
    total, dismissed = answer["total"], answer.get("dismissed")
    shown = f"{len(answer['pairs'])} of " if len(answer["pairs"]) < total else ""
    besides = f", {dismissed} more dismissed" if dismissed else ""
    yield notice(f"{shown}{count_of(total, 'pair')} of notes that may be one{besides}")
    yield from notices(answer["notices"])
    yield Table(PAIRS, answer["pairs"])
