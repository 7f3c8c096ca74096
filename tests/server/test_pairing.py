"""Pairing with a serving bridge."""

import asyncio
import json
import logging
import stat
from pathlib import Path
from typing import Any

import orjson
import pytest

from bridge.access.tokens import Tokens
from tests.features.served import Answer, Served, serving
from tests.mcp.client import connected, text_of
from tests.server.clients import bearer, call, made


async def pair(served: Served, **body: Any) -> Answer:
    """Ask for a token, without one."""
    return await served.request("POST", "/api/pair", headers={}, data=orjson.dumps(body))


async def opened(served: Served) -> str:
    """Open pairing as the plugin does."""
    answer = await served.call("open_pairing")
    assert (answer.status, answer.json["expires_in_s"]) == (200, 120)
    code: str = answer.json["code"]
    return code


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def refused(answer: Answer) -> str:
    """Check a refusal and return what it says."""
    assert (answer.status, answer.code) == (403, "forbidden")
    assert "vaultside pair" in answer.json["error"]["hint"]
    message: str = answer.json["error"]["message"]
    return message


async def test_a_client_that_knows_the_code_gets_a_token_that_reads_and_writes(served: Served) -> None:
    answer = await pair(served, code=await opened(served), client="Claude Code")
    assert answer.status == 200
    assert answer.json == {"token": answer.json["token"], "scopes": ["read", "write"], "client": "Claude Code"}
    headers = bearer(answer.json["token"])
    assert (await call(served, headers, "status")).status == 200
    assert (await call(served, headers, "create_note", path="New.md", text="New.")).status == 200
    assert (await call(served, headers, "change_settings", changes={"workers": 1})).json["error"]["scope"] == "admin"
    assert stat.S_IMODE(served.bridge.folders.tokens.stat().st_mode) == 0o600
    assert answer.json["token"].encode() not in served.bridge.folders.tokens.read_bytes()


async def test_the_code_counts_once(served: Served) -> None:
    code = await opened(served)
    answers = await asyncio.gather(*(pair(served, code=code, client="Claude Code") for _ in range(3)))
    assert sorted(answer.status for answer in answers) == [200, 403, 403]
    assert "No pairing is open" in refused(await pair(served, code=code, client="Claude Code"))
    assert len(Tokens(served.bridge.folders.tokens).clients()) == 1


async def test_without_a_window_nobody_pairs(served: Served) -> None:
    assert "No pairing is open" in refused(await pair(served, code="000000", client="x"))


async def test_five_wrong_codes_close_it(standing: list[float], served: Served) -> None:
    code = await opened(served)
    tries = [await pair(served, code=wrong(code), client="x") for _ in range(4)]
    assert [answer.json["error"]["tries_left"] for answer in tries] == [4, 3, 2, 1]
    assert "closed" in refused(await pair(served, code=wrong(code), client="x"))
    standing[0] += 5
    assert "No pairing is open" in refused(await pair(served, code=code, client="x"))
    assert Tokens(served.bridge.folders.tokens).clients() == ()


async def test_it_closes_after_two_minutes(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    code = await opened(served)
    pairing = served.bridge.pairing
    assert pairing is not None
    now = pairing._clock()
    monkeypatch.setattr(pairing, "_clock", lambda: now + 121)
    assert "No pairing is open" in refused(await pair(served, code=code, client="x"))


async def test_a_restart_closes_it(tmp_path: Path, served: Served) -> None:
    code = await opened(served)
    root = served.bridge.find(None).root
    async with serving([root.parent], tmp_path / "elsewhere", served.models) as other:
        assert "No pairing is open" in refused(await pair(other, code=code, client="x"))


async def test_a_name_in_use_is_numbered_and_its_token_stays(served: Served) -> None:
    token = made(served, "Cursor", "admin")
    answer = await pair(served, code=await opened(served), client="Cursor")
    assert answer.json["client"] == "Cursor (2)"
    assert (await call(served, bearer(token), "change_settings", changes={"max_file_mb": 5})).status == 200


@pytest.mark.parametrize(
    "body",
    [
        {}, {"code": "123456"}, {"client": "x"}, {"code": 123456, "client": "x"}, {"code": "123456", "client": None},
        {"code": "123456", "client": "x", "scopes": ["admin"]}, {"code": "123456", "client": ""},
        {"code": "123456", "client": "runtime"}, {"code": "123456", "client": "a\n"},
    ],
)  # fmt: skip
async def test_what_makes_no_sense_is_refused_and_costs_no_try(served: Served, body: dict[str, Any]) -> None:
    code = await opened(served)
    answer = await pair(served, **body)
    assert (answer.status, answer.code) == (400, "invalid_arguments")
    assert (await pair(served, code=wrong(code), client="x")).json["error"]["tries_left"] == 4


async def test_host_and_origin_are_checked(served: Served) -> None:
    body = orjson.dumps({"code": await opened(served), "client": "x"})
    for headers, status in (({"Host": "evil.example"}, 421), ({"Origin": "https://evil.example"}, 403)):
        assert (await served.request("POST", "/api/pair", headers=headers, data=body)).status == status
    answer = await served.request("POST", "/api/pair", headers={"Origin": "app://obsidian.md"}, data=body)
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (200, "app://obsidian.md")


async def test_tries_are_slowed(standing: list[float], served: Served) -> None:
    statuses = [(await pair(served, code="000000", client="x")).status for _ in range(8)]
    assert statuses == [403] * 5 + [429] * 3
    assert (await served.call("status")).status == 200
    standing[0] += 1
    assert (await pair(served, code=await opened(served), client="x")).status == 200


async def test_only_a_program_of_the_user_opens_it(served: Served) -> None:
    client = bearer(made(served, "Cursor", "read", "write", "admin"))
    as_client = bearer(served.runtime.token, "Cursor")
    for headers in (client, as_client):
        answer = await call(served, headers, "open_pairing")
        assert (answer.status, answer.code) == (403, "forbidden")
        assert "vaultside pair" in answer.json["error"]["hint"]
    assert "No pairing is open" in refused(await pair(served, code="000000", client="x"))


async def test_no_agent_opens_it(served: Served) -> None:
    async with connected(served) as client:
        answer = await client.call_tool("run_tool", {"name": "open_pairing", "arguments": {}})
    assert text_of(answer).startswith("forbidden: An agent may not let clients pair.")
    assert "No pairing is open" in refused(await pair(served, code="000000", client="x"))


async def test_codes_and_tokens_are_in_no_log(
    served: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No six digits, which a log may hold by chance.
    monkeypatch.setattr("bridge.access.tokens.secrets.randbelow", lambda _: "quince")
    with caplog.at_level(logging.DEBUG):
        code = await opened(served)
        refusal = await pair(served, code="000000", client="x")
        answer = await pair(served, code=code, client="x")
    assert code not in refusal.body.decode()
    assert all(secret not in caplog.text for secret in (code, answer.json["token"]))


async def test_get_is_not_answered(served: Served) -> None:
    answer = await served.request("GET", "/api/pair", headers={})
    assert (answer.status, json.loads(answer.body)["error"]["code"]) == (405, "invalid_arguments")
