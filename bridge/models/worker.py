"""The process that owns llama.cpp: reads requests on stdin, writes vectors to stdout, leaves at the end of stdin.

Native code may abort, and then only this process is gone. Nothing but frames goes to stdout.
"""

import contextlib
import dataclasses
import json
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bridge.models.frames import SIZES, Frame, lengths, texts_of
from bridge.models.job import Work

if TYPE_CHECKING:
    from bridge.models import llama

_NICE = 10
_WARM_UP = b"Bread needs flour, water, salt and time."


def main() -> None:
    """Serve one bridge over the standard streams until it closes them."""
    replies = _own_stdout()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work = Work(**json.loads(sys.argv[1]))
    if work.low:
        with contextlib.suppress(OSError, AttributeError):
            os.nice(_NICE)
    if work.memory:
        _limit(work)
    with contextlib.suppress(BrokenPipeError):
        _serve(work, sys.stdin.buffer, replies)


def _own_stdout() -> BinaryIO:
    # What native code prints would break the frames; it goes to stderr instead.
    private = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return private


def _limit(work: Work) -> None:
    with contextlib.suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (work.memory, work.memory))
        resource.setrlimit(resource.RLIMIT_CPU, (work.cpu_seconds, work.cpu_seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _serve(work: Work, requests: BinaryIO, replies: BinaryIO) -> None:
    from bridge.models import llama

    try:
        model = llama.Llama(Path(work.path), mmap=work.mmap)
        facts = model.facts()
        if work.pooling is None:
            _write(replies, Frame({"facts": dataclasses.asdict(facts)}))
            return
        model.prepare(window=min(work.window, facts.window), pooling=work.pooling, flash=work.flash)
        # Machine code that this processor lacks kills here, before any text can be blamed.
        model.embed([model.tokens(_WARM_UP)[0]])
    except (llama.Unusable, RuntimeError) as error:
        _write(replies, Frame({"failed": str(error)}))
        return
    _write(replies, Frame({"dimensions": facts.dimensions}))
    while (frame := _read(requests)) is not None:
        _write(replies, _answer(model, texts_of(frame)))


def _answer(model: "llama.Llama", texts: list[bytes]) -> Frame:
    cut = [model.tokens(text) for text in texts]
    ids = [tokens for tokens, _ in cut]
    vectors: list[bytes] = []
    while len(vectors) < len(ids):
        left = ids[len(vectors) :]
        vectors += model.embed(left[: model.together([len(tokens) for tokens in left])])
    head = {"truncated": [truncated for _, truncated in cut], "tokens": sum(map(len, ids))}
    return Frame(head, b"".join(vectors))


def _read(stream: BinaryIO) -> Frame | None:
    sizes = stream.read(SIZES)
    if len(sizes) < SIZES:
        return None
    head, body = lengths(sizes)
    whole = stream.read(head + body)
    return Frame(json.loads(whole[:head]), whole[head:]) if len(whole) == head + body else None


def _write(stream: BinaryIO, frame: Frame) -> None:
    stream.write(frame.packed())
    stream.flush()


if __name__ == "__main__":
    main()
