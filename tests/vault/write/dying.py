"""A process that changes three notes together, repeatedly, until it is killed; and the recovery of what it leaves."""

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bridge.features  # noqa: F401 - with their tables, as in the process that opens the file afterwards
from bridge.state.change_records import Change
from bridge.state.store import Store
from bridge.vault.plan import Plan
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from bridge.vault.write.writer import Writer
from tests.vault.write.plans import put, together, tree, write_plan

SPREAD = 200_000
"""Turns of an empty loop that take as long as a change, so that it is killed anywhere in one."""
NAMES = ("a.md", "b.md", "New/c.md")


def text(name: str, version: int) -> bytes:
    """Return a note's text in a version; the first version has no notes."""
    return f"{name} {version} ".encode() * (1 + version % 7 * 400)


def plan(version: int) -> Plan:
    """Return the change to a version from the one before it."""
    return together(*(put(n, text(n, version - 1) if version > 1 else None, text(n, version)) for n in NAMES))


@contextmanager
def opened(place: Path, *, conflicts: bool = False) -> Iterator[tuple[Writer, Store]]:
    """Open the vault and its journal, and recover interrupted changes, even where another program has written."""
    writer, store = Writer(Vault(place / "vault", Rules())), Store.open(place / "state.sqlite")
    for change, entry in store.journal.find_unsettled():
        needed = {d for step in change.steps for d in (step.before, step.after) if d is not None}
        blobs = {d: data for d in needed if (data := store.snapshots.read(d)) is not None}
        became = writer.recover(Plan(change.steps, blobs))
        if became == "conflict" and conflicts:
            store.journal.set_state(change.id, "conflict")
            continue
        assert became != "conflict"
        entry.settle(became == "after")
    yield writer, store
    store.close()


def killed_once(place: Path, draw: random.Random) -> int:
    """Run the process and kill it at some moment; return the version that the journal records.

    Raises:
        AssertionError: The notes are of another version, or something else is in the vault.
    """
    command = [sys.executable, "-m", "tests.vault.write.dying", str(place)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = [process.stdout.readline() for _ in range(draw.randrange(1, 12))]
        for _ in range(draw.randrange(SPREAD)):
            pass
        process.kill()
    # It may have continued between the last line that was read and the kill.
    with opened(place) as (_, store):
        version = len(store.journal.changes(limit=100_000))
    assert version >= int(told[-1])
    held = tree(place / "vault")
    wanted = {name: text(name, version) for name in NAMES} if version else {}
    assert held == ({**wanted, "New": None} if version else {})
    return version


def tell(version: int) -> None:
    """Print the current version."""
    sys.stdout.write(f"{version}\n")
    sys.stdout.flush()


def main() -> None:
    """Change the notes until killed, and print the version each time."""
    with opened(Path(sys.argv[1])) as (writer, store):
        version = len(store.journal.changes(limit=100_000))
        tell(version)
        while True:
            version += 1
            write_plan(writer, plan(version), store.journal.begin(Change(store.journal.next_id(), 0.0, "change_set")))
            tell(version)


if __name__ == "__main__":
    main()
