"""Lists what was brought into the sessions of agents."""

import asyncio
import time
from collections.abc import Iterable
from itertools import groupby
from typing import Annotated

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.markup import Answer, Column, Element, Line, Table, notice, path_of
from bridge.api.moments import iso
from bridge.api.note_names import no_such_note
from bridge.api.registry import operation
from bridge.errors import InvalidArguments
from bridge.features.injections.inject import MAX_NOTES, AddedNotes, Reader, find_withheld, publish_choice
from bridge.records import Record
from bridge.state.injection_log import Injection
from bridge.state.session_log import SessionRecord
from bridge.text.counts import count_of
from bridge.types import VaultPath

SessionId = Annotated[str, Meta(max_length=200)]


class InjectedItem(Record):
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


class SessionInjections(Record):
    """What was brought into a session.

    Attributes:
        session: The session, as in `list_sessions`.
        items: The notes, the last one first.
        tokens: Tokens of all of them, estimated.
    """

    session: str
    items: tuple[InjectedItem, ...]
    tokens: int


class ListedInjections(Record):
    """What was brought into sessions.

    Attributes:
        sessions: The last one first.
    """

    sessions: tuple[SessionInjections, ...]


@operation(example={"limit": 3}, tool=False)
async def list_injections(
    call: Call, session: SessionId = "", limit: Annotated[int, Meta(ge=1, le=100)] = 10
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
    if not answer["sessions"]:
        yield notice("Nothing was brought into a session.")
    for one in answer["sessions"]:
        yield notice(f"session {one['session']}: {count_of(len(one['items']), 'note')}, {one['tokens']:,} tokens")
        yield Table(ITEMS, one["items"])


class GivenNote(Record):
    """What the user decided about a note and a session.

    Attributes:
        path: The note.
        session: The session.
        waiting: How many notes wait for it.
        withheld: Whether the note is kept from it.
    """

    path: VaultPath
    session: str
    waiting: int
    withheld: bool


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "session": "1a209b11"},
    reads=False,
    idempotent=True,
    scope="write",
    tool=False,
)
async def give_note(call: Call, path: VaultPath, session: SessionId, withhold: bool | None = None) -> GivenNote:
    """Give a note to an open session: the next answer to one of its tools begins with it, cut to 400 tokens.

    Args:
        path: The note.
        session: The session, as in `list_sessions`.
        withhold: Instead, keep the note from the session, so that `brief`, `recall` and `gather_context` do not bring
            it in, though searches still find it; or if false, let them bring it in again. The property `deny_agents`
            keeps it from all sessions of an agent.

    Raises:
        Forbidden: The caller is only a client.
        NoteNotFound: There is no such note.
        InvalidArguments: The session is not open, the note is kept from it, or ten wait for it.
    """
    call.principal.require_local("give-note")
    vault = call.vault
    if path not in vault.index.notes:
        raise no_such_note(vault, path)
    if withhold is None:
        await asyncio.to_thread(require_welcome, call, path, session)
        if not vault.part(AddedNotes).add(session, path):
            raise InvalidArguments(
                f"{MAX_NOTES} notes wait for this session already.", hint="They go with its next answer."
            )
    else:
        log = vault.store.injections
        await asyncio.to_thread(lambda: log.withhold(session, path, time.time(), withheld=withhold))
    publish_choice(call, session)
    return GivenNote(path, session, len(vault.part(AddedNotes).waiting_notes.get(session, ())), bool(withhold))


def require_welcome(call: Call, path: VaultPath, session: str) -> None:
    found = find_open(call, session)
    if find_withheld(call.vault, Reader(found.client, session))(path):
        raise InvalidArguments(
            f"`{path}` is kept from this session.", hint="See `withhold`, and the property `deny_agents`."
        )


def find_open(call: Call, session: str) -> SessionRecord:
    store = call.vault.store
    store.calls.flush()
    found = store.sessions.find(session)
    if found is None or found.ended is not None:
        raise InvalidArguments(f"No session `{session}` is open.", hint="`list_sessions` says which are active.")
    return found


def given_view(answer: Answer) -> Iterable[Element]:
    if answer["withheld"] or not answer["waiting"]:
        word = "is kept from" if answer["withheld"] else "may be brought into"
        yield Line(path_of(answer["path"]), f" {word} session {answer['session']}.")
        return
    waiting = count_of(answer["waiting"], "note")
    yield Line(path_of(answer["path"]), f" waits for session {answer['session']}; {waiting} in all.")
