"""A worker process that speaks in frames: starting it, reading and writing them, and ending it."""

import asyncio
import contextlib
import json
import os
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO

from bridge.records import Record

_SIZES = struct.Struct("<II")
SIZES = _SIZES.size
"""Bytes before a frame that give the lengths of its head and its body."""


class Frame(Record):
    """One message: named values, and bytes that would be expensive as JSON."""

    head: Mapping[str, Any]
    body: bytes = b""

    def pack(self) -> bytes:
        head = json.dumps(self.head).encode()
        return _SIZES.pack(len(head), len(self.body)) + head + self.body


def frame_lengths(sizes: bytes) -> tuple[int, int]:
    head, body = _SIZES.unpack(sizes)
    return head, body


def unpack_frames(stream: bytes) -> list[Frame]:
    """Return all complete frames in a worker's output; a truncated last one is dropped."""
    frames, at = [], 0
    while at + SIZES <= len(stream):
        head, body = frame_lengths(stream[at : at + SIZES])
        start, at = at + SIZES, at + SIZES + head + body
        if at > len(stream):
            break
        frames.append(Frame(json.loads(stream[start : start + head]), stream[start + head : at]))
    return frames


def read_frame(stream: BinaryIO) -> Frame | None:
    sizes = stream.read(SIZES)
    if len(sizes) < SIZES:
        return None
    head, body = frame_lengths(sizes)
    whole = stream.read(head + body)
    return Frame(json.loads(whole[:head]), whole[head:]) if len(whole) == head + body else None


def write_frame(stream: BinaryIO, frame: Frame) -> None:
    stream.write(frame.pack())
    stream.flush()


class WorkerDied(Exception):
    """The process ended or stopped responding without an error message."""


def process_options() -> dict[str, Any]:
    package = str(Path(__file__).parents[2])
    paths = os.pathsep.join(p for p in (package, os.environ.get("PYTHONPATH", "")) if p)
    # One thread each, and no debugger started by an abort.
    variables = {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "GGML_NO_BACKTRACE": "1"}
    quiet: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    if sys.platform == "win32":
        quiet["creationflags"] = subprocess.CREATE_NO_WINDOW
    return {"env": {**os.environ, **variables}, **quiet}


class FrameProcess:
    """A running worker process."""

    def __init__(self, name: str, process: asyncio.subprocess.Process, complaints: IO[bytes]) -> None:
        self._name = name
        self._process = process
        self._complaints = complaints

    @property
    def pid(self) -> int:
        return self._process.pid

    @classmethod
    async def start(cls, name: str, command: Sequence[str]) -> "FrameProcess":
        """Start a process."""
        complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            process = await asyncio.create_subprocess_exec(*command, stderr=complaints, **process_options())
        except BaseException as error:
            complaints.close()
            if isinstance(error, OSError):
                raise WorkerDied(f"No {name} can be started: {error}") from None
            raise
        return cls(name, process, complaints)

    async def send(self, frame: Frame) -> None:
        """Write a frame; that the process is gone shows when its answer is read."""
        stream = self._process.stdin
        assert stream is not None  # noqa: S101 - it was asked for
        stream.write(frame.pack())
        with contextlib.suppress(ConnectionError):
            await stream.drain()

    async def read(self, within: float) -> Frame:
        """Read the next frame."""
        stream = self._process.stdout
        assert stream is not None  # noqa: S101 - it was asked for
        try:
            async with asyncio.timeout(within):
                head, body = frame_lengths(await stream.readexactly(SIZES))
                values = json.loads(await stream.readexactly(head))
                return Frame(values, await stream.readexactly(body))
        except (asyncio.IncompleteReadError, ConnectionError):
            reason = "ended"
        except TimeoutError:
            reason = f"did not answer within {within:.0f} s"
        raise WorkerDied(f"The {self._name} {self.pid} {reason}. {self._last_words()}".strip()) from None

    async def end(self) -> None:
        """End the process now; its current work is lost."""
        try:
            if self._has_ended():
                # A signal would reap a dead child without the event loop's child watcher noticing.
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(1):
                        await self._process.wait()
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        finally:
            self._complaints.close()

    def _has_ended(self) -> bool:
        stream = self._process.stdout
        return stream is None or stream.at_eof()

    def _last_words(self) -> str:
        size = self._complaints.seek(0, 2)
        self._complaints.seek(max(0, size - 400))
        return self._complaints.read().decode("utf-8", "replace").strip()
