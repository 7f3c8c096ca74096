"""`serve` and `index` as processes."""

import asyncio
import contextlib
import json
import os
import shlex
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from tests.features.served import PATIENCE_S, command
from tests.system.sidecar import runs
from tests.system.vaults import generate

ROOT = Path(__file__).resolve().parents[2]


@contextlib.asynccontextmanager
async def started(*words: str, data: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start a command and end it with the block."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge.cli", *words, "--data-dir", str(data), "--models-dir", str(data / "m")),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def ready(process: asyncio.subprocess.Process) -> dict[str, object]:
    """Read the ready line."""
    assert process.stdout is not None
    async with asyncio.timeout(PATIENCE_S):
        line: dict[str, object] = json.loads(await process.stdout.readline())
    return line


async def test_the_ready_line_says_what_the_contract_says_and_nothing_else_is_printed(
    vault: Path, tmp_path: Path
) -> None:
    async with started("serve", str(vault), "--print-ready", data=tmp_path / "data") as process:
        line = await ready(process)
        assert set(line) == {"program", "protocol", "url", "token", "pid", "version", "vaults"}
        assert (line["program"], line["protocol"]) == ("vaultside", 1)
        assert line["pid"] == process.pid
        assert line["vaults"] == [
            {"id": next((tmp_path / "data" / "run").iterdir()).stem, "name": "Notes", "path": str(vault)}
        ]
        process.terminate()
        out, err = await process.communicate()
        assert (process.returncode, out, err) == (0, b"", b"")
    assert list((tmp_path / "data" / "run").iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="rights are another matter on Windows")
async def test_what_is_kept_is_for_this_user_only(vault: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    async with started("index", str(vault), data=data) as process:
        assert await process.wait() == 0
    kept = [data, *data.rglob("*")]
    assert any(path.suffix == ".lance" and path.is_file() for path in kept)
    assert [path for path in kept if path.stat().st_mode & 0o077] == []


async def test_the_end_of_standard_input_is_the_end(vault: Path, tmp_path: Path) -> None:
    async with started("serve", str(vault), "--print-ready", "--parent-stdin", data=tmp_path / "data") as process:
        await ready(process)
        assert process.stdin is not None
        process.stdin.close()
        async with asyncio.timeout(PATIENCE_S):
            _, err = await process.communicate()
        assert (process.returncode, err) == (0, b"")


async def test_a_person_is_told_where_it_listens(vault: Path, tmp_path: Path) -> None:
    async with started("serve", str(vault), data=tmp_path / "my data") as process:
        assert process.stderr is not None
        async with asyncio.timeout(PATIENCE_S):
            lines = [(await process.stderr.readline()).decode() for _ in range(3)]
            # On a busy machine it says meanwhile how far it is.
            while " to read; " in lines[2]:
                lines[2] = (await process.stderr.readline()).decode()
        assert lines[0].startswith("Serving Notes at http://127.0.0.1:")
        follow_up = lines[1].removeprefix("Search from another terminal: ")
        assert shutil.which(follow_up.partition(" search ")[0])
        assert shlex.split(follow_up)[1:] == ["search", "words", "--data-dir", str(tmp_path / "my data")]
        assert "Notes: 2 notes; search by words only, since no model is installed." in lines[2]
        process.send_signal(signal.SIGINT)
        out, _ = await process.communicate()
        assert (process.returncode, out) == (0, b"")


async def test_a_person_is_told_why_a_vault_is_not_open(vault: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    (data / "settings.toml").write_text('deny = "Private"\n')
    async with started("serve", str(vault), data=data) as process:
        assert process.stderr is not None
        async with asyncio.timeout(PATIENCE_S):
            lines = [(await process.stderr.readline()).decode() for _ in range(4)]
    assert "`deny` must be a list of strings" in lines[0]
    wanted = f"The setting `deny` in {data / 'settings.toml'} cannot be parsed. Correct the settings file;"
    assert lines[3].startswith(f"Notes is not open: {wanted}")


async def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    async with started("serve", str(tmp_path / "nowhere"), data=tmp_path / "data") as process:
        out, err = await process.communicate()
    assert (process.returncode, out) == (1, b"")
    assert b"nowhere" in err


async def test_a_running_index_does_not_hold_the_end_and_leaves_no_process(tmp_path: Path) -> None:
    generate(tmp_path / "Many", 1500)
    async with started("serve", str(tmp_path / "Many"), "--print-ready", data=tmp_path / "data") as process:
        await ready(process)
        parent = psutil.Process(process.pid)
        async with asyncio.timeout(PATIENCE_S):
            while not parent.children(recursive=True):
                await asyncio.sleep(0.01)
        children = parent.children(recursive=True)
        process.terminate()
        async with asyncio.timeout(PATIENCE_S):
            _, err = await process.communicate()
            assert (process.returncode, err) == (0, b"")
            while any(map(runs, children)):
                await asyncio.sleep(0.01)
    assert list((tmp_path / "data" / "run").iterdir()) == []


async def test_index_ends_when_everything_is_indexed(vault: Path, tmp_path: Path) -> None:
    ran = await command("index", str(vault), "--json", data=tmp_path / "data", models=tmp_path / "m")
    assert (ran.status, ran.json["notes"], ran.json["pending"]["keyword"]) == (0, 2, 0)
    assert "vaultside models install" in ran.err


@pytest.mark.parametrize("words", [("models", "list"), ("doctor",)])
async def test_a_reader_that_leaves_is_no_failure_to_speak_of(words: tuple[str, ...], tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bridge.cli", *words),
        *("--data-dir", str(tmp_path / "data"), "--models-dir", str(tmp_path / "m")),
        stdout=write,
        stderr=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    os.close(write)
    _, err = await process.communicate()
    assert (process.returncode, err) == (141, b"")
