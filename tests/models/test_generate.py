"""Answers of chat models, through real llama.cpp in a real worker process."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from bridge.errors import Busy, ModelUnusable
from bridge.models import generator as generators
from bridge.models.generator import (
    AnswerEnd,
    AnswerPiece,
    ChatEvent,
    ChatRequest,
    Generator,
    Message,
    PromptRead,
    PromptTooLong,
)
from bridge.models.worker_process import Frame, WorkerProcess
from tests.models.scripted import TEMPLATE, random_gguf, scripted_gguf
from tests.models.small import PATIENCE_S, bert_gguf

ANSWER = ["Rye bread ", "needs a ", "starter [1]. ", "Gär", "zeit: 12 h 🍞"]


def ask(question: str, **wishes: Any) -> ChatRequest:
    return ChatRequest((Message("system", "Answer shortly."), Message("user", question)), **wishes)


async def events_of(generator: Generator, request: ChatRequest) -> list[ChatEvent]:
    return [event async for event in generator.generate(request)]


async def text_of(generator: Generator, request: ChatRequest) -> str:
    return "".join(
        e.text for e in await events_of(generator, request) if isinstance(e, AnswerPiece) and not e.is_thinking
    )


async def kill_in_mid_answer(generator: Generator) -> None:
    # Too long an answer for the pipe: the worker cannot have ended it while nobody read.
    async with contextlib.aclosing(generator.generate(ask("?", most=4000))) as events:
        async for event in events:
            if isinstance(event, AnswerPiece):
                break
        pid = generator.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        async for _ in events:
            pass


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a worker take its time to end a cancelled answer, however busy the machine is."""
    monkeypatch.setattr(generators, "_CANCEL_S", PATIENCE_S)


@pytest.fixture
async def start() -> AsyncIterator[Callable[..., Generator]]:
    """Makes generators that end with the test."""
    made: list[Generator] = []

    def make(path: Path, **options: Any) -> Generator:
        # Threads wait for each other by computing, which other tests would do without.
        made.append(Generator(path, **{"window": 512, "threads": 1, **options}))
        return made[-1]

    yield make
    for generator in made:
        await generator.close()


@pytest.fixture
def speaking(tmp_path: Path, start: Callable[..., Generator]) -> Generator:
    return start(scripted_gguf(tmp_path / "chat.gguf", {"<|answer|>": ANSWER}), window=2048)


@pytest.fixture(scope="session")
def slow_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_gguf(tmp_path_factory.mktemp("chat") / "slow.gguf")


async def test_an_answer_streams_in_order(speaking: Generator) -> None:
    read, *pieces, end = await events_of(speaking, ask("What does rye bread need?"))
    assert isinstance(read, PromptRead)
    assert read.kept == 0
    assert [piece.text for piece in pieces if isinstance(piece, AnswerPiece)] == ANSWER
    assert isinstance(end, AnswerEnd)
    assert (end.reason, end.tokens_out, end.tokens_in) == ("stop", len(ANSWER), read.tokens)


@pytest.mark.parametrize(
    ("stop", "text"),
    [("needs", "Rye bread "), ("bread needs", "Rye "), ("[1].", "Rye bread needs a starter "), ("None", None)],
)
async def test_a_stop_string_ends_an_answer_wherever_its_pieces_meet(
    tmp_path: Path, stop: str, text: str | None, start: Callable[..., Generator]
) -> None:
    script = ["Rye ", "bread ", "needs a", " starter [", "1]. More N"]
    generator = start(scripted_gguf(tmp_path / "chat.gguf", {"<|answer|>": script}))
    assert await text_of(generator, ask("?", stop=(stop,))) == ("".join(script) if text is None else text)


async def test_an_answer_is_cut_at_its_limit(speaking: Generator) -> None:
    *pieces, end = await events_of(speaking, ask("?", most=2))
    assert isinstance(end, AnswerEnd)
    assert (end.reason, end.tokens_out) == ("length", 2)
    assert "".join(piece.text for piece in pieces if isinstance(piece, AnswerPiece)) == "Rye bread needs a "


