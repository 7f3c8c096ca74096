from bridge.events import ApplyChange, ChangeRecorded, Events, IndexProgress, NoteUpdate, PendingCounts, event_paths
from bridge.types import VaultPath

PROGRESS = IndexProgress(PendingCounts(0, 0), 3)


def updated(path: str) -> NoteUpdate:
    return NoteUpdate(VaultPath(path), "indexed")


def test_events_since_an_id_are_replayed_in_order() -> None:
    events = Events(first_id=10)
    for number in range(3):
        events.publish(updated(f"{number}.md"), "v")
    assert [(e.id, *event_paths(e.event)) for e in events.since(10)] == [(11, "1.md"), (12, "2.md")]
    assert events.since(12) == []


def test_an_id_that_is_no_longer_known_means_reset() -> None:
    events = Events(remembered=2)
    for _ in range(5):
        events.publish(PROGRESS, "v")
    assert [e.event.kind for e in events.since(1)] == ["reset"]
    assert [e.event.kind for e in events.since(99)] == ["reset"]
    assert [e.id for e in events.since(3)] == [4, 5]


def test_a_slow_subscriber_is_told_to_reset() -> None:
    events = Events(waiting=3)
    with events.subscribe() as queue:
        for _ in range(4):
            events.publish(PROGRESS, "v")
        assert [queue.get_nowait().event.kind for _ in range(queue.qsize())] == ["reset"]


def secret(path: str) -> bool:
    return path.startswith("Private/")


def test_what_is_hidden_is_not_told_whatever_names_it() -> None:
    events = Events()
    events.hide("v", secret)
    events.publish(NoteUpdate(VaultPath("Private/a.md"), "gone"), "v")
    paths = VaultPath("Open.md"), VaultPath("Private/a.md")
    events.publish(ChangeRecorded("1", "move_note", None, "applied", paths), "v")
    events.publish(ApplyChange("1", VaultPath("Private/a.md")), "v")
    events.publish(updated("Private/a.md"), "other")
    events.publish(PROGRESS, "v")
    assert [(e.id, e.vault, e.event.kind) for e in events.since(0)] == [
        (1, "other", "note_changed"),
        (2, "v", "index_progress"),
    ]


def test_what_is_hidden_later_is_forgotten_and_not_delivered() -> None:
    events = Events()
    with events.subscribe() as queue:
        for path in ("Open.md", "Private/a.md", "Open.md"):
            events.publish(updated(path), "v")
        events.hide("v", secret)
        assert [queue.get_nowait().id for _ in range(queue.qsize())] == [1, 3]
    assert [e.id for e in events.since(0)] == [1, 3]
    events.hide("v", str.isupper)
    events.publish(updated("Private/a.md"), "v")
    assert [e.id for e in events.since(3)] == [4]
