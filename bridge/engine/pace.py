"""How fast work goes on, by its last steps."""

from collections import deque

STEPS = 16
"""Steps looked back on: enough to be steady, few enough to tell what else the machine does meanwhile."""


class Pace:
    """Counts what was done in how much time."""

    def __init__(self) -> None:
        self._steps: deque[tuple[int, float]] = deque(maxlen=STEPS)

    def step(self, done: int, seconds: float) -> None:
        """Note how much was done in some seconds of work."""
        self._steps.append((done, seconds))

    def rest(self) -> None:
        """Forget the steps: nothing is done now."""
        self._steps.clear()

    @property
    def per_second(self) -> float | None:
        """How much is done in a second; None while nothing is."""
        done, seconds = (sum(each) for each in zip((0, 0.0), *self._steps, strict=True))
        return done / seconds if done and seconds else None
