"""Clients with tokens of their own, at a serving bridge."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from bridge.access.tokens import Tokens
from bridge.events import SettingsChanged
from bridge.features import operations
from bridge.server import connections
from bridge.settings.file import save_settings
from bridge.types import Scope
from tests.features.served import PATIENCE_S, Answer, Served, serving
from tests.server.clients import bearer, call, made


@asynccontextmanager
async def streaming(served: Served, headers: Mapping[str, str]) -> AsyncIterator[aiohttp.ClientResponse]:
    """Open a stream of events and read its first words."""
    async with (
        asyncio.timeout(PATIENCE_S),
        aiohttp.ClientSession() as session,
        session.get(served.runtime.url + "/api/events", headers=headers) as response,
    ):
        assert response.status == 200
        await response.content.readuntil(b"\n\n")
        yield response


async def ended(response: aiohttp.ClientResponse) -> None:
    """Wait until a stream is cut."""
    with pytest.raises(aiohttp.ClientPayloadError):
        await response.content.read()


async def test_a_token_made_while_the_bridge_runs_opens_everything_it_should(served: Served) -> None:
    headers = bearer(made(served, "Cursor", "read"))
    assert (await call(served, headers, "search", query="frost")).json["hits"][0]["path"] == "Garden/Beans.md"
    for path in ("/openapi.json", "/api/operations"):
        assert (await served.request("GET", path, headers=headers)).status == 200
    async with streaming(served, headers):
        pass


OWN = {
    "open_pairing", "decide", "claim_change", "acknowledge_change", "list_injections",
    "give_note", "judge_finding",
    "pause_indexing", "resume_indexing", "export_index", "import_index", "publish", "retract",
}  # fmt: skip
"""Operations that only the user's own programs may call."""


async def test_every_operation_needs_its_scope(served: Served) -> None:
    save_settings(served.bridge.settings_path, {"rate_limit_per_s": 100})
    await served.bridge.reload()
    tokens: Mapping[Scope, Mapping[str, str]] = {
        "read": bearer(made(served, "reader", "read")),
        "write": bearer(made(served, "writer", "write")),
        "admin": bearer(made(served, "admin", "admin")),
    }
    for operation in operations():
        for scope, headers in tokens.items():
            answer = await call(served, headers, operation.name, **operation.example)
            if scope != operation.scope:
                assert (answer.status, answer.code) == (403, "forbidden"), operation.name
                assert answer.json["error"]["scope"] == operation.scope
                assert f"`{operation.scope}`" in answer.json["error"]["message"]
            elif operation.name not in OWN:
                assert answer.status not in {401, 403}, operation.name


async def test_events_need_the_scope_to_read(served: Served) -> None:
    answer = await served.request("GET", "/api/events", headers=bearer(made(served, "writer", "write")))
    assert (answer.status, answer.code, answer.json["error"]["scope"]) == (403, "forbidden", "read")


async def test_an_admin_changes_settings(served: Served) -> None:
    answer = await call(served, bearer(made(served, "admin", "admin")), "change_settings", changes={"max_file_mb": 5})
    assert answer.status == 200
    assert served.bridge.settings.max_file_mb == 5


async def test_a_revoked_token_is_refused_and_what_it_has_open_ends(served: Served) -> None:
    gone, kept = bearer(made(served, "gone", "read")), bearer(made(served, "kept", "read"))
    async with streaming(served, gone) as cut, streaming(served, kept) as stays:
        running = asyncio.create_task(
            call(served, gone, "wait_until_indexed", path="Garden/Beans.md", digest="0" * 64, timeout=600)
        )
        while len(served.bridge.events._queues) < 2:
            await asyncio.sleep(0.01)
        ran = await served.command("tokens", "revoke", "gone")
        assert (ran.status, ran.out) == (0, "")
        assert (await call(served, gone, "status")).code == "unauthorized"
        await ended(cut)
        assert isinstance((await asyncio.gather(running, return_exceptions=True))[0], aiohttp.ClientError | Answer)
        served.bridge.events.publish(SettingsChanged())
        while b"settings_changed" not in await stays.content.readuntil(b"\n\n"):
            pass
        assert (await call(served, kept, "status")).status == 200
    assert (await served.call("status")).status == 200


async def test_a_program_with_the_runtime_token_is_narrowed_to_the_client_it_names(served: Served) -> None:
    made(served, "Reader", "read")
    headers = bearer(served.runtime.token, "Reader")
    assert (await call(served, headers, "status")).status == 200
    assert (await call(served, headers, "reindex")).json["error"]["scope"] == "write"
    assert (await call(served, bearer(served.runtime.token, "Unknown"), "reindex")).status == 200
    async with streaming(served, headers) as stream:
        Tokens(served.bridge.folders.tokens).revoke("Reader")
        await ended(stream)
    assert (await call(served, headers, "status")).code == "unauthorized"
    assert (await served.call("status")).status == 200


