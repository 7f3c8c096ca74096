"""Whatever is done to a vault can be undone, in any order, to the last byte."""

from pathlib import Path

import pytest

from tests.engine.random_edits import there_and_back
from tests.evaldata import EVAL, needs_eval

SAMPLE = Path(__file__).resolve().parents[1] / "vaults" / "sample"
CHANGES = 60


@pytest.mark.parametrize(
    "vault",
    [
        pytest.param(SAMPLE, id="sample"),
        pytest.param(EVAL / "vaults" / "kepano", id="real", marks=[needs_eval, pytest.mark.eval]),
    ],
)
async def test_undoing_everything_in_random_order_leaves_the_vault_as_it_was(vault: Path, tmp_path: Path) -> None:
    found = await there_and_back(vault, tmp_path, CHANGES, seed=1)
    assert len(found.rounds.done) > 6, "few kinds of changes were made"
    assert (found.different, found.folders_left, found.rounds.ids) == ((), (), [])
