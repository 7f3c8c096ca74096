"""Random moves in real vaults, on disk, through the writer; `scripts/torture moves` makes many more."""

from pathlib import Path

import pytest

from scripts.lib.torture.moves import move_at_random
from tests.evaldata import EVAL, needs_eval

VAULTS = Path(__file__).parents[1] / "vaults"


def require_no_harm(vault: Path, count: int) -> None:
    tally, wrong = move_at_random(vault, count, seed=11)
    assert (tally.broken, tally.changed, wrong) == ([], [], [])
    assert tally.moves == count
    assert tally.rewritten


@pytest.mark.parametrize("vault", ["sample", "tangled"])
def test_no_link_breaks_in_the_vaults_of_this_checkout(vault: str) -> None:
    require_no_harm(VAULTS / vault, 30)


@needs_eval
@pytest.mark.eval
@pytest.mark.parametrize("vault", ["DawnVespero__TheBlackSunLodge", "clickear__knowledge-garden"])
def test_no_link_breaks_in_a_vault_that_people_use(vault: str) -> None:
    require_no_harm(EVAL / "links" / vault, 12)
