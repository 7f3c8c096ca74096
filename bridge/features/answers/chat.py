"""The chat model as operations use it: whether it may write, and what it writes, told as it comes."""

import contextlib
import time

from bridge.api.call import Call, StreamEvent
from bridge.api.hints import WritingMode
from bridge.errors import BridgeError, ModelMissing, ModelUnusable
from bridge.models.chat_process import AnswerEnd, ChatRequest, Piece, PromptRead
from bridge.models.generator import Generator
from bridge.records import Record

REPORT_S = 0.2
"""Seconds between two reports of progress, which repeat the text so far."""


class WrittenText(Record):
    """What a chat model wrote."""

    text: str
    end: AnswerEnd


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
    call: Call, generator: Generator, request: ChatRequest, *, tell: bool = True, silent_prefix: str = ""
) -> WrittenText:
    """Let a chat model write."""
    text, shown, written, told = "", 0, 0, time.monotonic()
    async with contextlib.aclosing(generator.generate(request)) as events:
        async for event in events:
            match event:
                case AnswerEnd():
                    return WrittenText(text.strip(), event)
                case Piece(text=piece, is_thinking=False) if not tell:
                    text += piece
                case _ if not tell:
                    pass
                case PromptRead(tokens=tokens):
                    call.say(StreamEvent("status", f"{tokens:,} tokens are read."))
                case Piece(text=piece, is_thinking=True):
                    call.say(StreamEvent("thinking", piece))
                case Piece(text=piece):
                    text, written = text + piece, written + 1
                    if silent_prefix and (text.startswith(silent_prefix) or silent_prefix.startswith(text)):
                        continue
                    call.say(StreamEvent("token", text[shown:]))
                    shown = len(text)
                    if time.monotonic() - told >= REPORT_S:
                        told = time.monotonic()
                        call.progress(min(written, request.most - 1), request.most, text)
    raise ModelUnusable("The chat model stopped in the middle of an answer.")
