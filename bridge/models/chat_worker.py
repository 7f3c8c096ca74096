"""The process that owns a chat model: reads requests on stdin, writes its answers to stdout as they come.

Native code may abort and templates may run forever; then only this process ends. Nothing but frames goes to stdout.
A second thread reads requests, so that a cancellation counts in the middle of a call to llama.cpp.
"""

import codecs
import contextlib
import json
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from bridge.models import llama
from bridge.models.chat_model import Cancellation, ChatModel, ChatTemplate, InvalidGrammar, UnusableTemplate
from bridge.models.worker import claim_stdout
from bridge.models.worker_process import Frame, read_frame, write_frame
from bridge.priority import lower_priority

_OPEN, _CLOSE = "<think>", "</think>"


class AnswerStream:
    """The text of one answer."""

    def __init__(self, stop: Sequence[str], *, thinking: bool = False) -> None:
        """Begin an answer."""
        self.stopped = False
        """Whether a stop string was found: nothing after it counts."""
        self._stop = tuple(text for text in stop if text)
        self._thinking = thinking
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""

    def feed(self, raw: bytes) -> Iterator[dict[str, str]]:
        """Add bytes, and yield the text that is certain by now."""
        self._held += self._decoder.decode(raw)
        yield from self._certain(final=False)

    def finish(self) -> Iterator[dict[str, str]]:
        """Yield the rest, which might have been the beginning of a marker."""
        self._held += self._decoder.decode(b"", final=True)
        yield from self._certain(final=True)

    def _certain(self, *, final: bool) -> Iterator[dict[str, str]]:
        while self._held and not self.stopped:
            markers = (_CLOSE,) if self._thinking else (_OPEN, *self._stop)
            at, marker = min(((place, m) for m in markers if (place := self._held.find(m)) >= 0), default=(-1, ""))
            end = at if marker else len(self._held) - (0 if final else _tail(self._held, markers))
            if text := self._held[:end]:
                yield {"thinking" if self._thinking else "piece": text}
            self._held = self._held[end + len(marker) :]
            if not marker:
                return
            if marker in (_OPEN, _CLOSE):
                self._thinking = marker == _OPEN
            else:
                self.stopped = True


def _tail(text: str, markers: Sequence[str]) -> int:
    longest = max(map(len, markers)) - 1
    return next(
        (size for size in range(min(longest, len(text)), 0, -1) if any(m.startswith(text[-size:]) for m in markers)), 0
    )


_PLAIN_TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n\n{% endfor %}assistant:"


def main() -> None:
    """Serve one bridge over the standard streams until it closes them."""
    replies = claim_stdout()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lower_priority()
    with contextlib.suppress(BrokenPipeError):
        _serve(json.loads(sys.argv[1]), sys.stdin.buffer, replies)


def _serve(task: Mapping[str, Any], requests: BinaryIO, replies: BinaryIO) -> None:
    try:
        model = ChatModel(
            Path(task["path"]),
            mmap=task["mmap"],
            window=task["window"],
            threads=task["threads"],
            flash=task["flash"],
        )
        bos, eos = model.borders()
        template = ChatTemplate(model.template() or _PLAIN_TEMPLATE, bos=bos, eos=eos)
    except (llama.UnusableModel, UnusableTemplate, RuntimeError) as error:
        write_frame(replies, Frame({"failed": str(error)}))
        return
    traits = {"window": model.window, "parameters": model.parameters, "knows_tools": template.knows_tools()}
    write_frame(replies, Frame(traits))
    inbox = _Inbox(requests)
    model.stop_when(inbox.is_cancelled)
    for request in inbox.requests():
        for head in _answer(model, template, request, inbox):
            write_frame(replies, Frame({"id": request["id"], **head}))


class _Inbox:
    """Reads requests and cancellations in a thread of its own."""

    def __init__(self, stream: BinaryIO) -> None:
        self._waiting: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._current = -1
        self._ended = False
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield each request in turn, until the bridge closes the stream."""
        while (request := self._waiting.get()) is not None:
            self._current = request["id"]
            yield request
            self._cancelled.discard(request["id"])

    def is_cancelled(self) -> bool:
        return self._ended or self._current in self._cancelled

    def _read(self, stream: BinaryIO) -> None:
        while (frame := read_frame(stream)) is not None:
            if "cancel" in frame.head:
                self._cancelled.add(frame.head["cancel"])
            else:
                self._waiting.put(dict(frame.head))
        self._ended = True
        self._waiting.put(None)


def _answer(
    model: ChatModel, template: ChatTemplate, request: Mapping[str, Any], inbox: _Inbox
) -> Iterator[dict[str, Any]]:
    began = time.perf_counter()
    try:
        parts = template.render(request["messages"])
        tokens = model.tokens(parts)
        room = model.window - len(tokens)
        if room < 1:
            yield {"too_long": len(tokens), "window": model.window}
            return
        sampler = model.sampler(temperature=request["temperature"], seed=request["seed"], grammar=request["grammar"])
    except UnusableTemplate as error:
        yield {"failed": str(error)}
        return
    except InvalidGrammar as error:
        yield {"failed": f"its grammar cannot be used: {error}"}
        return
    counts = {"tokens_in": len(tokens), "tokens_kept": 0, "tokens_out": 0}
    read = 0.0
    reason = "cancelled"
    try:
        counts["tokens_kept"] = model.read(tokens)
        read = time.perf_counter() - began
        yield {"read": counts["tokens_in"], "kept": counts["tokens_kept"]}
        thinks = bool(parts) and not parts[-1].is_content and parts[-1].text.rstrip().endswith(_OPEN)
        stream = AnswerStream(request["stop"], thinking=thinks)
        for raw in model.generate(sampler, min(request["most"], room)):
            counts["tokens_out"] += 1
            yield from stream.feed(raw)
            if stream.stopped or inbox.is_cancelled():
                break
        yield from stream.finish()
        ended = sampler.ended or stream.stopped
        reason = "stop" if ended else "cancelled" if inbox.is_cancelled() else "length"
    except Cancellation:
        pass
    finally:
        sampler.close()
    whole = time.perf_counter() - began
    yield {
        "done": reason,
        **counts,
        "prompt_ms": round(1000 * (read or whole)),
        "answer_ms": round(1000 * (whole - read)) if read else 0,
    }


if __name__ == "__main__":
    main()
