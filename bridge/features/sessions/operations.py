"""The sessions of clients: what each called and changed, its journal, and what an agent hands over for that."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import asdict, replace

from bridge.api.agreement import open_folder, set_up_requests
from bridge.api.call import Call
from bridge.api.change_view import change_state, way_back
from bridge.api.hints import When
from bridge.api.markup import Column, Element, Table, notice, notices, path_of
from bridge.api.moments import iso, moment
from bridge.api.note_text import open_note
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.api.write import (
    WriteArguments,
    Written,
    author,
    build_written,
    client_name,
    nothing_written,
    session_of,
)
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments, NoteNotFound
from bridge.features.sessions.facts import gather_facts
from bridge.features.sessions.journal_note import (
    NO_CHANGES,
    JournalFacts,
    JournalLine,
    JournalWords,
    later_lines,
    read_words,
    told_lines,
)
from bridge.features.sessions.journal_write import journal_path, write_journal
from bridge.features.sessions.statements import Told
from bridge.markdown.note import field_of
from bridge.records import Record
from bridge.state.session_log import SessionEvent, SessionFilter, SessionRecord, SessionState
from bridge.text.invisible import inline
from bridge.text.secrets import require_plain
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
        changed: Notes it changed, by their current paths, without what was undone.
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
    changed = {
        path: None
        for change in vault.review.of_session(session.id, "applied")[:MAX_CHANGES]
        for step, path in zip(change.steps, change.places, strict=True)
        if step.kind in {"put", "move", "remove"}
    }
    note = None if session.note is None else vault.index.notes.get(session.note)
    names = ("title", "goal", "summary", "where_left_off")
    texts = {name: field_of(note.properties, name) if note is not None else "" for name in names}
    return ListedSession(
        id=session.id,
        client=session.client,
        status=session.state,
        started=iso(session.started),
        ended=None if session.ended is None else iso(session.ended),
        **{name: said if isinstance(said, str) else "" for name, said in texts.items()},
        told=() if session.note is None else tuple(read_told(vault, session.note)),
        note=None if note is None else note.path,
        calls=tools.total(),
        errors=errors,
        tools=tools,
        changed=tuple(changed),
        tokens=tokens,
    )


def read_told(vault: OpenVault, path: VaultPath) -> Iterator[ToldLine]:
    """Yield what a journal says; nothing if it is gone. Blocks.

    Outcomes that the records deny are none.
    """
    with suppress(NoteNotFound):
        note = open_note(vault, path)
        is_unchanged = NO_CHANGES in note.text.splitlines()
        told = (ToldLine(what, text) for what, text in told_lines(read_words(note.text, note.properties)))
        yield from (one for one in told if not (is_unchanged and one.what == "outcome"))
        yield from (ToldLine("outcome", NO_CHANGES),) if is_unchanged else ()


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


def session_list_view(listed: ListedSessions) -> Iterable[Element]:
    yield Table(SESSIONS, listed.sessions)
    if not listed.sessions:
        yield notice("No session found.")


Text = Annotated[str, Meta(max_length=5_000)]
Texts = Annotated[tuple[Annotated[str, Meta(min_length=1, max_length=5_000)], ...], Meta(max_length=100)]


class SavedJournal(Written, kw_only=True):
    """A change to the journal of a session."""


@operation(
    example={"goal": "Save the beans from frost", "decisions": ["Cover them at night"], "dry_run": True},
    reads=False,
    scope="write",
    tasks=(
        "keep the results of this session before it ends",
        "store a summary of this session",
        "record the goal, summary and open questions of this session",
        "say where this session left off",
        "note down a decision of this session",
        "keep a problem or an open question of this session",
    ),
)
async def save_session(
    call: Call,
    goal: Text = "",
    summary: Text = "",
    where_left_off: Text | None = None,
    actions: Texts = (),
    outcomes: Texts = (),
    decisions: Texts = (),
    problems: Texts = (),
    open_questions: Texts = (),
    status: Literal["paused", "completed"] | None = None,
    model: Annotated[str, Meta(max_length=200)] = "",
    cost_usd: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None,
    excerpt: Annotated[str, Meta(max_length=20_000)] = "",
    client: Annotated[str, Meta(min_length=1, max_length=200)] | None = None,
    *,
    options: WriteArguments,
) -> SavedJournal:
    """Save goal, summary and results of this session in its journal, a note in the agents' folder; calls add to it.

    Lists grow, other values are replaced. Calls and changed notes are in the journal anyway.

    Args:
        goal: What the user wants.
        summary: What was done, in a few sentences.
        where_left_off: State of the work and next step; an empty text clears it.
        actions: Steps taken.
        outcomes: What was achieved.
        decisions: Decisions with their reasons.
        problems: Problems, solved or not.
        open_questions: What remains to be answered.
        status: Ends the session; a completed one is not continued by a later call.
        model: The language model.
        cost_usd: What it cost.
        excerpt: Words of the conversation worth keeping.
        client: Only end the one open session of this program, as only the user may; what is said here is not saved.

    Raises:
        Forbidden: The caller is only a client, and names another.
        ConfirmationRequired: The user did not agree to the agents' folder yet.
        InvalidArguments: It seems to contain a secret, or text that a reader would not see; or `client` has no open
            session, or several.
    """
    if client is not None:
        call.principal.require_local("save-session")
        return await asyncio.to_thread(end_session, call, client, status or "paused")
    if where_left_off is None and status == "completed":
        where_left_off = ""
    texts = {"goal": goal, "summary": summary, "excerpt": excerpt, "model": model}
    if where_left_off is not None:
        texts["where_left_off"] = where_left_off
    lists = {"actions": actions, "outcomes": outcomes, "decisions": decisions, "problems": problems}
    lists["open_questions"] = open_questions
    require_plain(**texts, **{name: "\n".join(said) for name, said in lists.items()})
    at = f"{datetime.now().astimezone():%H:%M}"
    said: dict[str, Any] = {name: text.strip() for name, text in texts.items()}
    said |= {name.removeprefix("open_"): tuple(JournalLine(at, text) for text in own) for name, own in lists.items()}
    words = JournalWords(**said, cost_usd=cost_usd)
    vault = call.vault
    says = replace(words, model="", cost_usd=None, where_left_off=words.where_left_off or None) != JournalWords()
    folder, agreed = open_folder(call, options)
    session, facts = await asyncio.to_thread(read_session, call)
    by = author(call, "save_session", options.reason, confirm=options.confirm)
    if agreed is not None:
        by = replace(by, applies_in=replace(agreed, is_whole=True))
    ends = None if status is None or options.dry_run else SessionEvent(session.id, time.time(), status)
    if session.note is None and not says and not facts.has_work:
        path = await asyncio.to_thread(journal_path, vault, session, facts)
        keep_end(call, ends)
        why = "No journal is written: nothing was said, read or changed, and what was asked is not kept."
        return SavedJournal(**asdict(nothing_written(path, why)))
    outcome = await write_journal(
        vault,
        session,
        replace(facts, status=status or "active"),
        words,
        later_lines(words),
        by,
        before=set_up_requests(call, folder),
        dry_run=options.dry_run,
    )
    keep_end(call, ends)
    made = await build_written(outcome, dry_run=options.dry_run)
    return SavedJournal(**asdict(made))


def keep_end(call: Call, end: SessionEvent | None) -> None:
    """End the session of a call; after one that is completed, calls that name none begin another."""
    if end is not None:
        call.vault.store.calls.record(end)
        if end.state == "completed":
            call.bridge.sessions.end(client_name(call), call.session)


def end_session(call: Call, client: str, status: Literal["paused", "completed"]) -> SavedJournal:
    """End the only open session of a program; of several, any could be meant."""
    store = call.vault.store
    store.calls.flush()
    found, _ = store.sessions.page(SessionFilter(client, state="active"), 2)
    if len(found) != 1:
        many = "several sessions" if found else "no session"
        raise InvalidArguments(f"`{client[:100]}` has {many} open.", hint="`list_sessions` lists them.")
    [session] = found
    store.sessions.record(SessionEvent(session.id, time.time(), status))
    path = journal_path(call.vault, session, gather_facts(call.vault, session))
    return SavedJournal(**asdict(nothing_written(path, f"The session `{session.id}` is {status}.")))


def saved_view(saved: SavedJournal) -> Iterable[Element]:
    """Show where words were written; their reader knows them."""
    made = f" · change {saved.change_id}" if saved.change_id else ""
    yield notice(f"{change_state(saved.change_id, saved.state, dry_run=saved.dry_run)}: ", path_of(saved.path), made)
    if saved.confirmation:
        yield notice(f"The call itself must be confirmed with `confirm`: {inline(saved.confirmation)}")
    yield from notices(saved.warnings, "note: ")
    yield from way_back(saved.change_id, saved.state)


def read_session(call: Call) -> tuple[SessionRecord, JournalFacts]:
    store, id_ = call.vault.store, session_of(call)
    store.calls.flush()
    _, _, version = (call.client or "").partition("/")
    store.sessions.record(SessionEvent(id_, time.time(), client=client_name(call), version=version or None))
    session = store.sessions.find(id_)
    if session is None:
        raise AssertionError
    return session, gather_facts(call.vault, session)
