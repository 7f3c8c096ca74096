"""The chat model as operations use it: whether it may write, and what it writes, told as it comes."""

import asyncio
import contextlib
import re
import time
from collections.abc import Mapping
from typing import Literal

from bridge.api.call import Call, StreamEvent
from bridge.api.hints import WritingMode
from bridge.errors import BridgeError, ModelMissing, ModelUnusable
from bridge.models.generator import AnswerEnd, ChatRequest, Generator, Piece, PromptRead
from bridge.records import Record
from bridge.text.statements import split_sentences

REPORT_S = 0.2
"""Seconds between two reports of progress, which repeat the text so far."""


MIN_LOOP_CHARS = 8
"""Characters of a sentence from which its repetition is a loop."""

_LOOP = re.compile(r"(?=\W*\w)(.{4,80}?)\1{3}\Z", re.DOTALL)
_CITATIONS = re.compile(r"\s*\[\d{1,3}\]")
_GAP = re.compile(r"[\s\].!?。！？]")

End = Literal["stop", "length", "cancelled", "loop", "time"]

CUTS: Mapping[End, str] = {
    "length": "The answer is cut: `answers.answer_tokens` allows no more.",
    "loop": "The answer is cut where the chat model began to repeat itself.",
    "time": "The chat model was stopped: `chat_answer_s` allows it no more time.",
}
"""What is said of an answer that was cut."""


class WrittenText(Record):
    """What a chat model wrote, why it ended there, and its cost in tokens."""

    text: str
    end: End
    tokens_in: int
    tokens_out: int


def deadline(call: Call) -> float:
    """Return when a chat model that begins now is stopped, in the time of the event loop."""
    return asyncio.get_running_loop().time() + call.vault.settings.chat_answer_s


def find_loop(text: str) -> int | None:
    """Return where a text repeats itself at its end: a sentence of it, or a phrase four times in a row."""
    if found := _LOOP.search(text, max(0, len(text) - 400)):
        return found.end(1)
    *said, last = split_sentences(_CITATIONS.sub("", text)) or [""]
    return text.rfind(last.rstrip(".!?。！？")) if last in said and len(last) >= MIN_LOOP_CHARS else None


async def choose_generator(call: Call, mode: WritingMode) -> tuple[Generator | None, tuple[str, ...]]:
    """Return the chat model, if it may write; and why it cannot, where that should be said."""
    if mode == "extract":
        return None, ()
    try:
        return await call.bridge.generators.current(), ()
    except BridgeError as trouble:
        if mode == "chat":
            raise
        is_expected = isinstance(trouble, ModelMissing) and not call.vault.settings.chat_model
        return None, () if is_expected else (f"{trouble.message} {trouble.hint}",)


async def write_text(
    call: Call, generator: Generator, request: ChatRequest, until: float, *, silent_prefix: str = ""
) -> WrittenText:
    """Let a chat model write, until it repeats itself or its time is over."""
    text, shown, tokens_in, written, told = "", 0, 0, 0, time.monotonic()
    try:
        async with asyncio.timeout_at(until), contextlib.aclosing(generator.generate(request)) as events:
            async for event in events:
                match event:
                    case AnswerEnd():
                        return WrittenText(text.strip(), event.reason, event.tokens_in, event.tokens_out)
                    case PromptRead(tokens=tokens_in):
                        call.say(StreamEvent("status", f"{tokens_in:,} tokens are read."))
                        continue
                    case Piece(text=piece, is_thinking=True):
                        call.say(StreamEvent("thinking", piece))
                        continue
                    case Piece(text=piece):
                        text, written = text + piece, written + 1
                if _GAP.search(piece) and (loop := find_loop(text)) is not None:
                    return WrittenText(text[:loop].strip(), "loop", tokens_in, written)
                if silent_prefix and (text.startswith(silent_prefix) or silent_prefix.startswith(text)):
                    continue
                call.say(StreamEvent("token", text[shown:]))
                shown = len(text)
                if time.monotonic() - told >= REPORT_S:
                    told = time.monotonic()
                    call.progress(min(written, request.most - 1), request.most, text)
    except TimeoutError:
        return WrittenText(text.strip(), "time", tokens_in, written)
    raise ModelUnusable("The chat model stopped in the middle of an answer.")
