"""Whatever goes wrong at whichever call, each file is its old or its new self, and the journal says which."""

import random
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.vault.write.drawn import NAMES
from tests.vault.write.faults import CODES, Fault
from tests.vault.write.world import MAX_CALLS, World

AT = st.integers(1, MAX_CALLS)
SEED = st.integers(0, 1 << 32)


class Torture(RuleBasedStateMachine):
    """Changes, failures, crashes, and a user who edits the same notes."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="torture-")
        self.world = World(Path(self.folder.name), random.Random(0))

    @rule(seed=SEED)
    def succeed(self, seed: int) -> None:
        self.world.draw.seed(seed)
        self.world.write(self.world.plan(), Fault())

    @rule(seed=SEED, at=AT, torn=st.booleans())
    def die(self, seed: int, at: int, torn: bool) -> None:
        self.world.draw.seed(seed)
        self.world.write(self.world.plan(), Fault("torn" if torn else "kill", at))

    @rule(seed=SEED, at=AT, code=st.sampled_from(CODES))
    def fail_once(self, seed: int, at: int, code: int) -> None:
        self.world.draw.seed(seed)
        self.world.write(self.world.plan(), Fault("once", at, code))

    @rule(seed=SEED, at=AT)
    def run_out_of_room(self, seed: int, at: int) -> None:
        self.world.draw.seed(seed)
        self.world.write(self.world.plan(), Fault("on", at))

    @rule(seed=SEED, at=AT, path=st.sampled_from(NAMES))
    def save_meanwhile(self, seed: int, at: int, path: str) -> None:
        self.world.draw.seed(seed)
        self.world.write(self.world.plan(), Fault("save", at, save=lambda: self.world.save(path)))

    @rule(seed=SEED)
    def edit(self, seed: int) -> None:
        self.world.draw.seed(seed)
        self.world.edit()

    @rule()
    def restart(self) -> None:
        self.world.restart()

    @invariant()
    def nothing_is_lost(self) -> None:
        assert self.world.figures.faults == []

    def teardown(self) -> None:
        self.world.close()
        self.folder.cleanup()


def test_a_file_that_was_moved_and_removed_is_not_taken_for_one_that_was_saved_there_since() -> None:
    torture = Torture()
    try:
        torture.run_out_of_room(at=16, seed=2636)
        assert torture.world.figures.faults == []
    finally:
        torture.teardown()


TestTorture = Torture.TestCase
# The same each time, so that red means a change; `scripts/torture writer` looks further with other dice.
TestTorture.settings = settings(
    max_examples=10, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
