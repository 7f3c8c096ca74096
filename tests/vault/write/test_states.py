"""What the paths of a plan hold, step by step."""

from bridge.types import Digest, VaultPath
from bridge.vault.plan import Step
from bridge.vault.write.recovery import PRESENCE, initial_state, initial_states, plan_states

OLD, NEW = Digest("old"), Digest("new")
A, B, C = VaultPath("a.md"), VaultPath("b.md"), VaultPath("f/c.md")
STEPS = (
    Step("move", VaultPath("f"), to=VaultPath("g")),
    Step("put", VaultPath("g/c.md"), before=OLD, after=NEW),
    Step("move", A, to=B),
    Step("put", B, before=OLD, after=NEW),
    Step("put", A, after=NEW),
)


def test_the_beginning_of_ever_more_steps_is_that_of_a_plan_of_them() -> None:
    assert [dict(first) for first in initial_states(STEPS)] == [initial_state(STEPS[:n]) for n in range(len(STEPS) + 1)]
    assert initial_state(STEPS) == {"f": PRESENCE, C: OLD, A: OLD}


def test_each_step_leads_from_one_state_to_the_next() -> None:
    found = list(plan_states(STEPS))
    assert found[0] == initial_state(STEPS)
    assert found[-1] == {"g": PRESENCE, "g/c.md": NEW, B: NEW, A: NEW}
