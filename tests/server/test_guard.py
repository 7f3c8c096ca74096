"""Who may come in, each check alone."""

import pytest
from multidict import CIMultiDict, CIMultiDictProxy

from bridge.errors import BadHost, Forbidden, Unauthorized
from bridge.operations import RUNTIME
from bridge.server.guard import Guard

GUARD = Guard(4321, {"right": RUNTIME})


def headers(*pairs: tuple[str, str]) -> CIMultiDictProxy[str]:
    return CIMultiDictProxy(CIMultiDict(pairs))


@pytest.mark.parametrize("host", ["127.0.0.1:4321", "localhost:4321", "LOCALHOST:4321", "[::1]:4321"])
def test_a_host_that_names_this_machine_passes(host: str) -> None:
    GUARD.check_host(headers(("Host", host)))


@pytest.mark.parametrize(
    "host",
    ["", "127.0.0.1", "127.0.0.1:80", "evil.example:4321", "127.0.0.1.evil.example:4321", "localhost.:4321", "0:4321"],
)
def test_any_other_host_is_refused(host: str) -> None:
    with pytest.raises(BadHost):
        GUARD.check_host(headers(("Host", host)))


def test_no_host_and_two_hosts_are_refused() -> None:
    with pytest.raises(BadHost):
        GUARD.check_host(headers())
    with pytest.raises(BadHost):
        GUARD.check_host(headers(("Host", "127.0.0.1:4321"), ("Host", "127.0.0.1:4321")))


@pytest.mark.parametrize("origin", ["app://obsidian.md", "http://127.0.0.1:4321", "http://localhost:4321"])
def test_obsidian_and_our_own_pages_pass(origin: str) -> None:
    assert GUARD.check_origin(headers(("Origin", origin))) == origin


def test_a_program_that_is_no_browser_passes() -> None:
    assert GUARD.check_origin(headers()) is None


@pytest.mark.parametrize(
    "origin",
    ["null", "", "https://evil.example", "http://127.0.0.1:80", "app://obsidian.md.evil", "https://localhost:4321"],
)
def test_any_other_origin_is_refused(origin: str) -> None:
    with pytest.raises(Forbidden):
        GUARD.check_origin(headers(("Origin", origin)))


@pytest.mark.parametrize("value", ["Bearer right", "bearer right", "BEARER  right"])
def test_the_holder_of_a_token_is_found(value: str) -> None:
    assert GUARD.principal(headers(("Authorization", value))) is RUNTIME


@pytest.mark.parametrize(
    "value", ["", "right", "Bearer", "Bearer ", "Bearer wrong", "Basic right", "Bearer righ", "Bearer \udcff"]
)
def test_nobody_holds_any_other_token(value: str) -> None:
    with pytest.raises(Unauthorized):
        GUARD.principal(headers(("Authorization", value)))


def test_two_tokens_are_none() -> None:
    with pytest.raises(Unauthorized):
        GUARD.principal(headers(("Authorization", "Bearer right"), ("Authorization", "Bearer wrong")))
