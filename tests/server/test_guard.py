"""Who may come in, each check alone."""

from pathlib import Path

import pytest
from multidict import CIMultiDict, CIMultiDictProxy

from bridge.access.tokens import Tokens, token_digest
from bridge.api.call import OWNER, RUNTIME, Principal
from bridge.errors import BadHost, Forbidden, Unauthorized
from bridge.server.auth import CLIENT_HEADER, LIMITED_HEADER, Authenticator, Identity

GUARD = Authenticator(4321, token_digest("right"), Tokens(Path("there", "are", "none")))


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
def test_the_holder_of_the_runtime_token_is_found(value: str) -> None:
    assert GUARD.visitor(headers(("Authorization", value))) == Identity(RUNTIME)


@pytest.mark.parametrize(
    "value", ["", "right", "Bearer", "Bearer ", "Bearer wrong", "Basic right", "Bearer righ", "Bearer \udcff"]
)
def test_nobody_holds_any_other_token(value: str) -> None:
    with pytest.raises(Unauthorized):
        GUARD.visitor(headers(("Authorization", value)))


def test_two_tokens_are_none() -> None:
    with pytest.raises(Unauthorized):
        GUARD.visitor(headers(("Authorization", "Bearer right"), ("Authorization", "Bearer wrong")))


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return Tokens(tmp_path / "tokens.json")


def of(tokens: Tokens, *pairs: tuple[str, str]) -> Identity:
    return Authenticator(4321, token_digest("right"), tokens).visitor(headers(*pairs))


def test_a_client_may_what_its_token_says_and_is_not_local(tokens: Tokens) -> None:
    client, token = tokens.create("Cursor", ["read", "admin"], "full")
    assert of(tokens, ("Authorization", f"Bearer {token}")) == Identity(
        Principal("Cursor", frozenset({"read", "admin"}), "full", local=False), client, paced=True
    )


@pytest.mark.parametrize("name", ["Cursor", "cursor"])
def test_a_program_with_the_runtime_token_may_no_more_than_the_client_it_names(tokens: Tokens, name: str) -> None:
    client, _ = tokens.create("Cursor", ["read", "admin"], "read-only")
    assert of(tokens, ("Authorization", "Bearer right"), (CLIENT_HEADER, name)) == Identity(
        Principal("Cursor", frozenset({"read"}), "read-only", local=False), client
    )


def test_naming_one_without_a_token_changes_nothing(tokens: Tokens) -> None:
    assert of(tokens, ("Authorization", "Bearer right"), (CLIENT_HEADER, "Cursor")) == Identity(RUNTIME)


def test_who_is_limited_to_one_without_a_token_may_only_read(tokens: Tokens) -> None:
    asked = (("Authorization", "Bearer right"), (LIMITED_HEADER, "Reader"))
    assert of(tokens, *asked) == Identity(Principal("Reader", frozenset({"read"})))
    client, _ = tokens.create("Reader", ["read", "write"])
    assert of(tokens, *asked) == Identity(Principal("Reader", frozenset({"read", "write"})), client)
    tokens.path.unlink()
    assert of(tokens, *asked) == Identity(Principal("Reader", frozenset({"read"})))


def test_naming_one_whose_token_was_revoked_is_refused(tokens: Tokens) -> None:
    tokens.create("Cursor", ["read"])
    tokens.revoke("Cursor")
    with pytest.raises(Unauthorized, match="revoked"):
        of(tokens, ("Authorization", "Bearer right"), (CLIENT_HEADER, "cursor"))


def test_a_client_cannot_call_as_another(tokens: Tokens) -> None:
    tokens.create("Other", ["read", "write"])
    client, token = tokens.create("Cursor", ["read"])
    assert of(tokens, ("Authorization", f"Bearer {token}"), (CLIENT_HEADER, "Other")).client == client


def test_the_key_of_the_owner_opens_what_the_runtime_token_does_not(tokens: Tokens) -> None:
    guard = Authenticator(4321, token_digest("right"), tokens, key=token_digest("key"))
    assert guard.visitor(headers(("Authorization", "Bearer key"))) == Identity(OWNER)
    assert guard.visitor(headers(("Authorization", "Bearer right"))) == Identity(RUNTIME)


def test_the_key_of_the_owner_is_narrowed_to_the_client_it_is_used_for(tokens: Tokens) -> None:
    client, _ = tokens.create("Cursor", ["read"])
    guard = Authenticator(4321, token_digest("right"), tokens, key=token_digest("key"))
    found = guard.visitor(headers(("Authorization", "Bearer key"), (CLIENT_HEADER, "Cursor")))
    assert found == Identity(Principal("Cursor", frozenset({"read"}), None, local=False), client)
