"""Sessions are recorded with their calls, and each way of ending is told apart."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from bridge.state.session_log import QUIET_S, SEEN_EVERY_S, SessionEvent, SessionFilter, SessionRecord
from bridge.state.store import Store
from bridge.types import VaultPath
from tests.state.made import call

START = 1_000_000.0


@contextmanager
def opened(folder: Path, moment: float = START) -> Iterator[Store]:
    store = Store.open(folder / "state.sqlite", now=lambda: moment)
    try:
        yield store
    finally:
        store.close()


def record(store: Store, *calls: tuple[str, float]) -> None:
    for session, time in calls:
        store.calls.record(replace(call(0, time=time), session=session))
    store.calls.flush()


def found(store: Store, session: str) -> SessionRecord:
    one = store.sessions.find(session)
    assert one is not None
    return one


def test_a_session_begins_with_its_first_call(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        record(store, ("a", START), ("b", START + 1), ("a", START + 2))
        assert found(store, "a") == SessionRecord("a", "some-agent", "2.0", START, START, None, "active", None)
        record(store, ("a", START + SEEN_EVERY_S))
        assert found(store, "a").seen == START + SEEN_EVERY_S
        assert store.sessions.find("c") is None
        listed, total = store.sessions.page(SessionFilter(), 1)
        assert ([one.id for one in listed], total) == (["b"], 2)
        criteria = SessionFilter(client="SOME-agent", since=START + 10, until=START + 20, state="active")
        assert [one.id for one in store.sessions.page(criteria, 10)[0]] == ["a"]


def test_an_end_is_ordered_among_the_calls(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for entry in (
            replace(call(0, time=START), session="a"),
            SessionEvent("a", START + 5, "completed"),
            replace(call(0, time=START + 4), session="a"),
        ):
            store.calls.record(entry)
        store.calls.flush()
        # A call that was under way does not open it again.
        assert (found(store, "a").state, found(store, "a").ended) == ("completed", START + 5)
        record(store, ("a", START + 6))
        assert (found(store, "a").state, found(store, "a").ended) == ("active", None)


def test_half_an_hour_without_a_call_ends_a_session(tmp_path: Path) -> None:
    with opened(tmp_path, START + QUIET_S + 1) as store:
        record(store, ("a", START), ("a", START + 2), ("b", START), ("b", START + 0.5))
        store.sessions.end_quiet()
        assert found(store, "a").ended is None
        assert (found(store, "b").state, found(store, "b").ended) == ("completed", START + 0.5)


def test_a_stop_pauses_and_the_next_call_continues(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        record(store, ("a", START), ("a", START + 1))
    with opened(tmp_path) as store:
        assert (found(store, "a").state, found(store, "a").ended) == ("paused", START + 1)
        record(store, ("a", START + 2))
        assert (found(store, "a").state, found(store, "a").started) == ("active", START)


CRASH = """
import os, signal, sys, time
from msgspec.structs import replace
from pathlib import Path
from bridge.state.store import Store
from tests.state.made import call
store = Store.open(Path(sys.argv[1]))
store.calls.record(replace(call(0), session="a"))
while store.sessions.find("a") is None:
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.process
def test_a_crash_leaves_sessions_incomplete(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    ran = subprocess.run(
        [sys.executable, "-c", CRASH, str(tmp_path / "state.sqlite")],
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
        timeout=300,
    )
    assert ran.returncode == -9
    with opened(tmp_path) as store:
        assert (found(store, "a").state, found(store, "a").ended) == ("incomplete", START)


def test_the_latest_session_of_a_client_is_recent(tmp_path: Path) -> None:
    with opened(tmp_path, START + QUIET_S) as store:
        record(store, ("a", START + 1), ("b", START + 2))
        assert (store.sessions.latest("some-agent"), store.sessions.latest("other")) == ("b", None)
    with opened(tmp_path, START + QUIET_S + 2) as store:
        assert store.sessions.latest("some-agent") is None


def test_a_completed_session_is_not_continued(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        record(store, ("a", START), ("b", START + 5))
        store.sessions.record(SessionEvent("b", START + 6, "completed"))
        assert store.sessions.latest("some-agent") is None


def test_a_session_from_before_the_clock_was_set_back_is_not_the_latest(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        record(store, ("ahead", START + 10 * QUIET_S))
        assert store.sessions.latest("some-agent") is None
        record(store, ("now", START - 1))
        assert store.sessions.latest("some-agent") == "now"


def test_a_journal_that_is_denied_takes_its_row_along(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        record(store, ("a", START), ("b", START))
        store.sessions.set_note("a", VaultPath("Agents/Sessions/a.md"))
        store.forget(lambda path: path.startswith("Agents/"))
        assert (store.sessions.find("a"), found(store, "b").note) == (None, None)