async def test_thinking_is_kept_apart(tmp_path: Path, start: Callable[..., Generator]) -> None:
    script = ["<think>", "Rye is a ", "grain.</thi", "nk>", "Yes."]
    generator = start(scripted_gguf(tmp_path / "chat.gguf", {"<|answer|>": script}))
    pieces = [e for e in await events_of(generator, ask("?")) if isinstance(e, AnswerPiece)]
    assert "".join(piece.text for piece in pieces if piece.is_thinking) == "Rye is a grain."
    assert "".join(piece.text for piece in pieces if not piece.is_thinking) == "Yes."


async def test_a_grammar_holds_an_unwilling_model(speaking: Generator) -> None:
    grammar = 'root ::= "{\\"verdict\\": " ("true" | "false") "}"'
    assert await text_of(speaking, ask("?", grammar=grammar)) in ('{"verdict": true}', '{"verdict": false}')


async def test_what_the_grammar_allows_is_said_as_without_one(speaking: Generator) -> None:
    assert await text_of(speaking, ask("?", grammar="root ::= [^\\x00]*")) == "".join(ANSWER)


async def test_a_grammar_that_is_none_is_refused_and_the_next_request_answered(speaking: Generator) -> None:
    with pytest.raises(ModelUnusable, match="grammar"):
        await events_of(speaking, ask("?", grammar="root ::= ("))
    assert await text_of(speaking, ask("?")) == "".join(ANSWER)


async def test_what_two_prompts_share_is_read_once_and_answers_are_the_same(
    slow_model: Path, start: Callable[..., Generator]
) -> None:
    passages = " ".join(f"passage {place}" for place in range(60))
    first, second = (
        ChatRequest((Message("system", passages), Message("user", question)), most=12)
        for question in ("What is rye?", "What is wheat, then?")
    )
    kept = start(slow_model, window=2048)
    await events_of(kept, first)
    read, *_ = again = await events_of(kept, second)
    assert isinstance(read, PromptRead)
    assert 0.9 * read.tokens < read.kept < read.tokens
    fresh = start(slow_model, window=2048)
    alone = await events_of(fresh, second)
    assert [e.text for e in again if isinstance(e, AnswerPiece)] == [
        e.text for e in alone if isinstance(e, AnswerPiece)
    ]
    await fresh.close()


@pytest.mark.parametrize(
    "content", ["<|end|>", "Say <|answer|><|end|> now", "<|<|end|>end|>", "Rye bread ", "<s></s><unk>"]
)
async def test_a_text_never_becomes_a_special_token(
    tmp_path: Path, content: str, start: Callable[..., Generator]
) -> None:
    # Each letter is a token of its own in this vocabulary; a special token would be one for many.
    model = scripted_gguf(
        tmp_path / "chat.gguf", {"<|answer|>": ANSWER}, template="{{ messages[0].content }}<|answer|>"
    )
    generator = start(model)
    read, *_ = await events_of(generator, ChatRequest((Message("user", content),)))
    assert isinstance(read, PromptRead)
    # A space is three bytes in this vocabulary, an escaped one.
    assert read.tokens == 1 + len(content.replace(" ", "\u2581").encode()) + 1


async def test_a_model_whose_template_knows_no_system_message_gets_it_with_the_question(
    tmp_path: Path, start: Callable[..., Generator]
) -> None:
    template = "{% if messages[0].role == 'system' %}{{ raise_exception('No system') }}{% endif %}" + TEMPLATE
    generator = start(scripted_gguf(tmp_path / "chat.gguf", {"<|answer|>": ANSWER}, template=template))
    assert await text_of(generator, ask("?")) == "".join(ANSWER)


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("{% for m in messages %}", "cannot be read"),
        ("Hello <|answer|>", "leaves out"),
        ("{{ raise_exception('No.') }}", "refuses"),
        ("{{ messages[0].content.nowhere.deeper }}", "fails"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "fails"),
    ],
)
async def test_a_template_that_cannot_be_used_is_said(
    tmp_path: Path, template: str, said: str, start: Callable[..., Generator]
) -> None:
    generator = start(scripted_gguf(tmp_path / "chat.gguf", {"<|answer|>": ANSWER}, template=template))
    with pytest.raises(ModelUnusable, match=said):
        await events_of(generator, ask("?"))


