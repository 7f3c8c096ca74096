"""Downloads a model's file from its public source; resumes interrupted downloads, checks length and content."""

import asyncio
import contextlib
import json
import re
import shutil
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import aiohttp
from yarl import URL

from bridge.errors import DiskFull, ModelUnusable
from bridge.models.catalogue import ModelSpec
from bridge.models.folder import file_digest, open_private
from bridge.models.wheel import Progress


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

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        with open_private(self.path, append=True) as stream:
            yield stream

    def room(self) -> int:
        return shutil.disk_usage(self.path.parent).free

    def delete_note(self) -> None:
        """Delete the note, after the file was moved to its place."""
        self._note.unlink(missing_ok=True)

    def discard(self) -> None:
        """Delete the file and its note."""
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
        if response.status == 416 or (response.status == 206 and not _starts_at(response, start)):
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
        part.begin(spec.url or "", start, _version(response.headers), total)
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
    if total is not None and (free := part.room()) < total - start:
        raise DiskFull(
            f"{spec.id} needs {(total - start) >> 20} MiB more, and there are {free >> 20} MiB in {part.path.parent}."
        )


async def _receive(
    response: aiohttp.ClientResponse, part: PartialFile, start: int, total: int | None, progress: Progress
) -> None:
    done = start
    progress("download", done, total)
    with part.open() as stream:
        async for block in response.content.iter_chunked(_BLOCK):
            stream.write(block)
            done += len(block)
            progress("download", done, total)


def _starts_at(response: aiohttp.ClientResponse, start: int) -> bool:
    return response.headers.get("Content-Range", "").startswith(f"bytes {start}-")


def _version(headers: Mapping[str, str]) -> str | None:
    etag = headers.get("ETag", "")
    # A weak ETag does not promise equal bytes.
    return etag if etag.startswith('"') else headers.get("Last-Modified")
