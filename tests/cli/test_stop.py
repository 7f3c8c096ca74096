"""A bridge is stopped and a vault is forgotten from a terminal."""

import asyncio
import os
import pty
import sys
from pathlib import Path

import orjson
import psutil
import pytest

from bridge.cli.find_bridge import send
from bridge.data_folder import Folders, read_vault_list, vault_id
from bridge.errors import BridgeError
from bridge.server.runtime_file import Runtime
from tests.cli.test_serve import ROOT, ready, started
from tests.features.served import Served, command, write_vault


def digests(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


async def test_stop_ends_the_bridge_that_runs(vault: Path, tmp_path: Path) -> None:
    data, models = tmp_path / "data", tmp_path / "m"
    async with started("serve", str(vault), "--print-ready", data=data) as process:
        line = await ready(process)
        stopped = await command("stop", "--json", data=data, models=models)
        assert await process.wait() == 0
    assert (stopped.status, stopped.json) == (0, {"stopped": {"url": line["url"], "pid": process.pid}})
    assert "has stopped." in stopped.err
    again = await command("stop", data=data, models=models)
    assert (again.status, again.out, again.err) == (0, "", "No bridge is running.\n")


async def test_stop_means_the_bridge_of_the_vault_that_is_named(vault: Path, tmp_path: Path) -> None:
    data, models = tmp_path / "data", tmp_path / "m"
    other = write_vault(tmp_path / "Other", {"A.md": "x"})
    async with started("serve", str(vault), "--print-ready", data=data) as one:
        await ready(one)
        async with started("serve", str(other), "--print-ready", data=data) as two:
            await ready(two)
            which = await command("stop", data=data, models=models)
            assert (which.status, "`Notes`" in which.err, "`Other`" in which.err) == (1, True, True)
            assert (await command("stop", "other", data=data, models=models)).status == 0
            assert await two.wait() == 0
        assert psutil.pid_exists(one.pid)
        assert (await command("stop", "--vault", "Nowhere", data=data, models=models)).status == 1
        assert "No bridge is serving this vault." in (await command("stop", "Other", data=data, models=models)).err
        assert one.returncode is None


async def test_a_process_that_is_no_bridge_of_ours_is_left_alone(served: Served) -> None:
    file = next((served.bridge.data_dir / "run").iterdir())
    told = orjson.loads(file.read_bytes())
    sleeper = await asyncio.create_subprocess_exec("sleep", "600")
    try:
        for lie in ({"pid": sleeper.pid}, {"pid": sleeper.pid, "url": "http://127.0.0.1:9"}, {"token": "wrong"}):
            file.write_bytes(orjson.dumps({**told, **lie}))
            ran = await served.command("stop")
            assert (ran.status, ran.out) == (1, ""), lie
            assert "kill" in ran.err
        assert sleeper.returncode is None
    finally:
        sleeper.kill()
        await sleeper.wait()


async def test_a_bridge_that_breaks_off_says_how_to_learn_what_was_changed() -> None:
    breaking = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    async with breaking:
        host, port = breaking.sockets[0].getsockname()
        runtime = Runtime(f"http://{host}:{port}", "token", os.getpid(), "0.1.0")
        with pytest.raises(BridgeError, match="ended before it answered") as broken:
            await asyncio.to_thread(send, runtime, "move_note", {})
    assert "list-changes" in broken.value.hint
    with pytest.raises(BridgeError, match="does not answer"):
        await asyncio.to_thread(send, runtime, "move_note", {})


async def test_forget_deletes_what_is_kept_and_touches_no_note(vault: Path, tmp_path: Path) -> None:
    data, models = tmp_path / "data", tmp_path / "m"
    other = write_vault(tmp_path / "Other", {"A.md": "x"})
    for each in (vault, other):
        assert (await command("index", str(each), data=data, models=models)).status == 0
    before = digests(vault)
    refused = await command("forget", "notes", data=data, models=models)
    assert (refused.status, "--yes" in refused.err, "history" in refused.err) == (1, True, True)
    assert Folders(data).index(vault_id(vault)).exists()
    forgotten = await command("forget", "notes", "--yes", data=data, models=models)
    assert forgotten.status == 0, forgotten.err
    assert [path.name for path in (data / "vaults").iterdir()] == [vault_id(other)]
    assert read_vault_list(Folders(data)) == {vault_id(other): other}
    assert digests(vault) == before
    unknown = await command("forget", "Notes", "--yes", data=data, models=models)
    assert (unknown.status, "`Other`" in unknown.err) == (1, True)


async def test_a_vault_whose_folder_is_gone_is_forgotten_by_name_and_by_path(vault: Path, tmp_path: Path) -> None:
    data, models = tmp_path / "data", tmp_path / "m"
    for wanted in ("Notes", str(vault)):
        assert (await command("index", str(vault), data=data, models=models)).status == 0
        vault.rename(tmp_path / "gone")
        assert (await command("forget", wanted, "--yes", data=data, models=models)).status == 0
        assert list((data / "vaults").iterdir()) == []
        (tmp_path / "gone").rename(vault)


async def test_a_vault_that_is_served_is_not_forgotten(served: Served) -> None:
    ran = await served.command("forget", "Notes", "--yes")
    assert (ran.status, "vaultside stop" in ran.err) == (1, True)
    assert served.bridge.folders.index(served.bridge.find(None).id).exists()
    assert (await served.call("search", query="frost")).json["hits"]


@pytest.mark.skipif(os.name != "posix", reason="a pseudo-terminal is needed")
@pytest.mark.parametrize(("typed", "goes"), [(b"y\n", True), (b"\n", False), (b"no\n", False)])
async def test_at_a_terminal_forget_asks(typed: bytes, *, goes: bool, vault: Path, tmp_path: Path) -> None:
    data, models = tmp_path / "data", tmp_path / "m"
    assert (await command("index", str(vault), data=data, models=models)).status == 0
    ours, theirs = pty.openpty()
    words = ("forget", "Notes", "--data-dir", str(data), "--models-dir", str(models))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge.cli", *words), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.write(ours, typed)
    await process.wait()
    os.close(theirs)
    os.close(ours)
    assert Folders(data).index(vault_id(vault)).exists() is not goes


async def test_the_environment_names_the_folders(vault: Path, tmp_path: Path) -> None:
    there = {"VAULTSIDE_DATA_DIR": str(tmp_path / "mine"), "VAULTSIDE_MODELS_DIR": str(tmp_path / "m")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge.cli", "list-tags"),
        cwd=vault,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path / "home"), **there},
    )
    assert await process.wait() == 0
    assert Folders(tmp_path / "mine").index(vault_id(vault)).exists()
    assert not (tmp_path / "home").exists()
