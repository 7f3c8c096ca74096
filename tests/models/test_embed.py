import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import psutil
import pytest
from msgspec.structs import replace

from bridge.errors import ModelUnusable
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.embedder import Embedder, Embeddings, Group, RejectedText, Worker
from bridge.models.folder import InstalledModel, find_model
from bridge.models.worker_process import FEATURE_LEVELS, Frame, WorkerProcess, make_task
from bridge.types import Digest
from tests.models.small import PATIENCE_S, bert_gguf
from tests.models.test_convert import SPEC

pytestmark = pytest.mark.model

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text())["vectors"]
LONG = "The dough rises slowly in a warm kitchen while the oven heats and somebody writes a letter. " * 20
Pool = Callable[..., Embedder]


@pytest.fixture
def model(models_dir: Path) -> InstalledModel:
    return find_model(models_dir, DEFAULT_MODEL)


@pytest.fixture
async def pool(model: InstalledModel) -> AsyncIterator[Pool]:
    """Make pools that are closed after the test, whatever happened."""
    made: list[Embedder] = []

    def make(workers: int = 1, unload_after_s: int = 600, of: InstalledModel = model) -> Embedder:
        made.append(Embedder(of, workers, unload_after_s))
        return made[-1]

    yield make
    for embedder in made:
        await embedder.close()


async def until(true: Callable[[], bool], within: float = PATIENCE_S) -> None:
    """Poll until something is true."""
    deadline = time.monotonic() + within
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        await asyncio.sleep(0.001)


def exists(pid: int) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def kill(*pids: int) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def kill_starting(monkeypatch: pytest.MonkeyPatch, whom: Callable[[Mapping[str, object]], object]) -> None:
    """Kill workers as soon as they are started, by what they were told."""
    spawn = Worker.spawn

    async def spawn_and_kill(name: str, command: Sequence[str]) -> Worker:
        process = await spawn(name, command)
        if whom(json.loads(command[-1])):
            kill(process.pid)
        return process

    monkeypatch.setattr(Worker, "spawn", spawn_and_kill)


