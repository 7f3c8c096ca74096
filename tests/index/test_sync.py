from bridge.engine.indexer import SyncPlan, plan
from bridge.types import VaultPath
from bridge.vault.scan import Stat
from tests.index.made import prepared


def test_only_what_differs_is_read() -> None:
    known = {
        VaultPath(path): prepared(path, "text", mtime_ns=5).note
        for path in ("same.md", "touched.md", "longer.md", "gone.md")
    }
    found = {
        VaultPath("same.md"): Stat(5, 4),
        VaultPath("touched.md"): Stat(6, 4),
        VaultPath("longer.md"): Stat(5, 9),
        VaultPath("new.md"): Stat(5, 4),
    }
    assert plan(found, known) == SyncPlan(
        read=frozenset({VaultPath("touched.md"), VaultPath("longer.md"), VaultPath("new.md")}),
        gone=frozenset({VaultPath("gone.md")}),
        unchanged=frozenset({VaultPath("same.md")}),
    )


def test_a_note_prepared_in_another_way_is_read_again() -> None:
    note = prepared("same.md", "text", mtime_ns=5).note
    found = {VaultPath("same.md"): Stat(5, 4)}
    assert plan(found, {note.path: note}, note.recipe).read == frozenset()
    assert plan(found, {note.path: note}, "other").read == {note.path}
