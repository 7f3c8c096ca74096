"""Reranking with real files of rerankers whose scores are known."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from bridge.errors import ModelUnusable
from bridge.models.catalogue import ModelSpec, Purpose
from bridge.models.folder import InstalledModel, find_model
from bridge.models.install import use_file, verify
from bridge.models.reranker import PassageScores, Reranker
from bridge.types import Digest
from tests.holding import note_sent
from tests.models.ranking import ranking_gguf
from tests.models.small import PATIENCE_S, bert_gguf

SPEC = ModelSpec(
    id="ranking",
    title="Ranking",
    window=512,
    languages="letters",
    license="none",
    source="file",
    purpose="rerank",
)

Make = Callable[..., Reranker]


def quiet(_what: str, _done: int, _total: int | None) -> None:
    """Do not tell progress."""


def reranker(file: Path, **more: Any) -> Reranker:
    return Reranker(InstalledModel(SPEC, file, Digest("0" * 64)), **{"threads": 1, "budget_s": PATIENCE_S, **more})


@pytest.fixture
async def make(tmp_path: Path) -> AsyncIterator[Make]:
    made: list[Reranker] = []

    def build(*, known: tuple[str, ...] = ("dough",), template: str = "", **more: Any) -> Reranker:
        file = ranking_gguf(tmp_path / f"{len(made)}.gguf", known, template=template)
        made.append(reranker(file, **more))
        return made[-1]

    yield build
    for one in made:
        await one.close()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    return note_sent(monkeypatch)


def pid_of(ranks: Reranker) -> int:
    """Return the process that ranks; 0 without one."""
    return ranks.pid or 0


async def stop_and_ask(ranks: Reranker, sent: asyncio.Event) -> tuple[int, asyncio.Future[PassageScores]]:
    """Stop a worker, and ask it for scores; return its process and the call that waits."""
    await ranks.score("bread", ["dough"])
    pid = ranks.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    sent.clear()
    call = asyncio.ensure_future(ranks.score("bread", ["dough", "salt"]))
    async with asyncio.timeout(PATIENCE_S):
        await sent.wait()
    return pid, call


async def test_the_scores_are_those_of_the_weights(make: Make) -> None:
    ranks = make()
    passages = ["a b c d e", "a b c d dough", "dough dough", "salt", *["water"] * 20, "rye dough", ""]
    found = await ranks.score("bread", passages)
    assert found.problem == ""
    assert len(found.scores) == len(passages)
    best = sorted(range(len(passages)), key=lambda place: -found.scores[place])
    assert [passages[place] for place in best[:3]] == ["dough dough", "rye dough", "a b c d dough"]
    assert {score for place, score in enumerate(found.scores) if "dough" not in passages[place]} == {0.0}
    assert found == await ranks.score("bread", passages)


async def test_the_query_is_read_with_each_passage(make: Make) -> None:
    ranks = make()
    (asked,) = (await ranks.score("dough", ["a b"])).scores
    (other,) = (await ranks.score("a", ["a b"])).scores
    assert asked > other == 0


async def test_special_tokens_in_texts_are_only_letters(make: Make) -> None:
    ranks = make(known=("[SEP]",))
    special, plain = (await ranks.score("a", ["[SEP] [SEP] [SEP]", "salt salt salt"])).scores
    # As three tokens more of the kind that counts, they would make the pair score higher.
    assert special < plain
    assert (await ranks.score("[SEP] [SEP] [SEP]", ["salt"])).scores < (await ranks.score("a", ["salt"])).scores


async def test_a_model_s_own_template_frames_the_pair(make: Make) -> None:
    plain, framed = make(), make(template="[CLS]dough {query} rye {document}[SEP]")
    (without,) = (await plain.score("a", ["b"])).scores
    (within,) = (await framed.score("a", ["b"])).scores
    assert within > without == 0


async def test_long_texts_are_cut(make: Make) -> None:
    ranks = make()
    long = "a " * 2000
    found = await ranks.score("bread", [f"{long}dough", f"dough {long}", "dough"])
    assert found.scores[0] == 0 < found.scores[1] < found.scores[2]
    # A query leaves half of the room to the passage.
    assert (await ranks.score(long, ["dough"])).scores > (await ranks.score(long, ["a"])).scores


async def test_the_worker_starts_on_demand_and_ends_when_idle(make: Make) -> None:
    ranks = make()
    assert not pid_of(ranks)
    await ranks.score("bread", ["dough"])
    # Short only while no call runs: on a busy machine, a worker could be idle between its start and its first request.
    ranks.unload_after_s = 0.0
    await ranks._turn.acquire()
    ranks._release()
    async with asyncio.timeout(PATIENCE_S):
        while pid_of(ranks):
            await asyncio.sleep(0.02)
    ranks.unload_after_s = PATIENCE_S
    assert len((await ranks.score("bread", ["dough"])).scores) == 1
    assert ranks.starts == 2


async def test_a_worker_killed_in_mid_call_is_a_problem_and_the_next_call_starts_another(
    make: Make, sent: asyncio.Event
) -> None:
    ranks = make()
    pid, call = await stop_and_ask(ranks, sent)
    os.kill(pid, signal.SIGKILL)
    found = await call
    assert (found.scores, found.problem) == ((), "The reranker died while it read the notes.")
    assert len((await ranks.score("bread", ["dough", "salt"])).scores) == 2
    assert ranks.deaths == 1


async def test_a_slow_worker_gives_what_it_has_and_its_late_answer_is_not_taken_for_the_next(make: Make) -> None:
    ranks = make(budget_s=0.3)
    # Starting takes longer than the budget; the process goes on starting.
    while not (await ranks.score("bread", ["dough"])).scores:
        pass
    pid = ranks.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    found = await ranks.score("bread", ["dough", "salt"])
    assert found.scores == ()
    assert found.problem == "The reranker read none of the 2 notes within 0.3 s."
    os.kill(pid, signal.SIGCONT)
    while not (found := await ranks.score("bread", ["salt"])).scores:
        pass
    assert found.scores == (0.0,)
    assert ranks.pid == pid


async def test_closing_ends_a_busy_worker(make: Make, sent: asyncio.Event) -> None:
    ranks = make()
    pid, call = await stop_and_ask(ranks, sent)
    await ranks.close()
    assert not psutil.pid_exists(pid)
    assert (await call).problem == "The reranker is stopped."


async def test_a_file_that_is_no_model_is_a_problem(tmp_path: Path) -> None:
    junk = tmp_path / "junk.gguf"
    junk.write_bytes(b"GGUF and then nothing of the kind")
    ranks = reranker(junk)
    assert (await ranks.score("bread", ["dough"])).problem.startswith("llama.cpp cannot use junk.gguf: ")
    await ranks.close()


def test_a_file_with_a_head_is_taken_as_a_reranker_and_as_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    model = use_file(folder, ranking_gguf(tmp_path / "Ranking.gguf"), quiet)
    assert (model.spec.id, model.spec.purpose, model.spec.window) == ("ranking", "rerank", 512)
    verify(folder, "ranking")
    assert find_model(folder, "ranking", "rerank") == model
    purposes: tuple[Purpose, ...] = ("embed", "chat")
    for purpose in purposes:
        with pytest.raises(ModelUnusable, match="ranking is a reranker and cannot be the setting"):
            find_model(folder, "ranking", purpose)
    use_file(folder, bert_gguf(tmp_path), quiet)
    with pytest.raises(ModelUnusable, match="small is an embedding model and cannot be the setting `rerank_model`"):
        find_model(folder, "small", "rerank")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"head": False}, "no classification head"),
        ({"outputs": 3}, "tells 3 classes apart"),
        ({"known": ("rye",)}, "does not rank sentences correctly"),
    ],
)
def test_a_file_that_only_claims_to_rank_is_refused(tmp_path: Path, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelUnusable, match=said):
        use_file(tmp_path / "models", ranking_gguf(tmp_path / "claims.gguf", **more), quiet)
