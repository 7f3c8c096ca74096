"""Asks chat models that lie, copy or babble, and stops some of them: no citation and no support may be made up."""

import asyncio
import json
import random
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import psutil

from bridge.markdown.documents import read_document
from bridge.search.sentences import iter_sentences
from bridge.settings.file import save_settings
from bridge.types import VaultPath
from scripts.lib.torture.moves import SAMPLES
from scripts.lib.torture.report import Report
from tests.features.served import Served, readable, serving
from tests.models.scripted import random_gguf, scripted_gguf

ASKS_A_MODEL = 50
STOPPED = 0.1
"""Share of the answers that are stopped after their first words."""

INVENTED = ("Zorblax", "77,731", "Quxbury")
"""What no note says."""

ANSWER_TOKENS = 48


@dataclass(slots=True)
class _Asked:
    """What was answered, and what was wrong with it."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(
        default_factory=lambda: Counter(
            dict.fromkeys(
                (
                    "citations of what was not given",
                    "quotes that do not stand in their lines",
                    "made-up sentences shown as supported",
                    "answers that failed",
                    "processes left",
                ),
                0,
            )
        )
    )
    examples: list[str] = field(default_factory=list)


def torture_answers(steps: int, seed: int) -> Report:
    """Ask questions of the sample vault.

    Args:
        steps: How many questions.
        seed: The random seed.
    """
    asked = _Asked()
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        asyncio.run(_ask_models(Path(folder), steps, random.Random(seed), asked))
    left = [one for one in psutil.Process().children(recursive=True) if "bridge.models.chat_worker" in one.cmdline()]
    asked.faults["processes left"] = len(left)
    return Report(dict(asked.faults), dict(sorted(asked.counts.items())), tuple(asked.examples))


async def _ask_models(folder: Path, steps: int, dice: random.Random, asked: _Asked) -> None:
    vault = folder / "vault"
    shutil.copytree(SAMPLES / "sample", vault)
    sentences = [sentence for file in sorted(vault.rglob("*.md")) for sentence in _sentences(file)]
    async with serving([vault], folder / "data", folder / "models") as served:
        await readable(served)
        for number in range(-(-steps // ASKS_A_MODEL)):
            copied = [dice.choice(sentences) for _ in range(4)]
            await _use(served, _write_model(folder / f"model-{number}.gguf", number, copied, dice))
            for _ in range(min(ASKS_A_MODEL, steps - number * ASKS_A_MODEL)):
                words = dice.choice([*copied, dice.choice(sentences)]).split()
                await _ask(served, vault, " ".join(words[: dice.randint(4, 20)]), dice, asked)


def _sentences(file: Path) -> Iterator[str]:
    note = read_document(VaultPath(file.name), file.read_bytes())
    return (one.text for one in iter_sentences(note) if not set("<>[]") & set(one.text))


def _write_model(file: Path, number: int, sentences: list[str], dice: random.Random) -> Path:
    """Write a model that babbles, repeats sentences of notes, or also mixes invented words into them."""
    if number % 3 == 0:
        return random_gguf(file, layers=2, seed=number + 1)
    pieces = []
    for text in sentences:
        words = text.rstrip(".!?。").split()
        pieces.append(f"{' '.join(words)} [{dice.choice((1, 1, 1, 2, 3))}]. ")
        if number % 3 == 2:
            words.insert(dice.randint(0, len(words)), dice.choice(INVENTED))
            pieces.append(f"{' '.join(words)} [1]. ")
    return scripted_gguf(file, {"<|answer|>": pieces})


async def _use(served: Served, file: Path) -> None:
    ran = await served.command("models", "use", str(file))
    if ran.status:
        raise RuntimeError(ran.err)
    save_settings(served.bridge.settings_path, {"answers.answer_tokens": ANSWER_TOKENS, "rate_limit_per_s": 10_000})
    await served.bridge.reload()
    await asyncio.to_thread(file.unlink)


async def _ask(served: Served, vault: Path, question: str, dice: random.Random, asked: _Asked) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "Accept": "text/event-stream"}
    stops = dice.random() < STOPPED
    answer: dict[str, Any] | None = None
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{served.runtime.url}/api/ask", headers=headers, json={"question": question}) as response,
    ):
        kind = ""
        async for line in response.content:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data" and kind == "token" and stops:
                asked.counts["answers stopped"] += 1
                return
            elif name == "data" and kind == "done":
                answer = json.loads(value)
    if answer is None:
        asked.faults["answers that failed"] += 1
        asked.examples.append(f"{question}: {response.status} {kind}")
        return
    _check(answer, vault, asked)


def _check(answer: dict[str, Any], vault: Path, asked: _Asked) -> None:
    """Count an answer, and what is wrong with it."""
    asked.counts[f"answers by {answer['mode_used']}"] += 1
    given = {one["number"] for one in answer["context"]}
    for sentence in answer["sentences"]:
        asked.counts[f"sentences {'supported' if sentence['supported'] else 'not supported'}"] += 1
        if not set(sentence["cites"]) <= given:
            asked.faults["citations of what was not given"] += 1
            asked.examples.append(f"{sentence}")
        if sentence["supported"] and any(word in sentence["text"] for word in INVENTED):
            asked.faults["made-up sentences shown as supported"] += 1
            asked.examples.append(f"{sentence}")
    for citation in answer["citations"]:
        asked.counts["citations"] += 1
        first, last = citation["lines"]
        lines = " ".join((vault / citation["path"]).read_text("utf-8").split("\n")[first - 1 : last])
        if not set(re.findall(r"\w+", citation["quote"])) <= set(re.findall(r"\w+", lines)):
            asked.faults["quotes that do not stand in their lines"] += 1
            asked.examples.append(f"{citation}")
