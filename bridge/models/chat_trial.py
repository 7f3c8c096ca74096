"""Tries a chat model: whether it loads and answers, and how fast."""

import asyncio
import os
import time
from pathlib import Path

from bridge.errors import ModelUnusable
from bridge.models.chat_process import AnswerEnd, ChatRequest, ChatTask, ChatWorker, Message, PromptTooLong
from bridge.models.frame_process import WorkerDied
from bridge.records import dataclass

_WINDOW = 4_096
_PROMPT_CHARACTERS = 2_000
_ANSWER_TOKENS = 64


@dataclass(frozen=True, slots=True)
class ChatSpeed:
    """How fast a model works on this machine: tokens a second of a prompt and of an answer, and seconds to load it."""

    prompt_tokens_per_s: float
    answer_tokens_per_s: float
    load_s: float


def try_chat(file: Path) -> None:
    """Load a chat model and let it generate a token. Blocks."""
    asyncio.run(_run(file, "Say yes.", 1))


def measure_chat(file: Path) -> ChatSpeed:
    """Let a chat model read some hundred tokens and write up to 64. Blocks."""
    words = " ".join(f"bread {number}" for number in range(_PROMPT_CHARACTERS))
    question = f"Tell a long story with these words: {words}"[:_PROMPT_CHARACTERS]
    end, load_s = asyncio.run(_run(file, question, _ANSWER_TOKENS))
    return ChatSpeed(
        1000 * end.tokens_in / max(1, end.prompt_ms), 1000 * end.tokens_out / max(1, end.answer_ms), load_s
    )


async def _run(file: Path, question: str, most: int) -> tuple[AnswerEnd, float]:
    began = time.perf_counter()
    try:
        worker = await ChatWorker.start(ChatTask(str(file), _WINDOW, os.cpu_count() or 1))
    except WorkerDied:
        raise ModelUnusable(f"llama.cpp crashed while loading {file.name}.") from None
    load_s = time.perf_counter() - began
    try:
        async for event in worker.answer(ChatRequest([Message("user", question)], most=most)):
            if isinstance(event, AnswerEnd):
                return event, load_s
    except (WorkerDied, PromptTooLong):
        pass
    finally:
        await worker.end()
    raise ModelUnusable(f"{file.name} loaded, but does not answer.")
