"""The location of the development data, for tests and `scripts/eval`."""

import os
from pathlib import Path

import pytest

EVAL = Path(os.environ.get("VAULTSIDE_EVAL", Path(__file__).resolve().parents[2] / "shared" / "eval"))

needs_eval = pytest.mark.skipif(not EVAL.is_dir(), reason="the development data is not beside this checkout")
