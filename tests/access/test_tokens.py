"""Tokens in their file."""

import hashlib
import json
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bridge.access.tokens import Client, Tokens, token_digest
from bridge.errors import InvalidArguments, ReadOnly
from bridge.types import Scope

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Calendar:
    """A clock that stands."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tokens.json"


@pytest.fixture
def tokens(path: Path) -> Tokens:
    return Tokens(path, Calendar())


def test_without_a_file_nobody_holds_a_token(tokens: Tokens) -> None:
    assert (tokens.holder("x"), tokens.holder(""), tokens.clients()) == (None, None, ())


def test_who_holds_a_token_is_found(tokens: Tokens) -> None:
    client, token = tokens.create("Cursor", ["read", "write"], "read-only")
    assert tokens.holder(token) == client
    scopes, digest = frozenset[Scope]({"read", "write"}), token_digest(token)
    assert client == Client(client.id, "Cursor", scopes, "read-only", "2026-03-01T12:00:00+00:00", None, digest)
    assert tokens.holder(token[:-1]) is None
    assert tokens.holder(hashlib.sha256(token.encode()).hexdigest()) is None


def test_a_token_is_long_and_never_the_same(tokens: Tokens) -> None:
    made = {tokens.create(name, ["read"])[1] for name in ("a", "b", "c")}
    assert len(made) == 3
    assert all(len(token) >= 43 for token in made)


def test_the_file_is_private_and_holds_no_token(tokens: Tokens, path: Path) -> None:
    _, token = tokens.create("Cursor", ["read"])
    assert [stat.S_IMODE(each.stat().st_mode) for each in sorted(path.parent.iterdir())] == [0o600, 0o600]
    assert all(token.encode() not in each.read_bytes() for each in path.parent.iterdir())
    assert json.loads(path.read_bytes())["clients"][0]["digest"] == hashlib.sha256(token.encode()).hexdigest()


def test_what_another_process_makes_and_revokes_counts_at_once(tokens: Tokens, path: Path) -> None:
    other = Tokens(path)
    client, token = other.create("Cursor", ["read"])
    assert tokens.holder(token) == client
    other.revoke("Cursor")
    assert tokens.holder(token) is None
    path.unlink()
    assert tokens.clients() == ()


def test_a_restart_keeps_tokens(tokens: Tokens, path: Path) -> None:
    client, token = tokens.create("Cursor", ["admin"], "full")
    assert Tokens(path).holder(token) == client


@pytest.mark.parametrize("name", ["Cursor", "cursor", "CURSOR"])
def test_a_name_in_use_is_refused_with_a_way_out(tokens: Tokens, name: str) -> None:
    tokens.create("Cursor", ["read"])
    with pytest.raises(InvalidArguments) as refused:
        tokens.create(name, ["write"])
    assert "tokens revoke" in refused.value.hint
    assert len(tokens.clients()) == 1


def test_a_name_in_use_is_numbered_for_one_who_pairs(tokens: Tokens) -> None:
    names = [tokens.create("Cursor", ["read"], numbered=True)[0].name for _ in range(3)]
    assert names == ["Cursor", "Cursor (2)", "Cursor (3)"]
    longest = [tokens.create("x" * 64, ["read"], numbered=True)[0].name for _ in range(2)]
    assert longest == ["x" * 64, "x" * 58 + " (2)"]


@pytest.mark.parametrize("name", ["", " ", "a ", " a", "-a", "a\n", "a\x00", "ä", "x" * 65, "runtime", "Owner"])
def test_a_name_that_no_header_can_carry_or_that_is_ours_is_refused(tokens: Tokens, name: str) -> None:
    with pytest.raises(InvalidArguments):
        tokens.create(name, ["read"])
    assert tokens.clients() == ()


@pytest.mark.parametrize("by", ["name", "other case", "id"])
def test_a_token_is_revoked_by_name_or_id(tokens: Tokens, by: str) -> None:
    client, token = tokens.create("Cursor", ["read"])
    kept = tokens.create("Other", ["read"])[0]
    tokens.revoke({"name": "Cursor", "other case": "cursor", "id": client.id}[by])
    assert (tokens.holder(token), tokens.clients()) == (None, (kept,))


def test_revoking_nobody_is_refused(tokens: Tokens) -> None:
    with pytest.raises(InvalidArguments) as refused:
        tokens.revoke("Cursor")
    assert "tokens list" in refused.value.hint


def test_a_revoked_name_is_remembered_until_it_gets_a_token_again(tokens: Tokens, path: Path) -> None:
    tokens.create("Cursor", ["read"])
    assert not tokens.is_revoked("cursor")
    tokens.revoke("Cursor")
    assert Tokens(path).is_revoked("cursor")
    tokens.create("CURSOR", ["read"])
    assert not tokens.is_revoked("cursor")


def test_use_is_noted_by_the_day_and_once_a_day(path: Path) -> None:
    clock = Calendar()
    tokens = Tokens(path, clock)
    client, token = tokens.create("Cursor", ["read"])
    assert not tokens.is_noted(client)
    tokens.note_use(client)
    noted = tokens.holder(token)
    assert noted is not None
    assert (noted.last_used, tokens.is_noted(noted)) == ("2026-03-01", True)
    before = path.stat()
    clock.now = NOON.replace(hour=23)
    tokens.note_use(client)
    assert path.stat().st_ino == before.st_ino
    clock.now = NOON.replace(day=2)
    assert not tokens.is_noted(noted)
    tokens.note_use(noted)
    assert [held.last_used for held in tokens.clients()] == ["2026-03-02"]


def test_noting_the_use_of_a_revoked_client_does_not_bring_it_back(tokens: Tokens) -> None:
    client, token = tokens.create("Cursor", ["read"])
    tokens.revoke("Cursor")
    tokens.note_use(client)
    assert tokens.holder(token) is None


GOOD = {
    "id": "1", "name": "a", "scopes": ["read"], "preset": None, "created": "", "last_used": None, "digest": "0" * 64
}  # fmt: skip


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"\xff\x00",
        b"[]",
        b"null",
        b"{}",
        b'{"schema": 2, "clients": [], "revoked": []}',
        b'{"schema": 1, "clients": {}, "revoked": []}',
        b'{"schema": 1, "clients": [1], "revoked": []}',
        b'{"schema": 1, "clients": [], "revoked": [1]}',
    ],
)
def test_a_damaged_file_is_set_aside_and_told(
    tokens: Tokens, path: Path, damage: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    _, token = tokens.create("Cursor", ["read"])
    path.write_bytes(damage)
    assert tokens.holder(token) is None
    assert path.with_name("tokens.damaged.json").read_bytes() == damage
    assert not path.exists()
    assert "tokens.damaged.json" in caplog.text
    assert tokens.create("Cursor", ["read"])[0] in tokens.clients()


@pytest.mark.parametrize(
    "wrong",
    [
        {"scopes": ["everything"]}, {"scopes": "read"}, {"scopes": None}, {"preset": "all"}, {"digest": "0" * 63},
        {"digest": None}, {"name": 1}, {"last_used": 1}, {"id": None}, {"created": 0},
    ],
)  # fmt: skip
def test_a_file_with_a_wrong_field_is_damaged(tokens: Tokens, path: Path, wrong: dict[str, Any]) -> None:
    path.write_text(json.dumps({"schema": 1, "clients": [GOOD], "revoked": []}))
    assert [client.name for client in tokens.clients()] == ["a"]
    path.write_text(json.dumps({"schema": 1, "clients": [{**GOOD, **wrong}], "revoked": []}))
    assert tokens.clients() == ()
    assert path.with_name("tokens.damaged.json").exists()


def test_a_file_that_cannot_be_read_lets_nobody_in_and_stays(
    tokens: Tokens, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path.mkdir()
    assert (tokens.holder("x"), tokens.clients()) == (None, ())
    assert caplog.text.count("No client gets in") == 1
    with pytest.raises(ReadOnly):
        tokens.create("Cursor", ["read"])
    assert path.is_dir()


@pytest.mark.skipif(os.name != "posix", reason="rights are another matter on Windows")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(tokens: Tokens, path: Path) -> None:
    path.parent.chmod(0o500)
    try:
        with pytest.raises(ReadOnly):
            tokens.create("Cursor", ["read"])
    finally:
        path.parent.chmod(0o700)


@pytest.mark.process
def test_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    code = (
        "import sys, pathlib; from bridge.access.tokens import Tokens; t = Tokens(pathlib.Path(sys.argv[1]))\n"
        "for n in range(20): t.create(f'{sys.argv[2]}{n}', ['read'])"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in ("a", "b", "c")]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert {client.name for client in Tokens(path).clients()} == {f"{w}{n}" for w in "abc" for n in range(20)}