async def test_a_damaged_file_keeps_everybody_out_but_the_runtime_token(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    headers = bearer(made(served, "Cursor", "read"))
    assert (await call(served, headers, "status")).status == 200
    served.bridge.folders.tokens.write_bytes(b"\x00" * 100)
    assert (await call(served, headers, "status")).code == "unauthorized"
    assert (await served.call("status")).status == 200
    assert "tokens.damaged.json" in caplog.text


async def test_a_restart_keeps_tokens(tmp_path: Path, served: Served) -> None:
    headers = bearer(made(served, "Cursor", "read"))
    root = served.bridge.find(None).root
    async with serving([root.parent], tmp_path / "elsewhere", served.models) as other:
        assert (await call(other, headers, "status")).code == "unauthorized"
        other.bridge.folders.tokens.write_bytes(served.bridge.folders.tokens.read_bytes())
        assert (await call(other, headers, "status")).status == 200


async def test_use_is_noted_by_the_day(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    # Also at midnight.
    monkeypatch.setattr(Tokens, "_today", lambda _: "2026-03-01")
    headers = bearer(made(served, "Cursor", "read"))
    await asyncio.gather(*(call(served, headers, "status") for _ in range(5)))
    noted = json.loads(served.bridge.folders.tokens.read_bytes())["clients"][0]["last_used"]
    assert noted == "2026-03-01"
    before = served.bridge.folders.tokens.stat()
    await call(served, headers, "status")
    assert served.bridge.folders.tokens.stat().st_ino == before.st_ino


async def slowed(served: Served, per_second: int) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"rate_limit_per_s": per_second}))


async def test_a_client_that_calls_too_often_is_told_when_to_come_back(standing: list[float], served: Served) -> None:
    await slowed(served, 2)
    headers, other = bearer(made(served, "busy", "read")), bearer(made(served, "other", "read"))
    assert [(await call(served, headers, "status")).status for _ in range(10)] == [200] * 10
    answer = await call(served, headers, "status")
    assert (answer.status, answer.code, answer.headers["Retry-After"]) == (429, "rate_limited", "1")
    assert answer.json["error"]["retry_after_s"] == 1
    assert (await call(served, other, "status")).status == 200
    standing[0] += 1
    assert [(await call(served, headers, "status")).status for _ in range(3)] == [200, 200, 429]


@pytest.mark.usefixtures("standing")
async def test_the_runtime_token_is_not_held_up(served: Served) -> None:
    await slowed(served, 1)
    made(served, "Reader", "read")
    for headers in (bearer(served.runtime.token), bearer(served.runtime.token, "Reader")):
        assert {(await call(served, headers, "status")).status for _ in range(20)} == {200}


async def test_requests_that_make_no_sense_do_not_use_up_a_client_s_calls(
    standing: list[float], served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MAX_WAIT_S", 0.0)
    await slowed(served, 2)
    headers = bearer(made(served, "busy", "read"))
    flood = [await served.request("POST", "/api/status", headers=headers, data=b"{") for _ in range(30)]
    assert {answer.status for answer in flood} == {400}
    assert [(await call(served, headers, "status")).status for _ in range(11)] == [200] * 10 + [429]
    assert standing


async def test_strangers_are_slowed_and_nobody_else(standing: list[float], served: Served) -> None:
    client = bearer(made(served, "Cursor", "read"))
    statuses = [(await call(served, bearer(f"guess {n}"), "status")).status for n in range(30)]
    assert statuses == [401] * 25 + [429] * 5
    assert (await served.request("GET", "/api/operations", headers={})).status == 429
    assert (await served.call("status")).status == 200
    assert (await call(served, client, "status")).status == 200
    standing[0] += 0.2
    assert (await served.request("GET", "/api/operations", headers={})).status == 401


async def test_tokens_are_in_no_log_and_no_answer(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    token = made(served, "Cursor", "read")
    with caplog.at_level(logging.DEBUG):
        answers = [
            await call(served, bearer(token), "reindex"),
            await call(served, bearer(token), "serach"),
            await call(served, bearer(token + "x"), "status"),
            await served.request("GET", "/nowhere", headers=bearer(token)),
        ]
    assert [answer.status for answer in answers] == [403, 404, 401, 404]
    assert all(token.encode() not in answer.body for answer in answers)
    assert token not in caplog.text
