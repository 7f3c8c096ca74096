"""So many at once, then so many a second."""

import pytest

from bridge.server.connections import TokenBucket
from tests.access.test_pairing import Clock


def test_a_burst_passes_and_then_so_many_a_second() -> None:
    clock = Clock()
    pace = TokenBucket(clock)
    assert [pace.take(2, 5) for _ in range(5)] == [0] * 5
    assert pace.take(2, 5) == pytest.approx(0.5)
    clock.now += 0.5
    assert pace.take(2, 5) == 0
    assert pace.take(2, 5) == pytest.approx(0.5)


def test_a_refused_call_costs_nothing() -> None:
    clock = Clock()
    pace = TokenBucket(clock)
    pace.take(1, 1)
    waits = [pace.take(1, 1) for _ in range(100)]
    assert waits == [pytest.approx(1)] * 100
    clock.now += 1
    assert pace.take(1, 1) == 0


def test_a_pause_never_saves_more_than_a_burst() -> None:
    clock = Clock()
    pace = TokenBucket(clock)
    clock.now += 3600
    assert [pace.take(1, 3) == 0 for _ in range(5)] == [True, True, True, False, False]
