"""A store with some content."""

from pathlib import Path

from bridge.state.call_log import CallRecord
from bridge.state.store import Store
from bridge.types import VaultPath

TOOLS = 20


def call(number: int, *, time: float = 1_000_000.0, code: str | None = None) -> CallRecord:
    """Return a call that is identified by its tokens."""
    return CallRecord(
        time=time + number,
        tool=f"tool_{number % 7}",
        client="some-agent",
        version="2.0",
        session="s1",
        transport="mcp",
        code=code,
        ms=1.5,
        tokens=number,
        paths=(VaultPath(f"Folder/Note {number}.md"), VaultPath(f"Ordner/Übersicht {number}.md")),
    )


def filled(path: Path, calls: range) -> Store:
    """Open a store at the time of the calls and add something of each kind."""
    store = Store.open(path, now=lambda: 1_000_000.0)
    store.counters.add("embedded", len(calls))
    for number in range(TOOLS):
        store.tool_scores.add(f"tool_{number}", helped=number % 2 == 0)
    for number in calls:
        store.calls.record(call(number))
    return store


def recorded(store: Store) -> set[int]:
    """Return which calls a store contains."""
    return {found.tokens for found in store.calls.since(0.0)}
