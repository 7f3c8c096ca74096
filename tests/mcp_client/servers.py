"""Lists of servers for tests, whose programs are `program.py`."""

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("program.py")
SECRET = "hush-hush"
NEVER = 'confirm = "never"'
"""Lets a server be called without asking."""


def write_servers(data: Path, *ways: str, more: str = "", name: str = "test") -> None:
    """List one server, with a secret in its environment."""
    data.mkdir(parents=True, exist_ok=True)
    words = json.dumps([str(PROGRAM), *ways])
    text = f"[{name}]\ncommand = {json.dumps(sys.executable)}\nargs = {words}\n"
    text += f'env = {{ KEY = "{{secret:KEY}}", PYTHONPATH = {json.dumps(str(ROOT))} }}\n{more}\n'
    (data / "servers.toml").write_text(text)
    secrets = data / "secrets.toml"
    secrets.write_text(f'KEY = "{SECRET}"\n')
    secrets.chmod(0o600)


def programs(folder: Path = PROGRAM) -> list[psutil.Process]:
    """Return the running programs of this process, with the keepers around them."""
    found = []
    for one in psutil.Process(os.getpid()).children(recursive=True):
        # It may end while it is looked at.
        with contextlib.suppress(psutil.NoSuchProcess):
            if is_running(one.pid) and str(folder) in " ".join(one.cmdline()):
                found.append(one)
    return found


async def wait_for_end() -> None:
    """Wait until no program runs; the system takes a moment to end them."""
    async with asyncio.timeout(10):
        while programs():
            await asyncio.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
