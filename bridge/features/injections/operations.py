"""Lists what was brought into the sessions of agents."""

import asyncio
from collections.abc import Iterable
from itertools import groupby
from typing import Annotated

from annotated_types import Interval, MaxLen

from bridge.api.call import Call
from bridge.api.markup import Answer, Column, Element, Table, notice
from bridge.api.moments import iso
from bridge.api.registry import operation
from bridge.records import dataclass
from bridge.state.injection_log import Injection
from bridge.text.counts import count_of
from bridge.types import VaultPath

SessionId = Annotated[str, MaxLen(200)]


@dataclass(frozen=True, slots=True)
class InjectedItem:
    """A note that was brought into a session, or that is kept from it.

    Attributes:
        path: The note.
        tool: The tool that brought it last; empty if none did.
        why: Why, in short sentences.
        tokens: Tokens that it took the last time, estimated.
        times: How often it was brought in.
        time: When it was brought in last, or withheld.
        withheld: Whether the user keeps it from the session.
    """

    path: VaultPath
    tool: str
    why: tuple[str, ...]
    tokens: int
    times: int
    time: str
    withheld: bool


@dataclass(frozen=True, slots=True)
class SessionInjections:
    """What was brought into a session.

    Attributes:
        session: The session, as in `list_sessions`.
        items: The notes, the last one first.
        tokens: Tokens of all of them, estimated.
    """

    session: str
    items: tuple[InjectedItem, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class ListedInjections:
    """What was brought into sessions.

    Attributes:
        sessions: The last one first.
    """

    sessions: tuple[SessionInjections, ...]


@operation(example={"limit": 3}, tool=False)
async def list_injections(
    call: Call, session: SessionId = "", limit: Annotated[int, Interval(ge=1, le=100)] = 10
) -> ListedInjections:
    """List the notes that `brief`, `recall` and `gather_context` brought into sessions of the last 90 days, and why.

    Only the user may, since memories may be private to an agent.

    Args:
        session: Only this session.
        limit: Maximum sessions.

    Raises:
        Forbidden: The caller is only a client.
    """
    call.principal.require_local("list-injections")

    def listing() -> ListedInjections:
        log = call.vault.store.injections
        wanted = [session] if session else log.latest_sessions(limit)
        found = groupby(log.of_sessions(wanted), lambda one: one.session)
        return ListedInjections(tuple(describe_session(id_, list(own)) for id_, own in found))

    return await asyncio.to_thread(listing)


def describe_session(session: str, injections: list[Injection]) -> SessionInjections:
    """Describe what was brought into a session."""
    items = tuple(
        InjectedItem(one.path, one.tool, one.why, one.tokens, one.times, iso(one.time), one.withheld)
        for one in injections
    )
    return SessionInjections(session, items, sum(one.tokens for one in items))


ITEMS = (
    Column("path", role="path"),
    Column("tool", " · {}"),
    Column("times", lambda times: f" · {times} times" if times > 1 else ""),
    Column("tokens", " · {} tokens"),
    Column("why", lambda why: " · " + ", ".join(why) if why else "", detail=True),
    Column("withheld", lambda withheld: " · withheld" if withheld else "", role="warning"),
)


def injections_view(answer: Answer) -> Iterable[Element]:
    """Show sessions, each with its notes."""
    if not answer["sessions"]:
        yield notice("Nothing was brought into a session.")
    for one in answer["sessions"]:
        yield notice(f"session {one['session']}: {count_of(len(one['items']), 'note')}, {one['tokens']:,} tokens")
        yield Table(ITEMS, one["items"])
