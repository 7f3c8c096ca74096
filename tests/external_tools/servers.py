"""Lists of servers for tests, whose programs are `program.py` and `library_program.py`."""

import asyncio
import contextlib
import json
import os
import sys
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(__file__).with_name("program.py")
LIBRARY_PROGRAM = Path(__file__).with_name("library_program.py")
SECRET = "hush-hush"
PATIENCE_S = 300.0
NEVER = 'confirm = "never"'
"""Lets a server be called without asking."""


def write_whole(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file at once: a pool that looks meanwhile must not find it empty."""
    draft = path.with_name(f"{path.name}.draft")
    draft.write_text(text)
    draft.chmod(mode)
    draft.replace(path)


def write_servers(data: Path, *ways: str, more: str = "", name: str = "test", program: Path = PROGRAM) -> None:
    """List one server, with a secret in its environment."""
    data.mkdir(parents=True, exist_ok=True)
    words = json.dumps([str(program), *ways])
    text = f"[{name}]\ncommand = {json.dumps(sys.executable)}\nargs = {words}\n"
    text += f'env = {{ KEY = "{{secret:KEY}}" }}\n{more}\n'
    write_whole(data / "servers.toml", text)
    write_whole(data / "secrets.toml", f'KEY = "{SECRET}"\n', 0o600)


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
    async with asyncio.timeout(PATIENCE_S):
        while programs():
            await asyncio.sleep(0.02)


def is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
