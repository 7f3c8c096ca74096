"""The server as other programs meet it."""

import asyncio
import contextlib
import gzip
import logging
import zlib
from collections.abc import Callable
from typing import Any

import orjson
import pytest

import bridge
from bridge.errors import NotReady
from bridge.server import connections, serve
from bridge.server.auth import BODY_LIMIT
from tests.features.served import PATIENCE_S, Served


async def test_health_needs_no_token(served: Served) -> None:
    answer = await served.request("GET", "/healthz", headers={})
    assert (answer.status, answer.json) == (200, {"status": "ok", "version": bridge.__version__})


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/api/status"), ("GET", "/api/operations"), ("GET", "/api/events"), ("GET", "/openapi.json"),
     ("GET", "/nowhere"), ("POST", "/api/nowhere"), ("DELETE", "/api/status"), ("OPTIONS", "/api/status")],
)  # fmt: skip
async def test_everything_else_needs_one(served: Served, method: str, path: str) -> None:
    answer = await served.request(method, path, headers={"Authorization": "Bearer wrong"})
    assert (answer.status, answer.code) == (401, "unauthorized")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


async def test_a_rebound_name_is_refused_before_the_token_is_looked_at(served: Served) -> None:
    for path in ("/healthz", "/api/operations"):
        answer = await served.request("GET", path, headers={"Host": "evil.example"})
        assert (answer.status, answer.code) == (421, "bad_host")


async def test_another_page_is_refused(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "Origin": "https://evil.example"}
    answer = await served.request("POST", "/api/status", headers=headers)
    assert (answer.status, answer.code) == (403, "forbidden")
    assert "Access-Control-Allow-Origin" not in answer.headers


async def test_obsidian_may_ask_and_read(served: Served) -> None:
    origin = {"Origin": "app://obsidian.md"}
    preflight = await served.request(
        "OPTIONS", "/api/search", headers={**origin, "Access-Control-Request-Method": "POST"}
    )
    assert (preflight.status, preflight.headers["Access-Control-Allow-Origin"]) == (204, "app://obsidian.md")
    assert "Authorization" in preflight.headers["Access-Control-Allow-Headers"]
    answer = await served.request(
        "POST", "/api/status", headers={**origin, "Authorization": f"Bearer {served.runtime.token}"}
    )
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (200, "app://obsidian.md")


async def test_obsidian_may_read_refusals_too(served: Served) -> None:
    answer = await served.request("POST", "/api/status", headers={"Origin": "app://obsidian.md"})
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (401, "app://obsidian.md")


async def test_the_runtime_token_is_no_admin(served: Served) -> None:
    answer = await served.call("change_settings", changes={"workers": 1})
    assert (answer.status, answer.code, answer.json["error"]["scope"]) == (403, "forbidden", "admin")


async def test_an_unknown_operation_names_the_nearest(served: Served) -> None:
    answer = await served.call("serach")
    assert (answer.status, answer.code) == (404, "no_such_operation")
    assert "`search`" in answer.json["error"]["message"]


async def test_what_is_not_there_is_told_in_the_same_shape(served: Served) -> None:
    answer = await served.request("GET", "/nowhere")
    assert (answer.status, answer.code) == (404, "no_such_operation")


async def test_a_wrong_method_is_told_in_the_same_shape(served: Served) -> None:
    answer = await served.request("GET", "/api/search")
    assert (answer.status, answer.code, answer.headers["Allow"]) == (405, "invalid_arguments", "POST")


async def test_a_body_over_the_limit_is_refused(served: Served) -> None:
    answer = await served.request("POST", "/api/search", data=b" " * (BODY_LIMIT + 1))
    assert (answer.status, answer.code) == (413, "too_large")


async def test_a_body_at_the_limit_is_read(served: Served) -> None:
    body = orjson.dumps({"query": "beans"})
    answer = await served.request("POST", "/api/search", data=body + b" " * (BODY_LIMIT - len(body)))
    assert answer.status == 200


