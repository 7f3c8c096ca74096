"""What was called, by whom, how fast and at what cost."""

import asyncio
import math
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated

from msgspec import Meta
from msgspec.structs import asdict

from bridge.api.call import Call
from bridge.api.markup import Column, Element, Table, notice
from bridge.api.note_names import snapshot
from bridge.api.registry import operation
from bridge.records import Record
from bridge.state.call_log import DAY_S, KEPT_DAYS, CallRecord
from bridge.text.counts import count_of
from bridge.types import VaultPath

Days = Annotated[int, Meta(ge=1, le=KEPT_DAYS)]

BYTES_A_TOKEN = 4
"""An estimate for notes in English."""

NAMELESS_CLIENT = "unknown"
"""Stands for clients that do not say what they are."""


class Use(Record):
    """The calls of one kind.

    Attributes:
        name: The tool or the client.
        calls: Number of calls.
        errors: Calls that ended in an error.
        p50_ms: Median duration in milliseconds.
        p95_ms: 95th percentile in milliseconds.
        tokens_out: Tokens sent, estimated from the characters by script.
        tokens_whole: Tokens of the whole Markdown notes behind the answers, estimated as bytes / 4; a note counts once
            per session, or daily without one.
    """

    name: str
    calls: int
    errors: int
    p50_ms: float
    p95_ms: float
    tokens_out: int
    tokens_whole: int


class ErrorCount(Record):
    """The calls that ended in one error.

    Attributes:
        code: The error's code.
        calls: Calls that ended with it.
    """

    code: str
    calls: int


class UsageReport(Record):
    """The calls of some days.

    Attributes:
        days: Days covered, up to now.
        total: All calls.
        errors: By code, most frequent first.
        tools: By tool, most called first.
        clients: By client, most active first.
    """

    days: int
    total: Use
    errors: tuple[ErrorCount, ...]
    tools: tuple[Use, ...]
    clients: tuple[Use, ...]


@operation(
    example={"days": 7, "client": "claude-code"},
    tasks=("usage statistics of tools and clients", "tokens spent by agents", "which tools were called"),
)
async def usage(call: Call, days: Days = 30, client: str | None = None) -> UsageReport:
    """Report calls, errors, speed and tokens sent, compared with the cost of reading the whole notes.

    For 90 days, the bridge keeps on this machine each call's time, client, tool, outcome, duration, tokens sent and
    note paths; never questions or answers.

    Args:
        days: Days to look back.
        client: Only calls of this client.
    """
    store = call.vault.store
    sizes = {path: note.size for path, note in snapshot(call.vault).items() if note.kind == "note"}
    calls = await asyncio.to_thread(store.calls.since, time.time() - days * DAY_S)
    return await asyncio.to_thread(build_report, [c for c in calls if client in {None, name_of(c)}], days, sizes)


def build_report(calls: Sequence[CallRecord], days: int, sizes: Mapping[VaultPath, int]) -> UsageReport:
    codes = Counter(call.code for call in calls if call.code is not None)
    return UsageReport(
        days=days,
        total=summarize_calls("all", calls, sizes),
        errors=tuple(ErrorCount(code, count) for code, count in codes.most_common()),
        tools=group_calls(calls, lambda call: call.tool, sizes),
        clients=group_calls(calls, name_of, sizes),
    )


def name_of(call: CallRecord) -> str:
    return call.client or NAMELESS_CLIENT


def group_calls(
    calls: Iterable[CallRecord], kind: Callable[[CallRecord], str], sizes: Mapping[VaultPath, int]
) -> tuple[Use, ...]:
    groups: defaultdict[str, list[CallRecord]] = defaultdict(list)
    for call in calls:
        groups[kind(call)].append(call)
    return tuple(
        summarize_calls(name, groups[name], sizes)
        for name in sorted(groups, key=lambda name: (-len(groups[name]), name))
    )


def summarize_calls(name: str, calls: Sequence[CallRecord], sizes: Mapping[VaultPath, int]) -> Use:
    times = sorted(call.ms for call in calls)
    return Use(
        name=name,
        calls=len(calls),
        errors=sum(call.code is not None for call in calls),
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        tokens_out=sum(call.tokens for call in calls),
        tokens_whole=sum(sizes.get(path, 0) for *_, path in read_once(calls)) // BYTES_A_TOKEN,
    )


def percentile(times: Sequence[float], share: float) -> float:
    """Return what this share of sorted times is at most; 0 when there are none."""
    return times[math.ceil(share * len(times)) - 1] if times else 0.0


def read_once(calls: Iterable[CallRecord]) -> set[tuple[str, str, VaultPath]]:
    return {
        (name_of(call), call.session or f"{datetime.fromtimestamp(call.time).astimezone():%F}", path)
        for call in calls
        if call.code is None
        for path in call.paths
    }


class UseOf(Use, kw_only=True):
    """The use of a tool, of a client or of all, beside that of others."""

    kind: str


USES = (
    Column("name"),
    Column("kind", lambda kind: "" if kind == "all" else f" ({kind})"),
    Column("calls", " · {} calls"),
    Column("errors", " · {} errors"),
    Column("p50_ms", " · {} ms at the median"),
    Column("p95_ms", " · {} ms at p95"),
    Column("tokens_out", " · {} tokens sent"),
    Column("tokens_whole", ", {} in whole notes"),
)


def usage_view(report: UsageReport) -> Iterable[Element]:
    """Show the recorded calls by tool and client, and the errors they ended in."""
    kinds = (("all", [report.total]), ("tool", report.tools), ("client", report.clients))
    yield Table(USES, [UseOf(**asdict(use), kind=kind) for kind, uses in kinds for use in uses])
    for error in report.errors:
        yield notice(f"{count_of(error.calls, 'call')} ended in {error.code}.")
