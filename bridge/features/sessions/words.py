"""What an agent hands over for the journal of its session."""

import asyncio
import time
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import asdict, replace

from bridge.api.agreement import open_folder, set_up_requests
from bridge.api.call import Call
from bridge.api.change_view import change_state, way_back
from bridge.api.markup import Answer, Element, notice, notices, path_of
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
from bridge.errors import InvalidArguments
from bridge.features.sessions.facts import gather_facts
from bridge.features.sessions.journal_note import Entry, JournalFacts, JournalWords, later_lines
from bridge.features.sessions.journal_write import journal_path, write_journal
from bridge.state.session_log import SessionEvent, SessionFilter, SessionRecord
from bridge.text.invisible import inline
from bridge.text.secrets import require_plain

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
    where_left_off: Text = "",
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
        where_left_off: The state of the work and the next step.
        actions: Steps taken.
        outcomes: What was achieved.
        decisions: Decisions with their reasons.
        problems: Problems, solved or not.
        open_questions: What remains to be answered.
        status: Ends the session; one that is completed is not continued by a later call.
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
    texts = {"actions": actions, "outcomes": outcomes, "decisions": decisions, "problems": problems}
    require_plain(goal=goal, summary=summary, where_left_off=where_left_off, excerpt=excerpt, model=model)
    require_plain(**{name: "\n".join(said) for name, said in {**texts, "open_questions": open_questions}.items()})
    at = f"{datetime.now().astimezone():%H:%M}"

    def entries(texts: Iterable[str]) -> tuple[Entry, ...]:
        return tuple(Entry(at, text) for text in texts)

    words = JournalWords(
        goal=goal.strip(),
        summary=summary.strip(),
        where_left_off=where_left_off.strip(),
        excerpt=excerpt.strip(),
        actions=entries(actions),
        decisions=entries(decisions),
        problems=entries(problems),
        outcomes=entries(outcomes),
        questions=entries(open_questions),
        model=model.strip(),
        cost_usd=cost_usd,
    )
    vault = call.vault
    says = replace(words, model="", cost_usd=None) != JournalWords()
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


def saved_view(answer: Answer) -> Iterable[Element]:
    """Show where words were written; their reader knows them."""
    made = f" · change {answer['change_id']}" if answer["change_id"] else ""
    yield notice(f"{change_state(answer)}: ", path_of(answer["path"]), made)
    if answer["confirmation"]:
        yield notice(f"The call itself must be confirmed with `confirm`: {inline(answer['confirmation'])}")
    yield from notices(answer["warnings"], "note: ")
    yield from way_back(answer)


def read_session(call: Call) -> tuple[SessionRecord, JournalFacts]:
    store, id_ = call.vault.store, session_of(call)
    store.calls.flush()
    _, _, version = (call.client or "").partition("/")
    store.sessions.record(SessionEvent(id_, time.time(), client=client_name(call), version=version or None))
    session = store.sessions.find(id_)
    if session is None:
        raise AssertionError
    return session, gather_facts(call.vault, session)
