"""Ends quiet sessions, and keeps the journals of the others current."""

import asyncio
import contextlib
import logging
import time
from datetime import datetime
from typing import Annotated, Literal
from weakref import WeakKeyDictionary

from msgspec.structs import replace

from bridge.api.feature import Finding, make_finding
from bridge.engine.agents_folder import agents_folder
from bridge.engine.host import Host
from bridge.engine.open_vault import OpenVault
from bridge.engine.transactions import Author
from bridge.errors import BridgeError
from bridge.features.sessions.facts import gather_facts, is_of_agent, list_batches
from bridge.features.sessions.journal_note import JOURNAL_OPERATIONS, WRITE, JournalFacts, JournalWords, changed_text
from bridge.features.sessions.journal_write import journal_path, write_journal
from bridge.markdown.note import field_of
from bridge.records import Record
from bridge.settings.schema import Setting
from bridge.state.call_log import DAY_S
from bridge.state.change_records import ChangeFilter
from bridge.state.session_log import SessionFilter, SessionRecord
from bridge.state.store import Store


class SessionSettings(Record):
    """The settings of sessions."""

    journals: Annotated[
        Literal["auto", "ask", "off"],
        Setting(
            "Write a journal of each session of an agent that changed, saved or read enough, once `agents_folder` was"
            " set up; `ask` proposes it at the end."
        ),
    ] = "auto"
    journal_after_s: Annotated[
        int,
        Setting(
            "Seconds between the first two updates of a session's journal; in a long session they become sixteen times"
            " as many.",
            title="Seconds between updates of a journal",
            least=0,
            most=86_400,
        ),
    ] = 60


log = logging.getLogger(__name__)

LOOK_EVERY_S = 60.0
"""Seconds between looks for quiet sessions."""

JOURNAL_LOOK_S = 1.0
"""Seconds between looks for sessions with something new."""

CATCH_UP_S = 2 * DAY_S
"""Age of the sessions whose journals are completed after a start."""

MAX_DOUBLINGS = 4
"""How often the pause between two updates is doubled: from one minute to sixteen."""

MAX_SESSIONS = 200
MIN_READ_NOTES = 5
"""Notes read for which a session is worth a journal."""

_turns: WeakKeyDictionary[Store, asyncio.Lock] = WeakKeyDictionary()
"""By vault: held while a journal is brought up to date."""


async def end_quiet_sessions(vault: OpenVault) -> None:
    """End the sessions without a call for half an hour, until cancelled."""
    while True:
        await asyncio.to_thread(vault.store.sessions.end_quiet)
        await asyncio.sleep(LOOK_EVERY_S)


async def keep_journals(vault: OpenVault) -> None:
    """Write the journal of each session soon after something new and at its end, until cancelled."""
    store, written = vault.store, dict[str, tuple[float, int]]()
    while not vault.indexer.complete:
        await vault.signal.wait(JOURNAL_LOOK_S)
    due = dict.fromkeys(await asyncio.to_thread(unfinished_sessions, vault), 0.0)
    while True:
        pause = vault.settings.section(SessionSettings).journal_after_s
        for id_ in store.sessions.take_touched():
            session = await asyncio.to_thread(store.sessions.find, id_)
            if session is None or session.ended is not None:
                due[id_] = 0.0
            else:
                moment, count = written.get(id_, (0.0, 0))
                due.setdefault(id_, moment + pause_after(count, pause))
        for id_ in [id_ for id_, moment in due.items() if moment <= time.monotonic()]:
            del due[id_]
            try:
                if await keep_journal(vault, id_):
                    written[id_] = (time.monotonic(), written.get(id_, (0.0, 0))[1] + 1)
            except BridgeError as error:
                # Its records stay, so a later try writes the same.
                log.warning("A journal is not written now: %s", error.code)
                due[id_] = time.monotonic() + max(pause, LOOK_EVERY_S)
        await asyncio.sleep(JOURNAL_LOOK_S)


def pause_after(count: int, pause: float) -> float:
    """Return the seconds until a journal may be written again, of which each update takes a place among the changes."""
    return pause * 2 ** min(count - 1, MAX_DOUBLINGS) if count else 0.0


async def pause_sessions(vault: OpenVault) -> None:
    store = vault.store
    await asyncio.to_thread(store.calls.flush)
    paused = await asyncio.to_thread(store.sessions.pause)
    # The task that keeps journals may have taken some already, and is cancelled before it writes them.
    for id_ in dict.fromkeys((*paused, *store.sessions.take_touched())):
        # The next start completes what cannot be written now.
        with contextlib.suppress(BridgeError):
            await keep_journal(vault, id_)


