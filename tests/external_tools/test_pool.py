"""Real server programs: what they do wrong is survived, what they know stays theirs, and none outlives the bridge."""

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio
from msgspec.structs import replace

from bridge.data_folder import Folders
from bridge.errors import BridgeError, Forbidden, ServerFailed, ServerNotFound, SettingsUnreadable
from bridge.features.external_tools.connection import Refusal, Timeouts
from bridge.features.external_tools.pool import ServerPool
from bridge.features.external_tools.stdio import MAX_ITEMS
from tests.external_tools.servers import (
    LIBRARY_PROGRAM,
    PATIENCE_S,
    PROGRAM,
    ROOT,
    SECRET,
    is_running,
    programs,
    wait_for_end,
    write_servers,
    write_whole,
)

PATIENT = Timeouts(start_s=PATIENCE_S, call_s=PATIENCE_S, look_s=0.02, backoff_s=3600, most_backoff_s=3600)
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="groups of processes are those of POSIX")


@pytest_asyncio.fixture
async def pools(tmp_path: Path) -> AsyncIterator[list[ServerPool]]:
    """Pools of the folder; those in the list are closed."""
    pools = [ServerPool(Folders(tmp_path), PATIENT)]
    yield pools
    for pool in pools:
        await pool.close()
    await wait_for_end()


@pytest.fixture
def pool(pools: list[ServerPool]) -> ServerPool:
    return pools[0]


async def call(pool: ServerPool, tool: str, **given: Any) -> str:
    async with pool.connect(await pool.find("test")) as connection:
        answer = await connection.call_tool(tool, given)
    if isinstance(answer, Refusal):
        return answer.message
    return "".join(getattr(one, "text", "?") for one in answer.content)


async def until(pool: ServerPool, state: str) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while pool.health((await pool.servers())["test"]).state != state:
            await asyncio.sleep(0.01)


async def test_a_server_starts_on_demand_and_stays(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path)
    assert (await pool.servers()).keys() == {"test"}
    assert programs() == []
    assert await call(pool, "say", text="Grüße 🍀") == "Grüße 🍀"
    assert await call(pool, "pid") == await call(pool, "pid")
    assert pool.health((await pool.servers())["test"]).state == "running"


@pytest.mark.parametrize("era", ["legacy", "auto"])
async def test_both_eras_are_spoken(pool: ServerPool, tmp_path: Path, era: str) -> None:
    write_servers(tmp_path, era, program=LIBRARY_PROGRAM)
    async with pool.connect(await pool.find("test")) as connection:
        assert connection.protocol_version == ("2025-11-25" if era == "legacy" else "2026-07-28")
        assert "say" in connection.tools
    assert await call(pool, "say", text="hello") == "hello"


