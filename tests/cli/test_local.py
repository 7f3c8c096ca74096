"""What is said of a vault when it can be searched."""

from typing import Any

import pytest

from bridge.cli.local import is_model_awaited, is_settled
from bridge.features.status.operations import VaultStatus, summarize_vault
from tests.features.results import record_of


def status_of(**given: Any) -> VaultStatus:
    made: VaultStatus = record_of(VaultStatus, given)
    return made


@pytest.mark.parametrize(
    ("model", "ready", "said"),
    [
        (None, False, "words only, since no model is installed"),
        ({"id": "a"}, False, "words; by meaning when half of the passages are embedded"),
        ({"id": "a"}, True, "words and meaning"),
    ],
)
def test_a_model_that_is_about_to_answer_is_not_missing(model: object, *, ready: bool, said: str) -> None:
    vault = status_of(name="A", notes=2, model=model, ready={"semantic": ready})
    assert summarize_vault(vault) == f"A: 2 notes; search by {said}."


@pytest.mark.parametrize(
    ("model", "vectors", "missing", "done"),
    [(None, 5, True, True), (None, 0, False, False), ({"id": "a"}, 5, False, False), ({"id": "a"}, 0, False, True)],
)
def test_a_model_is_waited_for_until_none_is_known_to_be_there(
    model: object, vectors: int, *, missing: bool, done: bool
) -> None:
    vault = status_of(model=model, pending={"vectors": vectors})
    assert is_settled(vault, missing=missing) == done


@pytest.mark.parametrize(
    ("state", "said", "awaited"),
    [
        ("running", "words; meaning follows. Fetching the model.", True),
        ("missing", "words only. Fetching the model.", False),
    ],
)
def test_what_a_model_waits_for_is_said_in_place_of_that_it_is_missing(state: str, said: str, *, awaited: bool) -> None:
    setup = {"state": state, "message": "Fetching the model.", "hint": "Wait."}
    vault = status_of(name="A", notes=2, model_setup=setup)
    assert summarize_vault(vault) == f"A: 2 notes; search by {said}"
    assert is_model_awaited([status_of(), vault]) == awaited
