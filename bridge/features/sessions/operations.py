"""The sessions of clients: when each began and ended, what it called and changed, and its journal."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any

from msgspec import Meta

from bridge.api.call import Call
from bridge.api.hints import When
from bridge.api.markup import Answer, Column, Element, Table, notice
from bridge.api.moments import iso, moment
from bridge.api.note_text import open_note
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.engine.open_vault import OpenVault
from bridge.errors import NoteNotFound
from bridge.features.sessions.journal_note import read_words, told_lines
from bridge.features.sessions.statements import Told
from bridge.markdown.note import field_of
from bridge.records import Record
from bridge.state.change_records import ChangeFilter
from bridge.state.session_log import SessionFilter, SessionRecord, SessionState
from bridge.types import VaultPath

MAX_CHANGES = 200
"""Most changes of a session whose notes are listed."""


class ToldLine(Record):
    """Something that a journal says.

    Attributes:
        what: What it is.
        text: What it says.
    """

    what: Told
    text: str


class ListedSession(Record):
    """A session of a client.

    Attributes:
        id: Its id, as in `list_changes`.
        client: The client; null if it does not say.
        status: `active`, `paused` by the end of the bridge, `completed`, or `incomplete` after a crash.
        title: What it was about, from the journal.
        started: First call.
        ended: Its end; null while active.
        goal: Its goal, from the journal.
        summary: Its summary, from the journal.
        where_left_off: Where it left off, from the journal.
        told: Its decisions, outcomes, open questions and tasks, from the journal.
        note: Its journal; null without one.
        calls: Number of calls.
        errors: Calls that failed, by error code.
        tools: Calls by tool.
        changed: Notes it changed, by their current paths.
        tokens: Tokens sent, estimated.
    """

    id: str
    client: str | None
    status: SessionState
    started: str
    ended: str | None
    title: str
    goal: str
    summary: str
    where_left_off: str
    told: tuple[ToldLine, ...]
    note: VaultPath | None
    calls: int
    errors: Mapping[str, int]
    tools: Mapping[str, int]
    changed: tuple[VaultPath, ...]
    tokens: int


class ListedSessions(ListPage):
    """Sessions.

    Attributes:
        sessions: Last begun first.
    """

    sessions: tuple[ListedSession, ...]


@operation(
    example={"client": "claude-code", "limit": 5},
    tasks=(
        "list the sessions of agents",
        "what happened in the last session",
        "where did the last session leave off",
        "which agents worked here and when",
    ),
)
async def list_sessions(
    call: Call,
    status: SessionState | None = None,
    client: Annotated[str, Meta(max_length=200)] | None = None,
    since: When | None = None,
    until: When | None = None,
    page: PageArguments = Page(20),
) -> ListedSessions:
    """List the sessions of the last 90 days: client, start, end, calls, errors, changed notes and journal.

    Args:
        status: Only those in this state.
        client: Only those of this program, in any case.
        since: Only those that lasted until this time or later.
        until: Only those that began before this time.
    """
    criteria = SessionFilter(client, moment("since", since), moment("until", until), status)

    def listing() -> ListedSessions:
        store = call.vault.store
        store.calls.flush()
        found, total = store.sessions.page(criteria, page.limit, page.offset)
        return ListedSessions(tuple(describe_session(call.vault, one) for one in found), **page.place(total))

    return await asyncio.to_thread(listing)


def describe_session(vault: OpenVault, session: SessionRecord) -> ListedSession:
    tools, errors, tokens = Counter[str](), Counter[str](), 0
    for part in vault.store.sessions.calls(session.id):
        tools[part.tool] += part.count
        errors.update({part.code: part.count} if part.code else {})
        tokens += part.tokens
    changes = vault.review.changes(ChangeFilter(session=session.id), MAX_CHANGES, 0)
    changed = {
        path: None
        for change in changes
        for step, path in zip(change.steps, change.now, strict=True)
        if step.kind in {"put", "move", "remove"}
    }
    return ListedSession(
        id=session.id,
        client=session.client,
        status=session.state,
        started=iso(session.started),
        ended=None if session.ended is None else iso(session.ended),
        title=journal_text(vault, session, "title"),
        goal=journal_text(vault, session, "goal"),
        summary=journal_text(vault, session, "summary"),
        where_left_off=journal_text(vault, session, "where_left_off"),
        told=() if session.note is None else tuple(read_told(vault, session.note)),
        note=session.note if session.note in vault.index.notes else None,
        calls=tools.total(),
        errors=errors,
        tools=tools,
        changed=tuple(changed),
        tokens=tokens,
    )


def journal_text(vault: OpenVault, session: SessionRecord, name: str) -> str:
    note = None if session.note is None else vault.index.notes.get(session.note)
    value: Any = None if note is None else field_of(note.properties, name)
    return value if isinstance(value, str) else ""


def read_told(vault: OpenVault, path: VaultPath) -> Iterator[ToldLine]:
    """Yield what a journal says; nothing if it is gone. Blocks."""
    with suppress(NoteNotFound):
        note = open_note(vault, path)
        yield from (ToldLine(what, text) for what, text in told_lines(read_words(note.text, note.properties)))


SESSIONS = (
    Column("id"),
    Column("started", most=16),
    Column("client", " · {}"),
    Column("status", " · {}"),
    Column("calls", " · {} calls"),
    Column("changed", " · changed {}", role="path", most=3),
    Column("title", " · {}"),
    Column("goal", " · goal: {}", detail=True),
    Column("where_left_off", " · left off: {}"),
    Column("note", " · {}", role="path"),
    Column("told", " · {}", detail=True),
    Column("summary", " · {}", detail=True),
    Column("ended", " · ended {}", detail=True),
)


def session_list_view(answer: Answer) -> Iterable[Element]:
    yield Table(SESSIONS, answer["sessions"])
    if not answer["sessions"]:
        yield notice("No session found.")