async def test_noise_is_survived_and_not_logged(
    pool: ServerPool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_servers(tmp_path)
    with caplog.at_level(logging.WARNING):
        assert await call(pool, "noise", text="heard") == "heard"
        assert await call(pool, "say", text="still here") == "still here"
    assert caplog.text == ""


async def test_a_large_answer_arrives_whole(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path)
    assert len(await call(pool, "large")) == 1_000_000


async def test_an_answer_of_too_many_parts_is_cut(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path, "odd")
    assert await call(pool, "parts", number=MAX_ITEMS) == MAX_ITEMS * "x"
    assert await call(pool, "parts", number=MAX_ITEMS + 7) == MAX_ITEMS * "x" + "[7 more parts, left out]"


async def test_numbers_of_any_size_are_shown(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path, "odd")
    async with pool.connect(await pool.find("test")) as connection:
        assert str(2**70) in (await connection.describe_answer(await connection.call_tool("huge", {}))).text
        assert all(str(2**70) in one.arguments for one in connection.summaries if one.tool in {"huge", "parts"})


async def test_calls_at_once_share_a_start_and_answer_by_themselves(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path)
    slow = asyncio.create_task(call(pool, "slow", seconds=600))
    texts = await asyncio.gather(*(call(pool, "say", text=str(number)) for number in range(20)))
    assert texts == [str(number) for number in range(20)]
    assert not slow.done()
    assert len(programs()) == 2  # the program and its keeper
    slow.cancel()
    await asyncio.gather(slow, return_exceptions=True)
    assert await call(pool, "say", text="after") == "after"


async def test_one_that_dies_is_counted_once_and_waited_for(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path)
    await call(pool, "say")
    calls = [call(pool, "slow"), call(pool, "slow"), call(pool, "die")]
    for answer in await asyncio.gather(*calls, return_exceptions=True):
        assert isinstance(answer, ServerFailed)
        assert SECRET not in f"{answer.message}{answer.hint}{answer.facts}"
    await until(pool, "waiting")
    server = (await pool.servers())["test"]
    before = pool.health(server)
    assert before.failures == 1
    assert before.last_error is not None
    assert "the end [secret KEY]" in before.last_error
    for _ in range(3):
        with pytest.raises(ServerFailed, match="not tried again yet"):
            await call(pool, "say")
    assert pool.health(server) == before
    await wait_for_end()


async def test_one_that_cannot_start_says_why(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path, "early")
    with pytest.raises(ServerFailed, match=r"ended at its start.*cannot start: \[secret KEY\]"):
        await call(pool, "say")
    with pytest.raises(ServerFailed, match="not tried again yet"):
        await call(pool, "say")
    assert pool.health((await pool.servers())["test"]).failures == 1


async def test_a_change_ends_the_wait(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path, "early")
    with pytest.raises(ServerFailed):
        await call(pool, "say")
    write_servers(tmp_path)
    assert await call(pool, "say", text="well") == "well"
    assert pool.health((await pool.servers())["test"]).last_error is None


async def test_one_that_says_nothing_is_given_up(tmp_path: Path, pools: list[ServerPool]) -> None:
    write_servers(tmp_path, "mute")
    pools.append(ServerPool(Folders(tmp_path), Timeouts(start_s=0.5)))
    with pytest.raises(ServerFailed, match="did not answer within"):
        await call(pools[-1], "say")
    await wait_for_end()


async def test_a_slow_call_ends_and_the_server_goes_on(
    pool: ServerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_servers(tmp_path)
    pid = await call(pool, "pid")
    with monkeypatch.context() as hasty:
        hasty.setattr(pool.find_connection("test"), "_timing", Timeouts(call_s=0.5))
        with pytest.raises(ServerFailed, match=r"did not answer within 0\.5 s"):
            await call(pool, "slow")
    assert await call(pool, "pid") == pid


async def test_an_idle_server_ends(tmp_path: Path, pools: list[ServerPool]) -> None:
    write_servers(tmp_path)
    pool = ServerPool(Folders(tmp_path), replace(PATIENT, idle_s=0))
    pools.append(pool)
    slow = asyncio.create_task(call(pool, "slow", seconds=1))
    assert await slow == ""  # not ended in the midst of a call
    await until(pool, "idle")
    await wait_for_end()
    assert await call(pool, "say", text="again") == "again"


@pytest.mark.parametrize("change", ["disabled", "removed", "secret", "arguments"])
async def test_a_changed_server_ends_at_once(pool: ServerPool, tmp_path: Path, change: str) -> None:
    write_servers(tmp_path)
    pid = int(await call(pool, "pid"))
    slow = asyncio.create_task(call(pool, "slow"))
    while not pool._slots["test"].calls:
        await asyncio.sleep(0)
    match change:
        case "disabled":
            write_servers(tmp_path, more="enabled = false")
        case "removed":
            (tmp_path / "servers.toml").unlink()
        case "secret":
            write_whole(tmp_path / "secrets.toml", 'KEY = "another"\n', 0o600)
        case _:
            write_servers(tmp_path, "other")
    async with asyncio.timeout(PATIENCE_S):
        while is_running(pid):
            await asyncio.sleep(0.02)
    with pytest.raises(ServerFailed):
        await slow
    if change in {"secret", "arguments"}:
        assert int(await call(pool, "pid")) != pid
        return
    with pytest.raises(Forbidden if change == "disabled" else ServerNotFound):
        await call(pool, "say")


async def test_a_change_of_its_rules_keeps_it_running(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path)
    pid = await call(pool, "pid")
    write_servers(tmp_path, more='tools = ["pid"]\nconfirm = "never"')
    await pool.apply_changes()
    assert await call(pool, "pid") == pid


async def test_a_broken_file_starts_nothing_and_ends_nothing(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path)
    pid = int(await call(pool, "pid"))
    write_whole(tmp_path / "servers.toml", "[test]\ncommand =\n")
    with pytest.raises(SettingsUnreadable, match="line 2"):
        await call(pool, "say")
    with pytest.raises(SettingsUnreadable, match="line 2"):
        await pool.apply_changes()
    assert is_running(pid)


async def test_what_a_server_started_ends_with_it(pool: ServerPool, tmp_path: Path) -> None:
    write_servers(tmp_path, "deaf")
    own, its = int(await call(pool, "pid")), int(await call(pool, "spawn"))
    assert is_running(its)
    await pool.close()
    # All are killed at once, and the one that is waited for may be the first to be gone.
    async with asyncio.timeout(PATIENCE_S):
        while is_running(own) or is_running(its):
            await asyncio.sleep(0.02)
    with pytest.raises(BridgeError):
        await call(pool, "say")


async def test_a_server_gets_its_own_environment_alone(
    pool: ServerPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAULTSIDE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("GITHUB_TOKEN", "theirs")
    write_servers(tmp_path)
    env = dict(line.split("=", 1) for line in (await call(pool, "env")).splitlines() if "=" in line)
    assert env["KEY"] == SECRET
    assert {"VAULTSIDE_DATA_DIR", "GITHUB_TOKEN"}.isdisjoint(env)
    assert {"/usr/local/bin", os.path.expanduser("~/.local/bin")} <= {*env["PATH"].split(":")}  # noqa: PTH111
    assert all(SECRET not in " ".join(one.cmdline()) for one in programs())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('command = "no-such-program-at-all"', "was not found"),
        (f'command = "{PROGRAM}"', "was not found"),
        ('command = "true"\ncwd = "/no/such/folder"', "does not exist"),
        ('command = "true"', "ended at its start"),
        ('command = "true"\nenv = { A = "{secret:NONE}" }', "no secret `NONE`"),
        ('url = "http://LOCALHOST:1/mcp"', "could not be connected|Connection"),
    ],
)
async def test_what_cannot_be_reached_says_why(pool: ServerPool, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "servers.toml").write_text(f"[test]\n{text}\n")
    with pytest.raises(BridgeError, match=said):
        await call(pool, "say")


async def test_a_bridge_that_is_killed_leaves_no_server(tmp_path: Path) -> None:
    write_servers(tmp_path, "deaf")
    code = textwrap.dedent(f"""
        import asyncio
        from pathlib import Path
        from tests.external_tools.test_pool import PATIENT, Folders, ServerPool, call
        async def run():
            pool = ServerPool(Folders(Path({str(tmp_path)!r})), PATIENT)
            print(await call(pool, "pid"), await call(pool, "spawn"), flush=True)
            await asyncio.sleep(600)
        asyncio.run(run())
    """)
    bridge = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=subprocess.PIPE, cwd=ROOT)
    assert bridge.stdout is not None
    pids = [int(word) for word in (await bridge.stdout.readline()).split()]
    assert len(pids) == 2
    keeper = psutil.Process(pids[0]).ppid()
    bridge.send_signal(signal.SIGKILL)
    await bridge.wait()
    async with asyncio.timeout(PATIENCE_S):
        while any(map(is_running, (*pids, keeper))):
            await asyncio.sleep(0.02)


