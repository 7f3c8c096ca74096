import asyncio

from bridge.events import Events, stream


def test_events_since_an_id_are_replayed_in_order() -> None:
    events = Events(first_id=10)
    for number in range(3):
        events.publish("note_changed", "v", path=f"{number}.md")
    assert [(e.id, e.data["path"]) for e in events.since(10)] == [(11, "1.md"), (12, "2.md")]
    assert events.since(12) == []


def test_an_id_that_is_no_longer_known_means_reset() -> None:
    events = Events(remembered=2)
    for _ in range(5):
        events.publish("index_progress", "v")
    assert [e.kind for e in events.since(1)] == ["reset"]
    assert [e.kind for e in events.since(99)] == ["reset"]
    assert [e.id for e in events.since(3)] == [4, 5]


def test_a_slow_subscriber_is_told_to_reset() -> None:
    events = Events(waiting=3)
    with events.subscribed() as queue:
        for _ in range(4):
            events.publish("index_progress", "v")
        assert [queue.get_nowait().kind for _ in range(queue.qsize())] == ["reset"]


async def test_a_stream_gives_the_past_and_then_what_comes() -> None:
    events = Events()
    events.publish("note_changed", "v", path="old.md")
    seen = stream(events, 0)
    assert (await anext(seen)).data["path"] == "old.md"
    coming = asyncio.ensure_future(anext(seen))
    await asyncio.sleep(0)
    events.publish("note_changed", "v", path="new.md")
    assert (await coming).data["path"] == "new.md"
    await seen.aclose()
