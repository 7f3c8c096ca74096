"""`tokens` and `pair`."""

import hashlib
import stat
from pathlib import Path

import aiohttp
import orjson

from tests.features.served import Ran, Served, command


async def tokens(data: Path, *words: str) -> Ran:
    """Run `tokens` where nothing is served."""
    return await command("tokens", *words, data=data, models=data / "m", cwd=data.parent)


async def test_the_token_alone_is_printed_and_is_kept_nowhere(tmp_path: Path) -> None:
    data = tmp_path / "data"
    ran = await tokens(data, "create", "Cursor", "--scope", "write", "--scope", "read", "--preset", "full")
    assert ran.status == 0, ran.err
    token = ran.out.removesuffix("\n")
    assert (len(token), token.split()) == (43, [token])
    assert (token in ran.err, "Cursor may read and write." in ran.err) == (False, True)
    kept = {path: path.read_bytes() for path in data.rglob("*") if path.is_file()}
    assert all(token.encode() not in held for held in kept.values())
    assert any(hashlib.sha256(token.encode()).hexdigest().encode() in held for held in kept.values())
    assert stat.S_IMODE(data.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}


async def test_tokens_are_listed_without_their_secret(tmp_path: Path) -> None:
    data = tmp_path / "data"
    made = await tokens(data, "create", "Cursor", "--json")
    await tokens(data, "create", "Claude Code", "--scope", "admin")
    listed = (await tokens(data, "list", "--json")).json["tokens"]
    assert [(each["name"], each["scopes"], each["preset"], each["last_used"]) for each in listed] == [
        ("Cursor", ["read"], None, None), ("Claude Code", ["admin"], None, None)
    ]  # fmt: skip
    assert {key: value for key, value in made.json.items() if key != "token"} == listed[0]
    shown = await tokens(data, "list")
    assert [line.split("\t")[1] for line in shown.out.splitlines()] == ["Cursor", "Claude Code"]
    assert made.json["token"] not in shown.out


async def test_who_may_write_may_read(tmp_path: Path) -> None:
    made = await tokens(tmp_path / "data", "create", "Cursor", "--scope", "write", "--json")
    assert sorted(made.json["scopes"]) == ["read", "write"]


async def test_no_tokens_are_told(tmp_path: Path) -> None:
    ran = await tokens(tmp_path / "data", "list")
    assert (ran.status, ran.out, ran.err) == (0, "", "No client has a token.\n")


async def test_a_name_in_use_is_refused_with_a_hint(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await tokens(data, "create", "Cursor")
    ran = await tokens(data, "create", "cursor")
    assert (ran.status, ran.out) == (2, "")
    assert "vaultside tokens revoke 'cursor'" in ran.err


async def test_a_token_is_revoked_by_name_or_id(tmp_path: Path) -> None:
    data = tmp_path / "data"
    one, two = [(await tokens(data, "create", name, "--json")).json for name in ("one", "two")]
    assert (await tokens(data, "revoke", one["name"])).status == 0
    assert (await tokens(data, "revoke", two["id"])).status == 0
    assert (await tokens(data, "list", "--json")).json == {"tokens": []}
    again = await tokens(data, "revoke", "one")
    assert (again.status, "tokens list" in again.err) == (2, True)


async def test_an_unknown_scope_is_refused(tmp_path: Path) -> None:
    ran = await tokens(tmp_path / "data", "create", "Cursor", "--scope", "everything")
    assert (ran.status, ran.out) == (2, "")


async def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    data = tmp_path / "data"
    await tokens(data, "create", "Cursor")
    (data / "tokens.json").write_text("damaged")
    ran = await tokens(data, "list")
    assert (ran.status, ran.out, "tokens.damaged.json" in ran.err) == (0, "", True)


async def test_pair_shows_a_code_that_works(served: Served) -> None:
    ran = await served.command("pair")
    code = ran.out.removesuffix("\n")
    assert (ran.status, len(code), code.isdigit()) == (0, 6, True)
    assert served.runtime.url in ran.err
    assert (code in ran.err, served.runtime.token in ran.err) == (False, False)
    paired = await served.request(
        "POST", "/api/pair", headers={}, data=orjson.dumps({"code": code, "client": "Cursor"})
    )
    assert (paired.status, (await served.command("tokens", "list", "--json")).json["tokens"][0]["name"]) == (
        200, "Cursor"
    )  # fmt: skip


async def test_pair_finds_the_bridge_of_a_vault(served: Served) -> None:
    ran = await served.command("pair", "--vault", "Notes", "--json")
    assert (set(ran.json), ran.json["url"]) == ({"code", "expires_in_s", "url"}, served.runtime.url)


async def test_without_a_bridge_there_is_no_pairing(vault: Path, tmp_path: Path) -> None:
    for words in (["pair"], ["pair", "--vault", str(vault)], ["open-pairing"]):
        ran = await command(*words, data=tmp_path / "data", models=tmp_path / "m", cwd=tmp_path)
        assert (ran.status, ran.out) == (1, "")
        assert "vaultside serve" in ran.err


async def test_a_token_made_by_the_command_works_at_once(served: Served) -> None:
    made = await served.command("tokens", "create", "Cursor")
    async with (
        aiohttp.ClientSession(headers={"Authorization": f"Bearer {made.out.strip()}"}) as session,
        session.post(served.runtime.url + "/api/status") as answer,
    ):
        assert answer.status == 200
