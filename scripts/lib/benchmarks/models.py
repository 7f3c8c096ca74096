"""Measures how fast texts become vectors: the bridge's workers against `Llama.embed` with its defaults, in one run."""

import asyncio
import contextlib
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import psutil

from bridge.data_folder import default_models_dir
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.embedder import Embedder
from bridge.models.folder import InstalledModel, find_model

_SENTENCES = (
    "The dough rises slowly in a warm kitchen while the oven heats.",
    "Every note links to the one it came from, so that nothing is lost.",
    "In March the committee met twice and wrote down what it had decided.",
    "A river that floods each spring leaves good soil on the fields around it.",
    "She kept three lists: what to buy, whom to call, and what to forget.",
)


@dataclass(frozen=True, slots=True)
class Rate:
    """The throughput of one way of embedding."""

    texts: int
    tokens: int
    seconds: float
    cpu_seconds: float

    @property
    def per_second(self) -> float:
        """Tokens per second."""
        return self.tokens / self.seconds

    @property
    def per_cpu_second(self) -> float:
        """Tokens per second of processor time."""
        return self.tokens / self.cpu_seconds


def passages(count: int) -> list[str]:
    """Return passages of about 170 tokens, all different."""
    return [" ".join(f"{_SENTENCES[(i + k) % 5]} ({i})" for k in range(9)) for i in range(count)]


def defaults_rate(model: InstalledModel, texts: Sequence[str]) -> Rate:
    """Embed one text after the other with `Llama.embed` and its defaults."""
    with _silence():
        from llama_cpp import Llama

        llama = Llama(str(model.path), embedding=True, verbose=False)
    llama.embed(texts[0])
    began, cpu = time.perf_counter(), time.process_time()
    tokens = sum(llama.embed(text, return_count=True)[1] for text in texts)
    return Rate(len(texts), tokens, time.perf_counter() - began, time.process_time() - cpu)


async def workers_rate(model: InstalledModel, texts: Sequence[str], workers: int) -> Rate:
    """Embed all texts with the bridge's pool, whose processes are loaded beforehand."""
    pool = Embedder(model, workers, 600)
    try:
        await pool.embed(texts[: 2 * workers])
        cpu, began = _cpu(pool), time.perf_counter()
        found = await pool.embed(texts)
        seconds = time.perf_counter() - began
        return Rate(len(texts), sum(found.tokens), seconds, _cpu(pool) - cpu)
    finally:
        await pool.close()


async def query_times(model: InstalledModel, count: int, workers: int, *, busy: bool) -> list[float]:
    """Return the sorted seconds of single queries; `busy` while passages are being embedded."""
    pool = Embedder(model, workers, 600)
    try:
        await pool.embed(passages(2 * workers))
        load = asyncio.create_task(pool.embed(passages(10_000))) if busy else None
        times = []
        for i in range(count):
            began = time.perf_counter()
            await pool.embed([f"how to bake bread, part {i}"], query=True)
            times.append(time.perf_counter() - began)
            await asyncio.sleep(0.02)
        if load is not None:
            load.cancel()
        return sorted(times)
    finally:
        await pool.close()


async def worker_memory(model: InstalledModel) -> int:
    """Return the resident bytes of one worker that has embedded passages, including shared weights."""
    pool = Embedder(model, 1, 600)
    try:
        await pool.embed(passages(4))
        return max(int(psutil.Process(pid).memory_info().rss) for pid in pool.pids)
    finally:
        await pool.close()


def measure(model: InstalledModel, count: int = 60) -> dict[str, object]:
    """Return every figure of this file."""
    texts = passages(count)
    defaults = defaults_rate(model, texts)
    one = asyncio.run(workers_rate(model, texts, 1))
    two = asyncio.run(workers_rate(model, texts, 2))
    idle = asyncio.run(query_times(model, 40, 2, busy=False))
    busy = asyncio.run(query_times(model, 40, 2, busy=True))
    return {
        "defaults": asdict(defaults),
        "one_worker": asdict(one),
        "two_workers": asdict(two),
        "tokens_per_cpu_second": round(one.per_cpu_second),
        "ratio_to_defaults": round(one.per_cpu_second / defaults.per_cpu_second, 2),
        "two_workers_to_one": round(two.per_second / one.per_second, 2),
        "query_ms_p50_p95": [round(1000 * idle[20], 1), round(1000 * idle[38], 1)],
        "query_while_indexing_ms_p50_p95": [round(1000 * busy[20], 1), round(1000 * busy[38], 1)],
        "worker_memory_mb": round(asyncio.run(worker_memory(model)) / 1e6),
    }


def _cpu(pool: Embedder) -> float:
    times = [psutil.Process(pid).cpu_times() for pid in pool.pids]
    return float(sum(t.user + t.system for t in times))


@contextlib.contextmanager
def _silence():  # type: ignore[no-untyped-def] # noqa: ANN202
    keep, null = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 2)
    try:
        yield
    finally:
        os.dup2(keep, 2)
        os.close(null)


if __name__ == "__main__":
    json.dump(measure(find_model(default_models_dir(), DEFAULT_MODEL)), sys.stdout, indent=1)