async def test_a_model_without_a_template_is_asked_plainly(tmp_path: Path, start: Callable[..., Generator]) -> None:
    # After the colon of the plain template comes the byte whose script this is not: the model has nothing to say.
    generator = start(scripted_gguf(tmp_path / "chat.gguf", {"<|answer|>": ANSWER}, template=None))
    end = (await events_of(generator, ask("?", most=1)))[-1]
    assert isinstance(end, AnswerEnd)


async def test_a_prompt_that_fills_the_window_is_refused_with_its_size(speaking: Generator) -> None:
    with pytest.raises(PromptTooLong) as refusal:
        await events_of(speaking, ask("rye " * 700))
    assert refusal.value.tokens > refusal.value.window == 2048
    assert await text_of(speaking, ask("?")) == "".join(ANSWER)


async def test_files_that_are_no_chat_models_are_refused(tmp_path: Path, start: Callable[..., Generator]) -> None:
    whole = scripted_gguf(tmp_path / "chat.gguf", {"<|answer|>": ANSWER}).read_bytes()
    cut, text = tmp_path / "cut.gguf", tmp_path / "text.gguf"
    cut.write_bytes(whole[: len(whole) // 2])
    text.write_text("This is no model.")
    for file in (cut, text, bert_gguf(tmp_path), tmp_path / "absent.gguf"):
        generator = start(file)
        with pytest.raises(ModelUnusable):
            await events_of(generator, ask("?"))


async def test_a_window_for_which_there_is_no_memory_is_refused_with_the_sum(
    tmp_path: Path, start: Callable[..., Generator]
) -> None:
    whole = scripted_gguf(tmp_path / "chat.gguf", {"<|answer|>": ANSWER}, window=10**9)
    with pytest.raises(ModelUnusable, match=r"needs \d+\.\d GB of memory with a window of 1000000000 tokens, and \d"):
        await events_of(start(whole, window=10**9), ask("?"))


async def test_cancelling_in_a_prompt_is_prompt_and_the_next_answer_whole(
    slow_model: Path, start: Callable[..., Generator], monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = start(slow_model, window=4096)
    await events_of(generator, ask("?", most=1))
    worker = psutil.Process(generator.pid)
    before = worker.cpu_times().user
    heads: list[dict[str, Any]] = []
    read = WorkerProcess.read

    async def read_and_note(process: WorkerProcess, within: float) -> Frame:
        frame = await read(process, within)
        heads.append(dict(frame.head))
        return frame

    with monkeypatch.context() as noting:
        noting.setattr(WorkerProcess, "read", read_and_note)
        task = asyncio.create_task(events_of(generator, ask("rye " * 600, most=1)))
        # It reads the prompt, which takes much longer.
        async with asyncio.timeout(PATIENCE_S):
            while worker.cpu_times().user < before + 0.03:
                await asyncio.sleep(0.005)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    assert not generator.is_speaking
    assert [head.get("done") for head in heads] == ["cancelled"]
    fresh = start(slow_model, window=4096)
    assert await text_of(generator, ask("rye", most=8)) == await text_of(fresh, ask("rye", most=8))
    assert generator.deaths == 0
    await fresh.close()


async def test_closing_an_answer_ends_it_and_keeps_the_worker(
    slow_model: Path, start: Callable[..., Generator]
) -> None:
    generator = start(slow_model, window=2048)
    async with contextlib.aclosing(generator.generate(ask("?", most=2000))) as events:
        async for _ in events:
            pid = generator.pid
            break
    assert await text_of(generator, ask("?", most=4))
    assert generator.pid == pid
    assert generator.deaths == 0


async def test_a_worker_that_does_not_end_a_cancelled_answer_in_time_is_replaced(
    slow_model: Path, start: Callable[..., Generator], monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = start(slow_model, window=1024)
    async with contextlib.aclosing(generator.generate(ask("?", most=900))) as events:
        async for _ in events:
            pid = generator.pid
            break
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        monkeypatch.setattr(generators, "_CANCEL_S", 0.0)
    assert await text_of(generator, ask("?", most=3))
    assert generator.pid != pid
    assert (generator.starts, generator.deaths) == (2, 0)


def chat_workers() -> list[int]:
    found = []
    for child in psutil.Process().children():
        # Another may end while it is looked at.
        with contextlib.suppress(psutil.NoSuchProcess):
            if "chat_worker" in " ".join(child.cmdline()):
                found.append(child.pid)
    return found


async def test_a_hundred_cancelled_answers_leave_one_process_of_the_same_size(
    slow_model: Path, start: Callable[..., Generator]
) -> None:
    generator = start(slow_model, window=1024)
    sizes = []
    for turn in range(100):
        async with contextlib.aclosing(generator.generate(ask(f"{turn}?", most=500))) as events:
            async for event in events:
                if isinstance(event, AnswerPiece) or turn % 2:
                    break
        process = psutil.Process(generator.pid)
        sizes.append(process.memory_info().rss)
    assert generator.starts == 1
    assert max(sizes[50:]) < 1.05 * max(sizes[:50])
    assert chat_workers() == [process.pid]
    await generator.close()
    assert not psutil.pid_exists(process.pid)


async def test_a_worker_killed_in_mid_answer_is_said_and_replaced(
    slow_model: Path, start: Callable[..., Generator]
) -> None:
    generator = start(slow_model, window=4096)
    with pytest.raises(ModelUnusable, match="died"):
        await kill_in_mid_answer(generator)
    assert await text_of(generator, ask("?", most=3))
    assert (generator.deaths, generator.level) == (1, 1)


async def test_a_worker_that_keeps_dying_rests(slow_model: Path, start: Callable[..., Generator]) -> None:
    generator = start(slow_model, window=4096)
    for _ in range(3):
        with pytest.raises(ModelUnusable, match="died"):
            await kill_in_mid_answer(generator)
    with pytest.raises(ModelUnusable, match="died 3 times") as refusal:
        await events_of(generator, ask("?"))
    assert "extracted" in refusal.value.hint
    assert generator.paused_s > 250


async def test_one_answer_at_a_time_and_two_wait(slow_model: Path, start: Callable[..., Generator]) -> None:
    generator = start(slow_model, window=1024)
    tasks = [asyncio.create_task(text_of(generator, ask("?", most=20))) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(Busy):
        await text_of(generator, ask("?"))
    first, *others = await asyncio.gather(*tasks)
    assert others == [first, first]


async def test_an_idle_worker_ends_and_starts_again(tmp_path: Path, start: Callable[..., Generator]) -> None:
    generator = start(scripted_gguf(tmp_path / "chat.gguf", {"<|answer|>": ANSWER}), window=512, unload_after_s=0.01)
    assert await text_of(generator, ask("?"))
    async with asyncio.timeout(PATIENCE_S):
        while generator.pid is not None:
            await asyncio.sleep(0.01)
    assert await text_of(generator, ask("?")) == "".join(ANSWER)
    assert generator.starts == 2


async def test_sampling_with_a_seed_is_repeatable(slow_model: Path, start: Callable[..., Generator]) -> None:
    generator = start(slow_model)
    texts = [await text_of(generator, ask("?", most=12, temperature=1.0, seed=seed)) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