def kill_with(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Kill each worker that is sent a text, before it can answer."""
    send = WorkerProcess.send

    async def send_and_kill(process: WorkerProcess, frame: Frame) -> None:
        if text.encode() not in frame.body:
            await send(process, frame)
            return
        os.kill(process.pid, signal.SIGSTOP)
        await send(process, frame)
        kill(process.pid)

    monkeypatch.setattr(WorkerProcess, "send", send_and_kill)


async def test_vectors_agree_with_the_f32_weights_in_the_order_of_the_texts(pool: Pool) -> None:
    embeddings = await pool(workers=2).embed(list(REFERENCE))
    assert embeddings.vectors.shape == (len(REFERENCE), 384)
    assert embeddings.vectors.dtype == np.float32
    assert (embeddings.vectors * np.array(list(REFERENCE.values()))).sum(axis=1).min() > 0.999
    assert embeddings.truncated == (False,) * len(REFERENCE)


async def test_a_text_has_the_same_vector_alone_and_in_company(pool: Pool) -> None:
    embedder = pool(workers=2)
    texts = [f"Note {i} about bread{' and salt' * (i % 40)}." for i in range(60)]
    together = (await embedder.embed(texts)).vectors
    alone = np.concatenate([(await embedder.embed([text])).vectors for text in texts[::7]])
    # Flash attention rounds to half precision in blocks that depend on the company.
    assert (together[::7] * alone).sum(axis=1).min() > 0.9995


async def test_nothing_to_embed_starts_nothing(pool: Pool) -> None:
    embedder = pool()
    assert (await embedder.embed([])).vectors.shape == (0, 384)
    assert embedder.starts == 0


@pytest.mark.parametrize("text", ["", " ", "\x00", "\ud800\udfff", "[SEP][MASK]</s>", "\u202e\u0301" * 50, "字" * 700])
async def test_any_text_gets_a_vector_of_length_one(pool: Pool, text: str) -> None:
    vectors = (await pool().embed([text, "bread"])).vectors
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-4)


async def test_special_tokens_in_a_note_are_only_letters(pool: Pool) -> None:
    vectors = (await pool().embed(["bread [SEP] salt", "bread SEP salt", "bread salt"])).vectors
    assert float(vectors[0] @ vectors[1]) > float(vectors[0] @ vectors[2])


async def test_long_texts_are_truncated_to_the_window_and_say_so(pool: Pool) -> None:
    embedder = pool()
    head = LONG[: 8 * 256]
    found = await embedder.embed([LONG, head, "short", "x" * 10_000_000])
    assert found.truncated == (True, True, False, True)
    assert float(found.vectors[0] @ found.vectors[1]) > 0.9999
    assert sum(found.tokens) < 4 * 256


async def test_prefixes_are_added_to_queries_and_passages(pool: Pool, model: InstalledModel) -> None:
    prefixed = replace(model, spec=replace(model.spec, query_prefix="search: ", passage_prefix="passage: "))
    plain = (await pool().embed(["search: bread", "passage: bread"])).vectors
    embedder = pool(of=prefixed)
    query = (await embedder.embed(["bread"], query=True)).vectors[0]
    passage = (await embedder.embed(["bread"])).vectors[0]
    assert float(query @ plain[0]) > 0.9999
    assert float(passage @ plain[1]) > 0.9999


async def test_queries_go_before_passages_even_with_one_worker(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = pool(workers=1)
    await embedder.embed(["ready"])
    # How many passages are read meanwhile depends on the machine; that none goes while a query waits does not.
    overtaken: list[int] = []
    hand = embedder._hand

    def hand_and_note(worker: Worker, group: Group) -> None:
        if not group.call.first:
            overtaken.append(len(embedder._queries))
        hand(worker, group)

    monkeypatch.setattr(embedder, "_hand", hand_and_note)
    backlog = asyncio.create_task(embedder.embed([f"{i} {LONG}" for i in range(200)]))
    await until(lambda: bool(embedder._passages))
    for i in range(3):
        await embedder.embed([f"how to bake bread {i}"], query=True)
    assert embedder._passages
    assert set(overtaken) == {0}
    backlog.cancel()


async def test_a_query_does_not_wait_for_a_passage_that_takes_for_ever(pool: Pool) -> None:
    embedder = pool(workers=1)
    await embedder.embed(["ready"], query=True)
    await embedder.embed(["ready"])
    (slow,) = [pid for pid in embedder.pids if psutil.Process(pid).nice() > psutil.Process().nice()]
    os.kill(slow, signal.SIGSTOP)
    backlog = asyncio.create_task(embedder.embed([LONG]))
    assert (await embedder.embed(["how to bake bread"], query=True)).vectors.any()
    assert not backlog.done()
    os.kill(slow, signal.SIGCONT)
    assert (await backlog).vectors.any()


async def test_queries_alone_start_one_worker_of_full_priority(pool: Pool) -> None:
    embedder = pool(workers=2)
    await asyncio.gather(*(embedder.embed([f"bread {i}"], query=True) for i in range(8)))
    assert [psutil.Process(pid).nice() for pid in embedder.pids] == [psutil.Process().nice()]


async def test_when_only_the_worker_for_queries_can_be_had_it_does_everything(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = pool(workers=1)
    await embedder.embed(["ready"], query=True)
    (only,) = embedder.pids
    kill_starting(monkeypatch, lambda _: True)
    assert (await embedder.embed([LONG, "bread"])).vectors.any(axis=1).all()
    assert embedder.deaths > 0
    assert embedder.pids == (only,)


async def test_both_workers_take_part(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = pool(workers=2)
    embed, together, shares = Worker.embed, asyncio.Barrier(2), Counter[int]()

    async def embed_in_step(worker: Worker, texts: Sequence[str]) -> Embeddings:
        await together.wait()
        shares[worker.pid] += len(texts)
        return await embed(worker, texts)

    monkeypatch.setattr(Worker, "embed", embed_in_step)
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(*(embedder.embed([f"{i} {LONG}"]) for i in range(30)))
    assert shares == dict.fromkeys(embedder.pids, 15)


async def test_a_worker_runs_at_low_priority_on_one_thread(pool: Pool) -> None:
    embedder = pool()
    await embedder.embed(["ready"])
    (pid,) = embedder.pids
    assert psutil.Process(pid).nice() > psutil.Process().nice()
    assert psutil.Process(pid).num_threads() == 1


async def test_a_worker_killed_in_the_middle_changes_no_result(pool: Pool) -> None:
    embedder = pool(workers=2)
    texts = [f"{i} {LONG}" for i in range(15)]
    right = (await embedder.embed(texts)).vectors
    for killed in range(1, 4):
        # Each time by another call: a text at which a worker died twice in one call is taken for the cause.
        work = asyncio.create_task(embedder.embed(texts))
        await until(lambda: any(call.left < len(texts) - 1 for call in embedder._calls))
        kill(embedder.pids[0])
        assert ((await work).vectors * right).sum(axis=1).min() > 0.9999
        assert embedder.deaths == killed


async def test_workers_that_died_idle_are_nobodys_fault(pool: Pool) -> None:
    embedder = pool(workers=2)
    await asyncio.gather(embedder.embed([LONG] * 4), embedder.embed([LONG] * 4))
    kill(*embedder.pids)
    found = await embedder.embed(["bread", "salt"])
    assert np.allclose(np.linalg.norm(found.vectors, axis=1), 1, atol=1e-4)


async def test_a_text_that_kills_its_worker_twice_is_named_and_the_others_are_done(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = pool(workers=1)
    texts = ["bread", LONG[:760], "salt", "water"]
    right = (await embedder.embed(texts)).vectors
    # All four travel together; after the first death each goes alone.
    kill_with(monkeypatch, texts[1])
    with pytest.raises(RejectedText) as poison:
        await embedder.embed(texts)
    assert embedder.deaths == 2
    assert poison.value.indexes == (1,)
    found = poison.value.embeddings.vectors
    assert not found[1].any()
    others = [0, 2, 3]
    assert (found[others] * right[others]).sum(axis=1).min() > 0.9999
    # The pool goes on.
    assert (await embedder.embed(["bread"])).vectors.any()


async def test_a_poisonous_query_is_named_too(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = pool(workers=1)
    await embedder.embed(["ready"])
    kill_with(monkeypatch, LONG)
    with pytest.raises(RejectedText) as poison:
        await embedder.embed([LONG], query=True)
    assert embedder.deaths == 2
    assert poison.value.indexes == (0,)


async def test_workers_that_die_at_their_start_go_on_with_fewer_features(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = pool(workers=1)
    with monkeypatch.context() as starting:
        kill_starting(starting, lambda told: told["flash"])
        found = await embedder.embed(["bread"])
    assert float(found.vectors[0] @ (await pool().embed(["bread"])).vectors[0]) > 0.99
    assert embedder.level == 1


@pytest.mark.skipif(not hasattr(psutil.Process, "memory_maps"), reason="the system does not tell what is mapped")
@pytest.mark.parametrize("level", range(FEATURE_LEVELS))
async def test_only_the_last_level_reads_the_model_instead_of_mapping_it(model: InstalledModel, level: int) -> None:
    worker = await Worker.start("embedding worker", make_task(model.path, model.spec, level))
    mapped = {one.path for one in psutil.Process(worker.pid).memory_maps()}
    await worker.end()
    assert (str(model.path.resolve()) in mapped) is (level < FEATURE_LEVELS - 1)


async def test_workers_that_never_start_make_the_model_unusable(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = pool(workers=2)
    kill_starting(monkeypatch, lambda _: True)
    with pytest.raises(ModelUnusable, match="cannot be loaded"):
        await embedder.embed(["bread"])
    assert embedder.failure is not None
    with pytest.raises(ModelUnusable, match="cannot be loaded"):
        await embedder.embed(["salt"])


def workers_of_this_process() -> set[int]:
    """Return the workers that run, also those of a vault that other tests share."""
    found = set()
    for child in psutil.Process().children():
        with contextlib.suppress(psutil.Error):
            if "bridge.models.worker" in child.cmdline():
                found.add(child.pid)
    return found


async def test_a_file_that_is_no_model_fails_at_once_with_what_to_do(pool: Pool, tmp_path: Path) -> None:
    file = tmp_path / "junk.gguf"
    file.write_bytes(b"GGUF and then nothing of the kind")
    embedder = pool(of=InstalledModel(SPEC, file, Digest("0" * 64)))
    with pytest.raises(ModelUnusable, match=r"llama\.cpp cannot use") as failure:
        await embedder.embed(["bread"])
    assert "models verify" in failure.value.hint


async def test_a_model_of_other_dimensions_than_installed_is_refused(pool: Pool, tmp_path: Path) -> None:
    wrong = InstalledModel(replace(SPEC, dimensions=32), bert_gguf(tmp_path), Digest("0" * 64))
    with pytest.raises(ModelUnusable, match="has 64 dimensions instead of 32"):
        await pool(of=wrong).embed(["bread"])


async def test_a_cancelled_call_is_forgotten_and_the_pool_goes_on(pool: Pool) -> None:
    embedder = pool(workers=1)
    await embedder.embed(["ready"])
    work = asyncio.create_task(embedder.embed([f"{i} {LONG}" for i in range(500)]))
    await until(lambda: bool(embedder._passages))
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not embedder._passages
    assert (await embedder.embed(["bread"])).vectors.any()
    assert embedder.deaths == 0


async def test_idle_workers_leave_and_come_back(pool: Pool) -> None:
    embedder, others = pool(workers=1, unload_after_s=1), workers_of_this_process()
    await embedder.embed(["bread"])
    await until(lambda: embedder.pids == ())
    await until(lambda: workers_of_this_process() <= others)
    assert (await embedder.embed(["bread"])).vectors.any()
    assert embedder.starts == 2


async def test_closing_while_busy_ends_every_worker_and_refuses_the_callers(pool: Pool) -> None:
    embedder = pool(workers=2)
    work = asyncio.create_task(embedder.embed([f"{i} {LONG}" for i in range(500)]))
    await until(lambda: len(embedder.pids) == 2)
    pids = embedder.pids
    await embedder.close()
    assert [pid for pid in pids if exists(pid)] == []
    with pytest.raises(ModelUnusable, match="are stopping"):
        await work
    with pytest.raises(ModelUnusable, match="are stopped"):
        await embedder.embed(["bread"])


async def test_closing_while_starting_leaves_no_process(pool: Pool) -> None:
    embedder, others = pool(workers=2), workers_of_this_process()
    work = asyncio.create_task(embedder.embed([LONG] * 4))
    await until(lambda: not workers_of_this_process() <= others)
    await embedder.close()
    assert workers_of_this_process() <= others
    with pytest.raises(ModelUnusable):
        await work


PARENT = """
import asyncio, signal, sys
from pathlib import Path
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.embedder import Embedder, Embeddings, Group, RejectedText, Worker
from bridge.models.folder import find_model as find
# What runs the tests may have had itself started with this ignored, and that is passed on.
signal.signal(signal.SIGINT, signal.default_int_handler)
async def main():
    embedder = Embedder(find(Path(sys.argv[1]), DEFAULT_MODEL), 1, 600)
    await embedder.embed(["bread"])
    print(embedder.pids[0], flush=True)
    await asyncio.sleep(600)
asyncio.run(main())
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_worker_leaves_when_its_bridge_is_gone(models_dir: Path, end: signal.Signals) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(models_dir)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.send_signal(end)
    asyncio.run(until(lambda: not exists(pid)))


async def test_a_folder_with_python_files_does_not_lead_a_worker_astray(
    pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("json", "struct", "numpy", "llama_cpp", "bridge"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('led astray')")
    monkeypatch.chdir(tmp_path)
    assert (await pool().embed(["bread"])).vectors.any()
