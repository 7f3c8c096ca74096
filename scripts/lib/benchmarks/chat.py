"""Measures a chat worker: how soon it is silent, what a grammar costs, and what a second question reads."""

import asyncio
import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path

from bridge.features.answers.prompt import Source, Turn, answer_grammar, write_prompt
from bridge.models.generator import AnswerEnd, AnswerPiece, ChatEvent, ChatRequest, Generator, Message, PromptRead
from bridge.types import VaultPath
from scripts.lib.benchmarks.rows import Measurements, Row
from tests.models.scripted import random_gguf

WINDOW = 4_096
VOCABULARY = 150_000
PROMPT = 2_000
"""Characters of a prompt, each of which is a token to a model without English words."""

ANSWER = 64
TIMES = 10
SILENCE_MS = 200.0
GRAMMAR = 1.3
SECOND = 0.3


def measure_chat(found: Measurements) -> None:
    """Measure a model of random weights with a large vocabulary."""
    with tempfile.TemporaryDirectory(prefix="chat-") as folder:
        model = random_gguf(Path(folder) / "random.gguf", layers=12, vocabulary=VOCABULARY)
        asyncio.run(_measure(model, found))


async def _measure(model: Path, found: Measurements) -> None:
    generator = Generator(model, window=WINDOW, threads=os.cpu_count() or 1)
    try:
        await _drain(generator.generate(_request("warm")))
        inside = [await _silence(generator, number, answering=False) for number in range(TIMES)]
        after = [await _silence(generator, number, answering=True) for number in range(TIMES)]
        found.add(
            Row("chat: silence after a stop in a prompt, slowest", max(inside), "ms", SILENCE_MS),
            Row("chat: silence after a stop in an answer, slowest", max(after), "ms", SILENCE_MS),
        )
        free, bound = [], []
        for _ in range(TIMES // 2):
            free.append(await _token_ms(generator, grammar=""))
            bound.append(await _token_ms(generator, grammar=answer_grammar("What?", [1, 2, 3])))
        price = statistics.median(bound) / statistics.median(free)
        note = f"{statistics.median(free):.1f} ms without"
        found.add(Row("chat: a token with a grammar, against one without", price, "x", GRAMMAR, note=note))
        shares = [await _second_share(generator, number) for number in range(3)]
        found.add(Row("chat: second question, time to the first token", statistics.median(shares), "x", SECOND))
    finally:
        await generator.close()


def _request(text: str, *, most: int = ANSWER, grammar: str = "") -> ChatRequest:
    return ChatRequest([Message("user", text)], most=most, grammar=grammar)


async def _drain(events: AsyncIterator[ChatEvent]) -> AnswerEnd:
    async for event in events:
        if isinstance(event, AnswerEnd):
            return event
    raise RuntimeError("an answer did not end")


async def _silence(generator: Generator, number: int, *, answering: bool) -> float:
    """Return the milliseconds between a stop and the moment at which the worker is free."""
    text = f"{number} " + "x" * (50 if answering else PROMPT)
    events = generator.generate(_request(text, most=1_000))
    while answering and not isinstance(await anext(events), AnswerPiece):
        pass
    asking = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0.05 + 0.02 * number)
    began = time.perf_counter()
    asking.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asking
    await events.aclose()
    return 1000 * (time.perf_counter() - began)


async def _token_ms(generator: Generator, grammar: str) -> float:
    end = await _drain(generator.generate(_request("What?", grammar=grammar)))
    return end.answer_ms / max(1, end.tokens_out)


async def _second_share(generator: Generator, number: int) -> float:
    """Return the time to the first token of a second question, as a share of that of the first."""
    sources = [Source(1, VaultPath(f"{number}.md"), "", (1, 1), "y" * PROMPT)]
    first = await _first_ms(generator, write_prompt("What is this?", sources))
    history = [Turn("What is this?", "A note [1].")]
    return await _first_ms(generator, write_prompt("And what else is it?", sources, history)) / first


async def _first_ms(generator: Generator, messages: list[Message]) -> float:
    began = time.perf_counter()
    async with contextlib.aclosing(generator.generate(ChatRequest(messages, most=4))) as events:
        while isinstance(await anext(events), PromptRead):
            pass
    return 1000 * (time.perf_counter() - began)
