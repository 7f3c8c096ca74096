"""A window for one client."""

from itertools import pairwise

import pytest

from bridge.access.tokens import Pairing
from bridge.errors import Forbidden


class Clock:
    """A clock that goes when told."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def wrong(code: str) -> str:
    """Return another code."""
    return f"{(int(code) + 1) % 1_000_000:06}"


def refusal(pairing: Pairing, code: str) -> Forbidden:
    with pytest.raises(Forbidden) as refused:
        pairing.enter(code)
    assert "vaultside pair" in refused.value.hint
    assert code not in refused.value.message + refused.value.hint or not code
    return refused.value


def test_the_code_opens_once() -> None:
    pairing = Pairing()
    code = pairing.open()
    pairing.enter(code)
    assert "No pairing is open" in refusal(pairing, code).message


def test_a_code_is_six_digits_and_chance() -> None:
    codes = [Pairing().open() for _ in range(50)]
    assert all(len(code) == 6 and code.isdigit() for code in codes)
    assert any(one != other for one, other in pairwise(codes))


@pytest.mark.parametrize("code", ["", "000000"])
def test_closed_at_first(code: str) -> None:
    assert "No pairing is open" in refusal(Pairing(), code).message


def test_four_wrong_codes_leave_it_open_and_five_close_it() -> None:
    pairing = Pairing()
    code = pairing.open()
    assert [refusal(pairing, wrong(code)).facts["tries_left"] for _ in range(4)] == [4, 3, 2, 1]
    pairing.enter(code)
    code = pairing.open()
    for _ in range(5):
        last = refusal(pairing, wrong(code))
    assert "closed" in last.message
    assert "No pairing is open" in refusal(pairing, code).message


def test_it_closes_after_two_minutes() -> None:
    clock = Clock()
    pairing = Pairing(clock)
    code = pairing.open()
    clock.now += 119.9
    pairing.enter(code)
    code = pairing.open()
    clock.now += 120
    assert "No pairing is open" in refusal(pairing, code).message


def test_a_new_code_takes_the_place_of_the_last() -> None:
    pairing = Pairing()
    first = pairing.open()
    for _ in range(4):
        refusal(pairing, wrong(first))
    while (second := pairing.open()) == first:
        pass
    assert refusal(pairing, first).facts["tries_left"] == 4
    pairing.enter(second)


@pytest.mark.parametrize("code", ["", "1", "१२३४५६", "\ud800", "0" * 10_000])
def test_anything_else_is_a_wrong_code(code: str) -> None:
    pairing = Pairing()
    pairing.open()
    assert refusal(pairing, code).facts["tries_left"] == 4
