"""The process that owns a chat model: reads requests on stdin, writes its answers to stdout as they come.

Native code may abort and templates may run forever; then only this process ends. Nothing but frames goes to stdout.
A second thread reads requests, so that a cancellation counts in the middle of a call to llama.cpp.
"""

import contextlib
import json
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from bridge.models import llama
from bridge.models.answer_stream import AnswerStream
from bridge.models.chat_model import Cancellation, ChatModel, InvalidGrammar
from bridge.models.chat_template import ChatTemplate, Part, UnusableTemplate
from bridge.models.frames import Frame, read_frame, write_frame
from bridge.models.worker import claim_stdout
from bridge.priority import lower_priority

_PLAIN_TEMPLATE = "{% for message in messages %}{{ message.role }}: {{ message.content }}\n\n{% endfor %}assistant:"
_THINK = "<think>"


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
        stream = AnswerStream(request["stop"], thinking=_ends_in_thinking(parts))
        for raw in model.generate(sampler, min(request["most"], room)):
            counts["tokens_out"] += 1
            yield from _texts(stream.feed(raw))
            if stream.stopped or inbox.is_cancelled():
                break
        yield from _texts(stream.finish())
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


def _texts(found: Iterable[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    return ({kind: text} for kind, text in found)


def _ends_in_thinking(parts: list[Part]) -> bool:
    return parts[-1].text.rstrip().endswith(_THINK) if parts and not parts[-1].is_content else False


if __name__ == "__main__":
    main()
