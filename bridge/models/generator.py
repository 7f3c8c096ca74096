"""Generates text with one chat worker: one answer at a time, which streams and can be cancelled, and a short queue."""

import contextlib
import itertools
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import to_builtins
from msgspec.structs import replace

from bridge.errors import Busy, ModelUnusable
from bridge.models.worker_process import ChatTask, Frame, SoleWorker, WorkerDied, WorkerProcess
from bridge.records import Record

MAX_WAITING_REQUESTS = 2
"""Requests that may wait while another is answered."""

_SILENCE_S = 300.0
_CANCEL_S = 2.0

Role = Literal["system", "user", "assistant", "tool"]
"""Who says a message: the bridge, the user, the model, or a tool that the model called."""


class Message(Record):
    """One message of a conversation."""

    role: Role
    content: str


class ChatRequest(Record):
    """What to generate.

    Attributes:
        messages: The conversation, the model's turn next; what it shares with the last request is not read again.
        most: Maximum number of tokens of the answer.
        stop: Texts that end the answer.
        temperature: 0 always takes the most likely token.
        seed: For a temperature above 0.
        grammar: A grammar in llama.cpp's GBNF that the answer follows; empty for none.
    """

    messages: Sequence[Message]
    most: int = 512
    stop: Sequence[str] = ()
    temperature: float = 0.0
    seed: int = 0
    grammar: str = ""


class PromptRead(Record):
    """The prompt has been read: its tokens, and how many of them were known from the last request."""

    tokens: int
    kept: int


class AnswerPiece(Record):
    """The next text of an answer, or of the thinking before it."""

    text: str
    is_thinking: bool = False


class AnswerEnd(Record):
    """The end of an answer, with its cost in tokens and milliseconds."""

    reason: Literal["stop", "length", "cancelled"]
    tokens_in: int
    tokens_kept: int
    tokens_out: int
    prompt_ms: int
    answer_ms: int


ChatEvent = PromptRead | AnswerPiece | AnswerEnd


class PromptTooLong(Exception):
    """The prompt fills the model's window: `tokens` of it, where `window` also has to hold the answer."""

    def __init__(self, tokens: int, window: int) -> None:
        super().__init__(f"The prompt has {tokens} tokens and the model reads {window}.")
        self.tokens = tokens
        self.window = window


class ChatTraits(Record):
    """What a loaded model can do.

    Attributes:
        window: Maximum number of tokens of a prompt with its answer.
        parameters: Number of its weights.
        knows_tools: Whether its chat template shows the results of tools.
    """

    window: int
    parameters: int
    knows_tools: bool


class _ChatProcess(WorkerProcess):
    module = "bridge.models.chat_worker"


class Generator(SoleWorker):
    """Generates with one model."""

    process = _ChatProcess
    what = "chat model"
    meanwhile = "; answers are extracted from notes until then"

    def __init__(self, path: Path, *, window: int, threads: int = 0, unload_after_s: float = 120) -> None:
        super().__init__(unload_after_s)
        self.answers = 0
        """How many were generated to their end."""
        self.path, self._window, self._threads = path, window, threads or os.cpu_count() or 1
        self._waiting = 0
        self._ids = itertools.count(1)

    @property
    def is_speaking(self) -> bool:
        """Whether an answer is generated now: other background work may wait."""
        return self._turn.locked()

    def task(self) -> ChatTask:
        threads = 1 if self.level else self._threads
        task = ChatTask(str(self.path), self._window, threads, flash=self.level < 2)
        return task if self.level < 3 else replace(task, mmap=False, window=self._window // 2)

    async def generate(self, request: ChatRequest) -> AsyncGenerator[ChatEvent]:
        """Generate an answer, and yield it as it comes; closing the iterator early cancels it."""
        self._refuse()
        if self._waiting >= MAX_WAITING_REQUESTS:
            raise Busy(
                f"The chat model is answering, and {self._waiting} more wait.", hint="Ask again when it has answered."
            )
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
        try:
            async with contextlib.aclosing(self._answer(request)) as events:
                async for event in events:
                    yield event
        except WorkerDied as death:
            await self._record_death(death)
            raise ModelUnusable(
                "The chat model died while it answered.", hint="Ask again: it starts once more, with fewer features."
            ) from None
        finally:
            self._release()

    async def traits(self) -> ChatTraits:
        """Return what the model can do, loading it if needed."""
        worker = self._worker
        if worker is None or worker.has_ended:
            self._refuse()
            await self._turn.acquire()
            try:
                worker = await self._ready()
            finally:
                self._release()
        return ChatTraits(**worker.head)

    async def _answer(self, request: ChatRequest) -> AsyncGenerator[ChatEvent]:
        worker, id_ = await self._ready(), next(self._ids)
        over = False
        await worker.send(Frame({"id": id_, **to_builtins(request)}))
        try:
            while not over:
                head = (await worker.read(_SILENCE_S)).head
                over = _ends_answer(head)
                event = _event(head)
                self.answers += isinstance(event, AnswerEnd)
                yield event
        finally:
            if not over:
                await _cancel(worker, id_)


async def _cancel(worker: WorkerProcess, id_: int) -> None:
    """Cancel an answer; the worker is ready for the next request when it has said that this one is over."""
    try:
        await worker.send(Frame({"cancel": id_}))
        while not _ends_answer((await worker.read(_CANCEL_S)).head):
            pass
    except WorkerDied:
        await worker.end()


def _ends_answer(head: Mapping[str, Any]) -> bool:
    return not head.keys() & {"read", "piece", "thinking"}


def _event(head: Mapping[str, Any]) -> ChatEvent:
    if "piece" in head or "thinking" in head:
        return AnswerPiece(head.get("piece") or head["thinking"], is_thinking="thinking" in head)
    if "read" in head:
        return PromptRead(head["read"], head["kept"])
    if "too_long" in head:
        raise PromptTooLong(head["too_long"], head["window"])
    if "failed" in head:
        raise ModelUnusable(f"The chat model cannot answer: {head['failed']}.")
    facts = {name: head[name] for name in AnswerEnd.__struct_fields__ if name != "reason"}
    return AnswerEnd(head["done"], **facts)
