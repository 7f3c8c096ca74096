from bridge.engine.backfill import AVERAGED_STEPS, Pace


def test_the_pace_is_that_of_the_last_steps_until_a_rest() -> None:
    pace = Pace()
    told = [pace.per_second]
    pace.step(0, 1.0)
    told.append(pace.per_second)
    pace.step(30, 2.0)
    told.append(pace.per_second)
    for _ in range(AVERAGED_STEPS):
        pace.step(8, 0.5)
    told.append(pace.per_second)
    pace.rest()
    assert [*told, pace.per_second] == [None, None, 10.0, 16.0, None]