async def test_a_packed_body_cannot_grow_over_the_limit(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "Content-Encoding": "gzip"}
    packed = gzip.compress(b" " * (8 * BODY_LIMIT))
    answer = await served.request("POST", "/api/search", headers=headers, data=packed)
    assert (answer.status, answer.code) == (413, "too_large")


@pytest.mark.parametrize(("name", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_a_packed_body_is_read(served: Served, name: str, pack: Callable[[bytes], bytes]) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "Content-Encoding": name}
    body = pack(orjson.dumps({"path": "Garden/Beans.md"}))
    answer = await served.request("POST", "/api/read_note", headers=headers, data=body)
    assert (answer.status, answer.json["title"]) == (200, "Beans")


async def test_a_body_that_nobody_reads_is_not_unpacked(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(served.runtime.url.rpartition(":")[2]))
    host = served.runtime.url.removeprefix("http://")
    request = f"POST /api/search HTTP/1.1\r\nHost: {host}\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip"
    writer.write(request.encode() + f"GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    answers = await reader.read()
    writer.close()
    assert answers.count(b"HTTP/1.1 401 ") == answers.count(b"HTTP/1.1 200 ") == 1


async def test_the_operations_are_listed_with_their_schemas(served: Served) -> None:
    listed = {entry["name"]: entry for entry in (await served.request("GET", "/api/operations")).json["operations"]}
    assert listed["search"]["arguments"]["required"] == ["query"]
    assert listed["search"]["result"]["properties"]["hits"]["type"] == "array"


async def test_openapi_describes_every_operation(served: Served) -> None:
    described = (await served.request("GET", "/openapi.json")).json
    listed = (await served.request("GET", "/api/operations")).json["operations"]
    assert {f"/api/{entry['name']}" for entry in listed} <= set(described["paths"])


async def test_answers_stay_out_of_caches(served: Served) -> None:
    answer = await served.call("status")
    assert (answer.headers["Cache-Control"], answer.headers["X-Content-Type-Options"]) == ("no-store", "nosniff")
    assert answer.headers["Content-Type"].startswith("application/json")


async def test_our_own_fault_is_told_without_a_trace_and_without_words(
    served: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise ValueError("the words of a note")

    monkeypatch.setattr(served.bridge.find(None).vault.indexer, "require_complete", broken, raising=True)
    with caplog.at_level(logging.DEBUG):
        answer = await served.call("related_notes", text="beans")
    assert (answer.status, answer.code) == (500, "internal")
    assert b"Traceback" not in answer.body
    assert "the words" not in caplog.text + answer.body.decode()
    assert "ValueError at test_app.py" in caplog.text


async def test_nothing_of_a_call_is_logged(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        await served.call("search", query="frost")
        await served.call("read_note", path="Garden/Beans.md")
        await served.call("search", qery="frost")
    assert "frost" not in caplog.text
    assert served.runtime.token not in caplog.text


async def test_a_client_that_leaves_ends_its_call(served: Served) -> None:
    waiting = asyncio.create_task(
        served.call("wait_until_indexed", path="Garden/Beans.md", digest="0" * 64, timeout=600)
    )
    async with asyncio.timeout(PATIENCE_S):
        while "wait_until_indexed" not in awaited():
            await asyncio.sleep(0.01)
        waiting.cancel()
        while "wait_until_indexed" in awaited():
            await asyncio.sleep(0.01)


def awaited() -> set[str]:
    """Name every coroutine that some task is in."""
    names = set()
    for task in asyncio.all_tasks():
        inner: Any = task.get_coro()
        while inner is not None:
            names.add(getattr(inner, "__name__", ""))
            inner = getattr(inner, "cr_await", None)
    return names


async def test_large_calls_take_turns_and_small_ones_do_not_wait(served: Served) -> None:
    long = {"path": "New.md", "text": "- word\n" * 50_000, "dry_run": True}
    async with asyncio.timeout(PATIENCE_S):
        async with served.bridge.turn:
            large = [
                asyncio.create_task(served.call("create_note", **long)),
                asyncio.create_task(served.call("merge_suggestions")),
                asyncio.create_task(served.call("run_tool", name="merge_suggestions")),
                asyncio.create_task(served.call("run_tool", name="create_note", arguments=long)),
            ]
            assert (await served.call("create_note", path="Small.md", text="A word.")).status == 200
            assert (await served.call("find_notes")).status == 200
            assert (await served.call("ask", question="bread " * 50_000)).status == 400, "it may call other programs"
            assert not any(task.done() for task in large)
        assert [(await task).status for task in large] == [200] * 4


async def test_what_is_pending_does_not_close_status(served: Served) -> None:
    vault = (await served.call("status")).json["vaults"][0]
    assert (vault["name"], vault["notes"]) == ("Notes", 2)
    assert vault["ready"] == {"keyword": True, "semantic": False, "words": True}
    assert vault["model"] is None


@pytest.mark.parametrize("path", ["/api/search", "/mcp"])
@pytest.mark.parametrize(
    ("name", "body"),
    [
        pytest.param("gzip", b"no gzip", id="not-packed"),
        pytest.param("gzip", gzip.compress(b"{}")[:-9], id="cut-off"),
        pytest.param("gzip, gzip", gzip.compress(b"{}"), id="packed-once"),
        pytest.param("br", b"{}", id="unknown"),
    ],
)
async def test_a_body_that_is_not_packed_as_it_says_is_refused_in_words(
    served: Served, path: str, name: str, body: bytes
) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "Content-Encoding": name}
    answer = await served.request("POST", path, headers=headers, data=body)
    assert (answer.status, answer.code) == (400, "invalid_arguments")


async def test_what_is_no_http_is_refused_and_not_quoted_in_the_log(
    served: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve.REDACTING_FILTER, "_next", 0.0)
    reader, writer = await asyncio.open_connection("127.0.0.1", int(served.runtime.url.rpartition(":")[2]))
    writer.write(b"GET /healthz HTTP/1.1\r\nAuthorization: Bearer \x00 secret\r\n\r\n")
    assert b" 400 " in await reader.readline()
    writer.close()
    assert "Error handling request" in caplog.text
    assert "secret" not in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_flood_that_is_no_http_fills_no_log(
    served: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = int(served.runtime.url.rpartition(":")[2])
    # Another test may have used up this minute's line.
    monkeypatch.setattr(serve.REDACTING_FILTER, "_next", 0.0)
    monkeypatch.setattr(serve.REDACTING_FILTER, "_clock", lambda: 0.0)
    for _ in range(20):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /healthz HTTP/1.1\r\nAuthorization: Bearer \x00\r\n\r\n")
        assert b" 400 " in await reader.readline()
        writer.close()
    assert [record.levelname for record in caplog.records if record.name == "aiohttp.server"] == ["WARNING"]


async def test_a_connection_without_a_whole_request_is_closed(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    # Not even the first connection is late, however busy the machine is.
    monkeypatch.setattr(connections, "MAX_REQUEST_S", PATIENCE_S)
    port = int(served.runtime.url.rpartition(":")[2])
    used_reader, used = await asyncio.open_connection("127.0.0.1", port)
    used.write(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    assert b" 200 " in await used_reader.readline()
    monkeypatch.setattr(connections, "MAX_REQUEST_S", 0.0)
    waiting = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
    for _, writer in waiting:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.")
    # Nor is the rest of a body waited for, although the token is right.
    waiting.append(await asyncio.open_connection("127.0.0.1", port))
    head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {served.runtime.token}\r\nContent-Length: 9"
    waiting[-1][1].write(f"POST /api/status HTTP/1.1\r\n{head}\r\n\r\n{{".encode())
    for reader, _ in waiting:
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
    # One that was used before may lie idle.
    used.write(f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    assert b" 200 " in await used_reader.read()
    used.close()


async def test_a_vault_that_was_indexed_before_is_not_said_to_be_new(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexer = served.bridge.find(None).vault.indexer
    monkeypatch.setattr(indexer, "complete", False)
    with pytest.raises(NotReady, match=r"^The vault is being indexed\.$"):
        indexer.require_complete()
