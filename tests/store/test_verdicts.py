"""What was said to links is kept, added up and forgotten."""

from pathlib import Path

from bridge.store import Store, Verdict
from bridge.types import VaultPath

A, B, T = (VaultPath(f"{name}.md") for name in "ABT")


def test_verdicts_add_up_and_are_kept(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.decide(Verdict(A, T, "t", 1, 0))
    store.decide(Verdict(A, T, "t", 1, 1))
    store.decide(Verdict(B, T, "t", 0, 1))
    store.close()
    store = Store.open(tmp_path / "state")
    assert store.verdicts() == [Verdict(A, T, "t", 2, 1), Verdict(B, T, "t", 0, 1)]
    store.revive(T, B)
    assert store.verdicts() == [Verdict(A, T, "t", 2, 1), Verdict(B, T, "t", 0, 0)]
    store.revive(T)
    assert [verdict.declined for verdict in store.verdicts()] == [0, 0]
    store.close()


def test_a_forbidden_note_is_forgotten_as_source_and_as_target(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    for source, target in ((A, T), (T, A), (A, B)):
        store.decide(Verdict(source, target, "x", 1, 0))
    store.forget(lambda path: path == T)
    assert store.verdicts() == [Verdict(A, B, "x", 1, 0)]
    store.close()


def test_verdicts_survive_damage(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.decide(Verdict(A, T, "t", 2, 1))
    store.close()
    (tmp_path / "state").write_bytes(b"not a database")
    store = Store.open(tmp_path / "state")
    assert store.verdicts() == [Verdict(A, T, "t", 2, 1)]
    store.close()
