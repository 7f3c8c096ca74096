"""The process that owns llama.cpp: reads requests on stdin, writes vectors or scores to stdout, ends with stdin.

Native code may abort, and then only this process ends. Nothing but frames goes to stdout.
"""

import asyncio
import contextlib
import json
import math
import os
import signal
import sys
from array import array
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from bridge.errors import ModelUnusable
from bridge.models.catalogue import ModelSpec
from bridge.models.worker_process import (
    RANK_POOLING,
    Frame,
    WorkerDied,
    WorkerProcess,
    WorkerTask,
    make_task,
    read_frame,
    request_texts,
    write_frame,
)
from bridge.priority import lower_priority

if TYPE_CHECKING:
    from bridge.models import llama

_QUERY, _DOCUMENT = "{query}", "{document}"


class PairScorer:
    """Builds the pairs of a query and a passage as llama.cpp's own server does, and scores them."""

    def __init__(self, model: "llama.Llama") -> None:
        self._model = model
        self._before, self._between, self._after = model.borders()
        template = model.rerank_template()
        before, query, rest = template.partition(_QUERY)
        between, document, after = rest.partition(_DOCUMENT)
        if query and document:
            self._before, self._between, self._after = (
                model.parse(part.encode(), special=True) for part in (before, between, after)
            )

    def answer(self, texts: Sequence[bytes]) -> Frame:
        """Return the frame with a float32 score for each passage."""
        query, *passages = texts
        cut = self._pairs(query, passages)
        pairs = [pair for pair, _ in cut]
        head = {"truncated": [truncated for _, truncated in cut], "tokens": sum(map(len, pairs))}
        return Frame(head, b"".join(self._model.embed(pairs)))

    def _pairs(self, query: bytes, passages: Sequence[bytes]) -> list[tuple[list[int], bool]]:
        room = self._model.limit - len(self._before) - len(self._between) - len(self._after)
        asked = self._model.parse(query)[: max(1, room // 2)]
        most = max(0, room - len(asked))
        pairs = []
        for passage in passages:
            tokens = self._model.parse(passage)
            pair = [*self._before, *asked, *self._between, *tokens[:most], *self._after]
            pairs.append((pair, len(tokens) > most))
        return pairs


_WARM_UP = b"Bread needs flour, water, salt and time."


def main() -> None:
    """Serve one bridge over the standard streams until it closes them."""
    replies = claim_stdout()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work = WorkerTask(**json.loads(sys.argv[1]))
    if work.low:
        lower_priority()
    if work.memory:
        _limit(work)
    with contextlib.suppress(BrokenPipeError):
        _serve(work, sys.stdin.buffer, replies)


def claim_stdout() -> BinaryIO:
    # Output of native code would break the frames; it goes to stderr instead.
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return private


def _limit(work: WorkerTask) -> None:
    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (work.memory, work.memory))
        resource.setrlimit(resource.RLIMIT_CPU, (work.cpu_seconds, work.cpu_seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _serve(work: WorkerTask, requests: BinaryIO, replies: BinaryIO) -> None:
    from bridge.models import llama

    try:
        model = llama.Llama(Path(work.path), mmap=work.mmap)
        facts = model.facts()
        if work.pooling is None:
            write_frame(replies, Frame({"facts": {**asdict(facts), "outputs": model.outputs()}}))
            return
        window = min(work.window, facts.window)
        model.prepare(window=window, pooling=work.pooling, flash=work.flash, threads=work.threads)
        respond = PairScorer(model).answer if work.pooling == RANK_POOLING else partial(_answer, model)
        # Unsupported machine instructions crash here, before any text can be blamed.
        model.embed([model.tokens(_WARM_UP)[0]])
    except (llama.UnusableModel, RuntimeError) as error:
        write_frame(replies, Frame({"failed": str(error)}))
        return
    write_frame(replies, Frame({"dimensions": facts.dimensions}))
    while (frame := read_frame(requests)) is not None:
        write_frame(replies, respond(request_texts(frame)))


def _answer(model: "llama.Llama", texts: list[bytes]) -> Frame:
    cut = [model.tokens(text) for text in texts]
    ids = [tokens for tokens, _ in cut]
    head = {"truncated": [truncated for _, truncated in cut], "tokens": [len(tokens) for tokens in ids]}
    return Frame(head, b"".join(model.embed(ids)))


if __name__ == "__main__":
    main()


_WITHIN_S = 120
_MEMORY_BYTES = 4 << 30
_HINT = "Give a whole GGUF file of a model; fetch it again if this one was cut short."


def facts_of(file: Path) -> dict[str, Any]:
    """Read the facts of a GGUF file in a worker with limited memory and time."""
    head, _ = asyncio.run(_try(replace(WorkerTask(str(file)), **_limits(file)), ()))
    facts: dict[str, Any] = head["facts"]
    return facts


def vectors_of(file: Path, spec: ModelSpec, texts: Sequence[str]) -> NDArray[np.float32]:
    """Embed some texts as unit vectors in a worker with limited memory and time."""
    head, answer = asyncio.run(_try(make_task(file, spec, **_limits(file)), texts))
    if head["dimensions"] != spec.dimensions:
        raise ModelUnusable(
            f"{file.name} has {head['dimensions']} dimensions instead of {spec.dimensions}.", hint=_HINT
        )
    vectors = np.frombuffer(answer, dtype="<f4").reshape(len(texts), spec.dimensions)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(vectors).all() or not norms.all():
        raise ModelUnusable(f"{file.name} returns vectors that are not numbers.", hint=_HINT)
    unit: NDArray[np.float32] = (vectors / norms).astype(np.float32)
    return unit


def scores_of(file: Path, spec: ModelSpec, query: str, passages: Sequence[str]) -> list[float]:
    """Score some passages for a query in a worker with limited memory and time."""
    _, answer = asyncio.run(_try(make_task(file, spec, **_limits(file)), [query, *passages]))
    scores = list(array("f", answer))
    if not all(map(math.isfinite, scores)):
        raise ModelUnusable(f"{file.name} returns scores that are not numbers.", hint=_HINT)
    return scores


def _limits(file: Path) -> dict[str, int]:
    return {"memory": _MEMORY_BYTES + 2 * file.stat().st_size, "cpu_seconds": _WITHIN_S}


async def _try(task: WorkerTask, texts: Sequence[str]) -> tuple[Mapping[str, Any], bytes]:
    name = Path(task.path).name
    try:
        process = await WorkerProcess.start("trial worker", task)
    except WorkerDied:
        raise ModelUnusable(f"llama.cpp crashed while loading {name}.", hint=_HINT) from None
    except ModelUnusable as error:
        raise ModelUnusable(error.message, hint=_HINT) from None
    try:
        return process.head, (await process.ask(texts)).body if texts else b""
    except WorkerDied:
        raise ModelUnusable(f"{name} loaded, but does not answer.", hint=_HINT) from None
    finally:
        await process.end()
