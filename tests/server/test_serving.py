"""Listening, being found, and leaving without a trace."""

import asyncio
import os
import socket
import stat
from pathlib import Path

import aiohttp
import orjson
import pytest

from bridge.data_folder import vault_id
from bridge.engine.bridge import Bridge
from bridge.errors import Busy, VaultHeld
from bridge.features import operations
from bridge.server.runtime_file import read_runtime
from bridge.server.serve import serve
from tests.features.served import PATIENCE_S, Served, serving, write_vault
from tests.server.clients import bearer, call
from tests.server.conftest import NOTES


def runtime_files(served: Served) -> list[Path]:
    return sorted((served.bridge.data_dir / "run").iterdir())


async def test_each_vault_has_a_runtime_file_until_the_end(tmp_path: Path) -> None:
    vaults = [write_vault(tmp_path / name, NOTES) for name in ("One", "Two")]
    async with serving(vaults, tmp_path / "data", tmp_path / "no models") as served:
        files = runtime_files(served)
        assert [path.stem for path in files] == sorted(served.bridge.vaults)
        assert {read_runtime(path) for path in files} == {served.runtime}
        assert served.runtime.pid == os.getpid()
    assert runtime_files(served) == []


async def test_what_changes_settings_is_in_a_file_of_its_own_for_the_user_alone(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "One", NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        path = served.bridge.folders.owner(vault_id(vault))
        owner = orjson.loads(path.read_bytes())
        assert owner["url"] == served.runtime.url
        assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600
        changes = {"changes": {"max_file_mb": 5}}
        assert (await served.call("change_settings", **changes)).code == "forbidden"
        assert (await call(served, bearer(owner["token"]), "change_settings", **changes)).status == 200
        assert served.bridge.settings.max_file_mb == 5
    assert not path.exists()


async def test_with_several_vaults_a_call_says_which(tmp_path: Path) -> None:
    one = write_vault(tmp_path / "One", {"A.md": "# Alpha\n\nquokka\n"})
    two = write_vault(tmp_path / "Two", {"B.md": "# Beta\n\nnumbat\n"})
    async with serving([one, two], tmp_path / "data", tmp_path / "no models") as served:
        assert (await served.call("search", query="quokka")).code == "no_such_vault"
        by_name = (await served.call("search", query="quokka numbat", vault="One")).json["hits"]
        by_id = (await served.call("search", query="quokka numbat", vault=served.bridge.find("Two").id)).json["hits"]
        assert ([hit["path"] for hit in by_name], [hit["path"] for hit in by_id]) == (["A.md"], ["B.md"])
        assert (await served.call("read_note", path="B.md", vault="One")).code == "note_not_found"
        assert len((await served.call("status")).json["vaults"]) == 2
        assert [vault["name"] for vault in (await served.call("status", vault="Two")).json["vaults"]] == ["Two"]


async def test_a_second_bridge_is_told_who_holds_the_vault(served: Served) -> None:
    root = served.bridge.find(None).root
    with pytest.raises(VaultHeld) as held:
        async with serving([root], served.bridge.data_dir, served.models):
            pass
    assert held.value.facts == {"url": served.runtime.url, "pid": os.getpid()}
    assert len(runtime_files(served)) == 1
    assert (await served.call("status")).status == 200


async def test_a_taken_port_is_told(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", NOTES)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        bridge = Bridge(tmp_path / "data", tmp_path / "no models", [vault])
        with pytest.raises(Busy):
            await serve(bridge, taken.getsockname()[1], asyncio.Event(), lambda _: None, {})
    assert list((tmp_path / "data" / "run").iterdir()) == []


async def test_only_loopback_listens(served: Served) -> None:
    port = int(served.runtime.url.rpartition(":")[2])
    for address in {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}:
        if not str(address).startswith("127."):
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((str(address), port), timeout=5).close()


async def test_open_streams_and_running_calls_do_not_hold_the_end(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with aiohttp.ClientSession() as session, asyncio.timeout(PATIENCE_S):
        async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
            headers = {"Authorization": f"Bearer {served.runtime.token}"}
            events = await session.get(served.runtime.url + "/api/events", headers=headers)
            waiting = asyncio.create_task(
                served.call("wait_until_indexed", path="Bread/Rye.md", digest="0" * 64, timeout=600)
            )
            await events.content.readuntil(b"\n\n")
        # The index may have told its progress meanwhile.
        rest = await events.content.read()
        assert rest == b"" or (rest.startswith(b"id: ") and rest.endswith(b"\n\n"))
        with pytest.raises(aiohttp.ClientError):
            await waiting


async def test_status_answers_when_nothing_else_can(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", NOTES)
    index = tmp_path / "data" / "vaults" / vault_id(vault) / "index"
    index.mkdir(parents=True)
    (index / "index.json").write_text('{"version": 999}')
    stop, listening = asyncio.Event(), asyncio.get_running_loop().create_future()
    bridge = Bridge(tmp_path / "data", tmp_path / "no models", [vault])
    task = asyncio.create_task(serve(bridge, 0, stop, listening.set_result, {}))
    async with aiohttp.ClientSession() as session:
        await expect_status_alone(Served(bridge, await listening, tmp_path / "no models", session))
    stop.set()
    await task


async def expect_status_alone(served: Served) -> None:
    status = (await served.call("status")).json["vaults"][0]
    assert (status["name"], status["ready"]["keyword"]) == ("Notes", False)
    for operation in operations():
        if operation.vault and operation.name not in {
            "read_note",
            "read_notes",
            "daily_note",
            "claim_change",
            "pause_indexing",
            "resume_indexing",
            "wait_until_indexed",
            "retract",
        }:
            answer = await served.call(operation.name, **operation.example)
            assert (answer.status, answer.code) == (503, "not_ready"), operation.name
    assert (await served.call("read_note", path="Bread/Rye.md")).status == 200
