"""Random renames of tags, properties and values in real vaults; `scripts/torture order` makes many more."""

from pathlib import Path

import pytest

from scripts.lib.torture.order import refactor_at_random
from tests.evaldata import EVAL, needs_eval

VAULTS = Path(__file__).parents[1] / "vaults"


def require_no_harm(vault: Path, count: int) -> None:
    found, wrong = refactor_at_random(vault, count, seed=3)
    assert +wrong == {}
    assert found["refactors"] == count
    assert found["files written"] >= count // 2


@pytest.mark.parametrize("vault", ["sample", "tangled"])
def test_renames_change_what_they_should_and_are_undone(vault: str) -> None:
    require_no_harm(VAULTS / vault, 40)


@needs_eval
@pytest.mark.eval
@pytest.mark.parametrize("vault", ["DawnVespero__TheBlackSunLodge", "clickear__knowledge-garden"])
def test_renames_do_no_harm_in_a_vault_that_people_use(vault: str) -> None:
    require_no_harm(EVAL / "links" / vault, 12)
