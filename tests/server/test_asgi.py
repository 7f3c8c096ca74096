"""An ASGI app on a route of the server: what it is told, what comes back, and what happens when it fails."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import orjson
import pytest

from bridge.engine.bridge import Bridge
from bridge.server.asgi import App, Mount
from tests.features.served import Served, serving, write_vault


def mounted(app: App) -> Mount:
    """Make a mount of an app."""

    @asynccontextmanager
    async def mount(_: Bridge, hosts: Collection[str], origins: Collection[str]) -> AsyncIterator[App]:
        assert all(f"http://{host}" in origins for host in hosts)
        yield app

    return mount


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with what was told."""
    told = await receive()
    body = orjson.dumps(
        {
            "method": scope["method"],
            "path": scope["path"],
            "query": scope["query_string"].decode(),
            "said": dict(scope["headers"])[b"x-said"].decode(),
            "principal": scope["state"]["principal"].name,
            "body": told["body"].decode(),
            "more": told["more_body"],
        }
    )
    headers = [(b"x-answered", b"yes"), (b"connection", b"close"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 203, "headers": headers})
    await send({"type": "http.response.body", "body": body[:9], "more_body": True})
    await send({"type": "http.response.body", "body": body[9:]})


async def broken(*_: Any) -> None:
    """Fail."""
    raise RuntimeError("the secret word is zxcvb")


async def breaking(_: Any, __: Any, send: Any) -> None:
    """Fail in the middle of an answer."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"half", "more_body": True})
    raise RuntimeError("the secret word is zxcvb")


async def silent(*_: Any) -> None:
    """Answer nothing."""


@asynccontextmanager
async def unopened(*_: Any) -> AsyncIterator[App]:
    """Fail to open."""
    for secret in ("zxcvb",):
        raise RuntimeError(f"the secret word is {secret}")
    yield silent


@asynccontextmanager
async def served_with(tmp_path: Path, mount: Mount) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", {"Note.md": "Words.\n"})
    async with serving([vault], tmp_path / "data", tmp_path / "no models", mount) as served:
        yield served


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
async def test_an_app_is_told_the_request_and_answers(tmp_path: Path, method: str) -> None:
    async with served_with(tmp_path, mounted(echo)) as served:
        headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Said": "hello"}
        answer = await served.request(method, "/mcp?a=b%20c", headers=headers, data=b"body")
    assert (answer.status, answer.headers["x-answered"], answer.headers["Cache-Control"]) == (203, "yes", "no-store")
    assert answer.json == {
        "method": method,
        "path": "/mcp",
        "query": "a=b%20c",
        "said": "hello",
        "principal": "runtime",
        "body": "body",
        "more": False,
    }


async def test_an_app_is_opened_by_its_first_request(tmp_path: Path) -> None:
    opened: list[str] = []

    @asynccontextmanager
    async def mount(*_: Any) -> AsyncIterator[App]:
        opened.append("opened")
        yield echo

    async with served_with(tmp_path, mount) as served:
        assert (await served.call("status")).status == 200
        assert opened == []
        headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Said": "hello"}
        for _ in range(2):
            assert (await served.request("POST", "/mcp", headers=headers)).status == 203
        assert opened == ["opened"]


async def test_the_guard_stands_in_front_of_an_app(tmp_path: Path) -> None:
    async with served_with(tmp_path, mounted(echo)) as served:
        assert (await served.request("POST", "/mcp", headers={})).status == 401


@pytest.mark.parametrize("mount", [mounted(broken), unopened], ids=["broken", "unopened"])
async def test_an_app_that_fails_says_nothing_private(
    tmp_path: Path, mount: Mount, caplog: pytest.LogCaptureFixture
) -> None:
    async with served_with(tmp_path, mount) as served:
        for _ in range(2):
            answer = await served.request("POST", "/mcp")
            assert (answer.status, answer.code) == (500, "internal")
            assert b"zxcvb" not in answer.body
        assert (await served.call("status")).status == 200
    assert "zxcvb" not in caplog.text


async def test_half_an_answer_is_not_taken_for_a_whole_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with served_with(tmp_path, mounted(breaking)) as served:
        with pytest.raises(aiohttp.ClientPayloadError):
            await served.request("POST", "/mcp")
        assert (await served.call("status")).status == 200
    assert "zxcvb" not in caplog.text
