"""What the shape of the graph tells of a vault."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Literal, get_args

from annotated_types import Interval

from bridge.operations import shapes, standing
from bridge.operations.call import Call
from bridge.operations.charts import DRAWN, Kinds
from bridge.operations.registry import operation
from bridge.operations.shapes import Articulation, Community, Hub, SoleLink
from bridge.operations.standing import Gap, LinkCounts, NoteCount, StrongPair, Stub

Part = Literal[
    "hubs",
    "pagerank",
    "orphans",
    "dead_ends",
    "sources",
    "stubs",
    "communities",
    "bridges",
    "articulations",
    "strong_pairs",
    "gaps",
]


@dataclass(frozen=True, slots=True)
class PartTotals:
    """How many there are in all of the parts that were asked for; orphans, dead ends and sources tell theirs.

    Attributes:
        hubs: Notes that are joined to others.
        pagerank: The same notes, in another order.
        stubs: Names that notes link to and that no note has.
        communities: Groups of three notes or more.
        bridges: Pairs whose link alone joins two parts.
        articulations: Notes without which the graph falls apart.
        strong_pairs: Notes that link to each other both ways.
    """

    hubs: int | None = None
    pagerank: int | None = None
    stubs: int | None = None
    communities: int | None = None
    bridges: int | None = None
    articulations: int | None = None
    strong_pairs: int | None = None


@dataclass(frozen=True, slots=True)
class GraphInsights:
    """What stands out in the graph; parts that were not asked for are absent.

    Attributes:
        counts: How much there is of everything.
        totals: How many there are of each part.
        offset: How many of each part come before these.
        hubs: Notes joined to many that are joined to many, the greatest first.
        pagerank: Notes that a reader who follows links comes by most, by PageRank; many of them are hubs too.
        orphans: Notes without any link in either direction.
        dead_ends: Notes that are linked to and link nowhere.
        sources: Notes that link and that nothing links to.
        stubs: Names that notes link to and that no note has, the most wanted first.
        communities: Groups of notes with more links inside than between them, by Leiden's method, the largest first.
        bridges: Pairs whose link alone joins two parts of the graph, those that join most first.
        articulations: Notes without which the graph falls apart, those that hold most first.
        strong_pairs: Notes that link to each other both ways, those with most links first.
        gaps: Notes that others keep linking to together and that do not link to each other: perhaps they should.
    """

    counts: LinkCounts
    totals: PartTotals
    offset: int
    hubs: tuple[Hub, ...] | None = None
    pagerank: tuple[Hub, ...] | None = None
    orphans: NoteCount | None = None
    dead_ends: NoteCount | None = None
    sources: NoteCount | None = None
    stubs: tuple[Stub, ...] | None = None
    communities: tuple[Community, ...] | None = None
    bridges: tuple[SoleLink, ...] | None = None
    articulations: tuple[Articulation, ...] | None = None
    strong_pairs: tuple[StrongPair, ...] | None = None
    gaps: tuple[Gap, ...] | None = None


@operation(
    example={"parts": ["hubs", "orphans", "gaps"], "limit": 3},
    tasks=(
        "orphans, hubs and dead ends",
        "notes without any links",
        "communities and clusters of notes",
        "most linked notes",
        "overview of the structure of the graph",
    ),
)
async def graph_insights(
    call: Call,
    parts: tuple[Part, ...] = (),
    kinds: Kinds = DRAWN,
    limit: Annotated[int, Interval(ge=1, le=100)] = 5,
    offset: Annotated[int, Interval(ge=0)] = 0,
) -> GraphInsights:
    """Tell what stands out in the graph: hubs, orphans, dead ends, wanted notes, communities, bridges, missing links.

    Args:
        parts: Only these; without, all.
        kinds: What joins notes, as in `graph_neighbours`; orphans, dead ends, sources, stubs and strong pairs are
            always about what is written.
        limit: Most notes, names or pairs of each part.
        offset: How many of each part to pass over, for the next page of a part.
    """
    from bridge.graph import census

    chart = await call.engine.waiting.chart()
    wanted: tuple[Part, ...] = parts or get_args(Part)
    counted = await asyncio.to_thread(census, chart.graph)
    page = slice(offset, offset + limit)
    found: dict[str, object] = {}
    totals: dict[str, int] = {}
    for part in dict.fromkeys(wanted):
        match part:
            case "orphans" | "dead_ends" | "sources":
                found[part] = await asyncio.to_thread(standing.lacking, chart, counted, part, page)
            case "stubs" | "strong_pairs":
                found[part], totals[part] = await asyncio.to_thread(getattr(standing, part), chart, page)
            case "gaps":
                found[part] = standing.gaps(chart, (await call.engine.atlas.gaps(chart, kinds, page.stop))[offset:])
            case "hubs" | "pagerank" | "communities" | "bridges" | "articulations":
                shape = await call.engine.atlas.shape(chart, kinds)
                found[part], totals[part] = await asyncio.to_thread(getattr(shapes, part), chart, shape, page)
    return GraphInsights(standing.counts(counted), PartTotals(**totals), offset, **found)  # type: ignore[arg-type]  # by the names of its fields
