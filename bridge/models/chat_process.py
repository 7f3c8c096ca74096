"""One chat worker, seen from the bridge: starting, requests, answers that stream, cancellation, and ending."""

import itertools
import json
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from msgspec import to_builtins
from msgspec.structs import asdict

from bridge.errors import ModelUnusable
from bridge.models.frame_process import Frame, FrameProcess, WorkerDied
from bridge.records import Record

_START_S = 120.0
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


class Piece(Record):
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


ChatEvent = PromptRead | Piece | AnswerEnd


class PromptTooLong(Exception):
    """The prompt fills the model's window: `tokens` of it, where `window` also has to hold the answer."""

    def __init__(self, tokens: int, window: int) -> None:
        super().__init__(f"The prompt has {tokens} tokens and the model reads {window}.")
        self.tokens = tokens
        self.window = window


class ChatTask(Record):
    """A chat model and how to run it."""

    path: str
    window: int
    threads: int
    flash: bool = True
    mmap: bool = True


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


class ChatWorker:
    """A running chat worker with its model loaded; it answers one request at a time."""

    def __init__(self, process: FrameProcess) -> None:
        self._process = process
        self._ids = itertools.count(1)
        self.traits = ChatTraits(0, 0, knows_tools=False)
        self.has_ended = False
        """Whether the process was ended, also by a cancellation that it did not follow in time."""

    @property
    def pid(self) -> int:
        return self._process.pid

    @classmethod
    async def start(cls, task: ChatTask) -> "ChatWorker":
        """Start a process and wait until its model is loaded."""
        command = [sys.executable, "-P", "-m", "bridge.models.chat_worker", json.dumps(asdict(task))]
        worker = cls(await FrameProcess.start("chat worker", command))
        try:
            head = (await worker._process.read(_START_S)).head
            if "failed" in head:
                raise ModelUnusable(f"llama.cpp cannot chat with {Path(task.path).name}: {head['failed']}.")
            worker.traits = ChatTraits(**head)
        except BaseException:
            await worker.end()
            raise
        return worker

    async def answer(self, request: ChatRequest) -> AsyncGenerator[ChatEvent]:
        """Generate an answer; closing the iterator early cancels it."""
        id_ = next(self._ids)
        over = False
        await self._process.send(Frame({"id": id_, **to_builtins(request)}))
        try:
            while not over:
                head = (await self._process.read(_SILENCE_S)).head
                over = _ends_answer(head)
                yield _event(head)
        finally:
            if not over:
                await self._cancel(id_)

    async def end(self) -> None:
        self.has_ended = True
        await self._process.end()

    async def _cancel(self, id_: int) -> None:
        # The worker is ready for the next request when it has said that this one is over.
        try:
            await self._process.send(Frame({"cancel": id_}))
            while not _ends_answer((await self._process.read(_CANCEL_S)).head):
                pass
        except WorkerDied:
            await self.end()


def _ends_answer(head: Mapping[str, Any]) -> bool:
    return not head.keys() & {"read", "piece", "thinking"}


def _event(head: Mapping[str, Any]) -> ChatEvent:
    if "piece" in head or "thinking" in head:
        return Piece(head.get("piece") or head["thinking"], is_thinking="thinking" in head)
    if "read" in head:
        return PromptRead(head["read"], head["kept"])
    if "too_long" in head:
        raise PromptTooLong(head["too_long"], head["window"])
    if "failed" in head:
        raise ModelUnusable(f"The chat model cannot answer: {head['failed']}.")
    facts = {name: head[name] for name in AnswerEnd.__struct_fields__ if name != "reason"}
    return AnswerEnd(head["done"], **facts)
