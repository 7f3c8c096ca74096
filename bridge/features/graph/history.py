"""Records the graph of each day, and reports how it grew week by week."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Annotated, Never

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.registry import operation
from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.links.public import census as link_census
from bridge.graph.graph import census
from bridge.records import Record
from bridge.state.graph_days import Day, LinkCounts
from bridge.state.store import Store
from bridge.types import VaultPath

log = logging.getLogger(__name__)

RECORD_EVERY_S = 900.0
"""Seconds between recordings of the graph."""


async def record_graph_daily(vault: OpenVault) -> Never:
    """Record the graph periodically once all links are resolved, until cancelled."""
    while True:
        while not vault.indexer.link_resolver.is_settled:
            await vault.signal.wait()
        try:
            await record_graph(vault)
        except BridgeError as error:
            log.warning("How the graph is today is not kept: %s", error.code)
        await asyncio.sleep(RECORD_EVERY_S)


async def record_graph(vault: OpenVault) -> None:
    rules = vault.files.rules
    await asyncio.to_thread(save_graph_day, await vault.graph_snapshot(), vault.store)
    if vault.files.rules.deny != rules.deny:
        vault.eraser.erase_again()


def save_graph_day(graph_snapshot: GraphSnapshot, store: Store) -> None:
    """Save the measures of a graph; blocks."""
    found = census(graph_snapshot.graph)
    joined = found.joined.tolist()
    today = datetime.now().astimezone().date().isoformat()
    size = link_census.link_counts(found)
    store.graph_days.save(today, size, {path: joined[number] for number, path in graph_snapshot.graph.paths.items()})


class Grown(Record):
    """A note that gained or lost neighbours.

    Attributes:
        path: The note.
        more: Neighbours gained; negative if lost.
    """

    path: VaultPath
    more: int


class GraphWeek(Record):
    """A week of the graph.

    Attributes:
        week: Its Monday.
        counts: Totals at its end.
        appeared: New notes, best-connected first.
        vanished: Removed notes; a moved note is both removed and new.
        grown: Notes that gained or lost neighbours, largest change first.
    """

    week: str
    counts: LinkCounts
    appeared: tuple[VaultPath, ...]
    vanished: tuple[VaultPath, ...]
    grown: tuple[Grown, ...]


class GraphHistory(Record):
    """The growth of the graph.

    Attributes:
        since: First recorded day.
        weeks: Weeks in which the bridge ran, latest first.
    """

    since: str
    weeks: tuple[GraphWeek, ...]


@operation(
    example={"weeks": 4, "limit": 5},
    tasks=("how the graph grew over time", "how many notes were added each week", "growth of the vault"),
)
async def graph_history(
    call: Call, weeks: Annotated[int, Meta(ge=1, le=52)] = 8, limit: Annotated[int, Meta(ge=1, le=100)] = 10
) -> GraphHistory:
    """Report how the graph grew week by week, on days when a bridge ran: new, vanished and newly linked notes.

    Args:
        weeks: Weeks to look back, including this one.
        limit: Maximum notes of each kind per week.
    """
    vault = call.vault
    await record_graph(vault)
    days = await asyncio.to_thread(vault.store.graph_days.since, "")
    today = date.fromisoformat(days[-1].day)
    first = monday(today) - timedelta(weeks=weeks - 1)
    recent = [day for day in days if day.day >= first.isoformat()]
    by_week = groupby(recent, key=lambda day: monday(date.fromisoformat(day.day)).isoformat())
    return GraphHistory(days[0].day, tuple(summarize_week(week, inside, limit) for week, inside in by_week)[::-1])


def monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def summarize_week(week: str, days: Iterable[Day], limit: int) -> GraphWeek:
    """Sum up the days of a week; what appeared and vanished within it is told as neither."""
    appeared: dict[VaultPath, None] = {}
    vanished: dict[VaultPath, None] = {}
    grown: Counter[VaultPath] = Counter()
    for day in days:
        for fresh, other, paths in (
            (appeared, vanished, day.changes.appeared),
            (vanished, appeared, day.changes.vanished),
        ):
            for path in paths:
                if path in other:
                    del other[path]
                else:
                    fresh[path] = None
        grown.update(dict(day.changes.grown))
        size = day.size
    most = sorted(((path, more) for path, more in grown.items() if more), key=lambda item: (-abs(item[1]), item[0]))
    return GraphWeek(
        week=week,
        counts=size,
        appeared=tuple(appeared)[:limit],
        vanished=tuple(vanished)[:limit],
        grown=tuple(Grown(path, more) for path, more in most[:limit]),
    )
