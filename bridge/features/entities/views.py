"""Text views of pairs of notes, and of entities."""

from collections.abc import Iterable

from bridge.api.markup import Answer, Column, Element, Table, notice, notices
from bridge.text.counts import count_of
from bridge.text.invisible import inline

PAIRS = (
    Column("path", role="path"),
    Column("into", " → {}", role="path"),
    Column("confidence", " · {:.0%}"),
    Column("why", lambda why: " · " + ", ".join(why)),
    Column("common", " · {:.0%} in common", detail=True),
    Column("cosine", " · cosine {}", detail=True),
)

ENTITIES = (
    Column("path", role="path"),
    Column("aliases", lambda aliases: " · also " + ", ".join(map(inline, aliases))),
    Column("category", lambda category: f" · {inline(category)}"),
    Column("category_from", " by {}", detail=True),
    Column("hub", " · {} of 100"),
    Column("linked", " · linked from {}"),
    Column("mentioned", " · named in {}"),
    Column("last", " · {}", detail=True),
)


def merge_suggestions_view(answer: Answer) -> Iterable[Element]:
    total, dismissed = answer["total"], answer.get("dismissed")
    shown = f"{len(answer['pairs'])} of " if len(answer["pairs"]) < total else ""
    besides = f", {dismissed} more dismissed" if dismissed else ""
    yield notice(f"{shown}{count_of(total, 'pair')} of notes that may be one{besides}")
    yield from notices(answer["notices"])
    yield Table(PAIRS, answer["pairs"])


def entity_list_view(answer: Answer) -> Iterable[Element]:
    total = answer["total"]
    shown = f"{len(answer['entities'])} of " if len(answer["entities"]) < total else ""
    kinds = ", ".join(f"{inline(kind)} {count}" for kind, count in answer["categories"].items())
    yield notice(f"{shown}{total:,} entities" + (f": {kinds}" if kinds else ""))
    yield Table(ENTITIES, answer["entities"])
