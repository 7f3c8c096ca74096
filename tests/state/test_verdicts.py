"""What was said to links is kept, added up and forgotten."""

from pathlib import Path

from bridge.state.link_feedback import LinkFeedback
from bridge.state.store import Store
from bridge.types import VaultPath

A, B, T = (VaultPath(f"{name}.md") for name in "ABT")


def test_verdicts_add_up_and_are_kept(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.decide(LinkFeedback(A, T, "t", 1, 0))
    store.decide(LinkFeedback(A, T, "t", 1, 1))
    store.decide(LinkFeedback(B, T, "t", 0, 1))
    store.close()
    store = Store.open(tmp_path / "state")
    assert store.verdicts() == [LinkFeedback(A, T, "t", 2, 1), LinkFeedback(B, T, "t", 0, 1)]
    store.revive(T, B)
    assert store.verdicts() == [LinkFeedback(A, T, "t", 2, 1), LinkFeedback(B, T, "t", 0, 0)]
    store.revive(T)
    assert [verdict.declined for verdict in store.verdicts()] == [0, 0]
    store.close()


def test_a_forbidden_note_is_forgotten_as_source_and_as_target(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    for source, target in ((A, T), (T, A), (A, B)):
        store.decide(LinkFeedback(source, target, "x", 1, 0))
    store.forget(lambda path: path == T)
    assert store.verdicts() == [LinkFeedback(A, B, "x", 1, 0)]
    store.close()


def test_verdicts_survive_damage(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.decide(LinkFeedback(A, T, "t", 2, 1))
    store.close()
    (tmp_path / "state").write_bytes(b"not a database")
    store = Store.open(tmp_path / "state")
    assert store.verdicts() == [LinkFeedback(A, T, "t", 2, 1)]
    store.close()


def test_a_link_that_was_accepted_and_seen_counts_as_declined_once_it_is_gone(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.decide(LinkFeedback(A, T, "t", 1, 0))
    assert store.accepting == {A}
    store.follow_links(A, set(), lambda _: True)
    assert store.verdicts() == [LinkFeedback(A, T, "t", 1, 0)], "it was not there yet"
    store.follow_links(A, {T}, lambda _: True)
    store.follow_links(A, set(), lambda _: False)
    assert store.verdicts() == [LinkFeedback(A, T, "t", 1, 0)], "its target went"
    store.follow_links(A, set(), lambda _: True)
    assert store.verdicts() == [LinkFeedback(A, T, "t", 0, 1)]
    assert store.accepting == frozenset()
    store.close()


def test_verdicts_follow_notes_to_their_new_paths(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.decide(LinkFeedback(A, T, "t", 1, 0))
    store.decide(LinkFeedback(B, T, "t", 0, 1))
    store.follow_links(A, {T}, lambda _: True)
    store.move({A: B, B: A})
    assert store.verdicts() == [LinkFeedback(A, T, "t", 0, 1), LinkFeedback(B, T, "t", 1, 0)]
    store.move({T: B, A: B})
    assert store.verdicts() == [LinkFeedback(B, B, "t", 1, 1)]
    store.follow_links(B, set(), lambda _: True)
    assert store.verdicts() == [LinkFeedback(B, B, "t", 0, 2)], "what was seen is still known"
    store.close()
