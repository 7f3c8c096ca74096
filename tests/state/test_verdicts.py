"""What was said to links is kept, added up and forgotten."""

from pathlib import Path

from bridge.state.link_feedback import LinkFeedback
from bridge.state.store import Store
from bridge.types import VaultPath

A, B, T = (VaultPath(f"{name}.md") for name in "ABT")


def test_verdicts_add_up_and_are_kept(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.feedback.add(LinkFeedback(A, T, "t", 1, 0))
    store.feedback.add(LinkFeedback(A, T, "t", 1, 1))
    store.feedback.add(LinkFeedback(B, T, "t", 0, 1))
    store.close()
    store = Store.open(tmp_path / "state")
    assert store.feedback.all() == [LinkFeedback(A, T, "t", 2, 1), LinkFeedback(B, T, "t", 0, 1)]
    store.feedback.revive(T, B)
    assert store.feedback.all() == [LinkFeedback(A, T, "t", 2, 1), LinkFeedback(B, T, "t", 0, 0)]
    store.feedback.revive(T)
    assert [entry.declined for entry in store.feedback.all()] == [0, 0]
    store.close()


def test_a_forbidden_note_is_forgotten_as_source_and_as_target(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    for source, target in ((A, T), (T, A), (A, B)):
        store.feedback.add(LinkFeedback(source, target, "x", 1, 0))
    store.forget(lambda path: path == T)
    assert store.feedback.all() == [LinkFeedback(A, B, "x", 1, 0)]
    store.close()


def test_verdicts_survive_damage(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.feedback.add(LinkFeedback(A, T, "t", 2, 1))
    store.close()
    (tmp_path / "state").write_bytes(b"not a database")
    store = Store.open(tmp_path / "state")
    assert store.feedback.all() == [LinkFeedback(A, T, "t", 2, 1)]
    store.close()


def test_a_link_that_was_accepted_and_seen_counts_as_declined_once_it_is_gone(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.feedback.add(LinkFeedback(A, T, "t", 1, 0))
    assert store.feedback.notes_with_accepted == {A}
    store.feedback.follow_links(A, set(), lambda _: True)
    assert store.feedback.all() == [LinkFeedback(A, T, "t", 1, 0)], "it was not there yet"
    store.feedback.follow_links(A, {T}, lambda _: True)
    store.feedback.follow_links(A, set(), lambda _: False)
    assert store.feedback.all() == [LinkFeedback(A, T, "t", 1, 0)], "its target went"
    store.feedback.follow_links(A, set(), lambda _: True)
    assert store.feedback.all() == [LinkFeedback(A, T, "t", 0, 1)]
    assert store.feedback.notes_with_accepted == frozenset()
    store.close()


def test_verdicts_follow_notes_to_their_new_paths(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "state")
    store.feedback.add(LinkFeedback(A, T, "t", 1, 0))
    store.feedback.add(LinkFeedback(B, T, "t", 0, 1))
    store.feedback.follow_links(A, {T}, lambda _: True)
    store.move({A: B, B: A})
    assert store.feedback.all() == [LinkFeedback(A, T, "t", 0, 1), LinkFeedback(B, T, "t", 1, 0)]
    store.move({T: B, A: B})
    assert store.feedback.all() == [LinkFeedback(B, B, "t", 1, 1)]
    store.feedback.follow_links(B, set(), lambda _: True)
    assert store.feedback.all() == [LinkFeedback(B, B, "t", 0, 2)], "what was seen is still known"
    store.close()