async def listen(port: int) -> asyncio.subprocess.Process:
    """Start the server that listens, and wait until it does."""
    process = await asyncio.create_subprocess_exec(sys.executable, LIBRARY_PROGRAM, str(port), cwd=ROOT)
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionRefusedError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return process


@pytest.fixture
def port() -> Iterator[int]:
    """A port that nobody else takes; where nobody listens, connections are refused."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


async def test_one_that_listens_is_called_and_connected_again(
    tmp_path: Path, pools: list[ServerPool], monkeypatch: pytest.MonkeyPatch, port: int
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    pool = ServerPool(Folders(tmp_path), replace(PATIENT, backoff_s=0.01))
    pools.append(pool)
    (tmp_path / "servers.toml").write_text(f'[test]\nurl = "http://LocalHost:{port}/mcp"\n')
    first = await listen(port)
    assert await call(pool, "say", text="one") == "one"
    assert await call(pool, "say", text="one", times=1_000_000) == "one" * 1_000_000
    first.kill()
    await first.wait()
    with pytest.raises(ServerFailed):
        await call(pool, "say", text="gone")
    second = await listen(port)
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                assert await call(pool, "say", text="two") == "two"
                break
            except ServerFailed:
                await asyncio.sleep(0.02)
    await pool.close()
    second.kill()
    await second.wait()