def unfinished_sessions(vault: OpenVault) -> list[str]:
    criteria = SessionFilter(since=time.time() - CATCH_UP_S)
    found, _ = vault.store.sessions.page(criteria, MAX_SESSIONS)
    notes = {session.id: vault.index.notes.get(session.note) for session in found if session.note is not None}
    statuses = {id_: field_of(note.properties, "status") for id_, note in notes.items() if note is not None}
    return [
        session.id
        for session in found
        if (status := statuses.get(session.id)) != session.state
        and (status, session.state) != ("incomplete", "completed")
    ]


async def keep_journal(vault: OpenVault, id_: str) -> bool:
    """Bring the journal of a session up to date; return whether there is one."""
    # Otherwise facts that were gathered before a session was paused could be written after it.
    async with _turns.setdefault(vault.store, asyncio.Lock()):
        return await _bring_up_to_date(vault, id_)


async def _bring_up_to_date(vault: OpenVault, id_: str) -> bool:
    session = await asyncio.to_thread(vault.store.sessions.find, id_)
    mode = vault.settings.section(SessionSettings).journals
    if session is None or mode == "off":
        return False
    folder = vault.folder_for_client(session.client or "")
    if folder is None:
        return False
    if session.note is not None and not (folder.holds(session.note) and vault.files.has(session.note)):
        # The user took it away.
        return False
    facts = await asyncio.to_thread(gather_facts, vault, session)
    if session.note is None and vault.files.has(path := journal_path(vault, session, facts)):
        # A crash came between the note and its record.
        await asyncio.to_thread(vault.store.sessions.set_note, id_, path)
        session = replace(session, note=path)
    if mode == "ask" and (session.ended is None or await asyncio.to_thread(is_proposed, vault, session, facts)):
        return False
    if session.note is None and not await asyncio.to_thread(is_worth_a_journal, vault, facts):
        return False
    by = Author(WRITE, session.client, proposes=True, applies_in=folder if mode == "auto" else None)
    later = await asyncio.to_thread(later_facts, vault, session, facts)
    await write_journal(vault, session, facts, JournalWords(), later, by)
    return True


def is_proposed(vault: OpenVault, session: SessionRecord, facts: JournalFacts) -> bool:
    criteria = ChangeFilter(path=journal_path(vault, session, facts))
    return session.note is not None or bool(vault.review.changes(criteria, 1, 0))


def is_worth_a_journal(vault: OpenVault, facts: JournalFacts) -> bool:
    """Say whether an agent changed something in a session that needs an account, or read enough. Blocks."""
    enough = facts.is_notable or len(facts.read) >= MIN_READ_NOTES
    return enough and is_of_agent(vault.store.calls.of_session(facts.session, 1_000))


def later_facts(vault: OpenVault, session: SessionRecord, facts: JournalFacts) -> list[str]:
    """Return lines about what happened since a journal was last written, for one that somebody has edited. Blocks."""
    if session.note is None:
        return []
    criteria = ChangeFilter(path=session.note, state="applied")
    written = [one for one in vault.review.changes(criteria, 50, 0) if one.operation in JOURNAL_OPERATIONS]
    # By their order and not by their times, since the clock may have been set back.
    last = max(written, key=lambda change: change.made, default=None)
    changes = vault.review.changes(ChangeFilter(session=session.id, state="applied"), 50, 0)[::-1]
    lines = []
    for change in changes if last is None else [one for one in changes if one.made > last.made]:
        at = datetime.fromtimestamp(change.time).astimezone()
        lines += [
            f"- {at:%H:%M} {changed_text(note)}: {one.operation}"
            for one in list_batches(vault, session, [(change, ())])
            for note in one.notes
        ]
    if session.ended is not None and (last is None or session.ended > last.time):
        lines.append(f"- {facts.until:%H:%M} The session is {facts.status}.")
    return lines


def check_journals(host: Host) -> Finding:
    settings, folder = host.settings, agents_folder(host.settings).sessions
    mode = settings.section(SessionSettings).journals
    if mode == "off" or not host.is_set_up:
        return make_finding("journals", "ok", "No journals of sessions are kept.")
    if host.files.rules.keeps(f"{folder}/Journal.md"):
        text = f"Journals cannot be written: `readonly` or `deny` covers `{folder}`."
        return make_finding("journals", "warn", text, "Change these settings, or set `sessions.journals` to `off`.")
    if not settings.notebook_clients:
        return make_finding("journals", "ok", "No client may have a journal: `notebook_clients` is empty.")
    return make_finding("journals", "ok", f"Journals of sessions are kept in `{folder}`.")
