"""A process that is killed leaves three notes of one version, and a journal that says which."""

import random
from pathlib import Path

import pytest

from tests.vault.write.dying import killed_once

pytestmark = pytest.mark.process


def test_a_killed_process_leaves_all_or_nothing(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    versions = [killed_once(tmp_path, random.Random(seed)) for seed in range(5)]
    assert versions == sorted(versions)
    assert versions[-1] > 0
