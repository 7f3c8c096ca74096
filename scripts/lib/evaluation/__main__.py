"""`scripts/eval`: every set, each retriever and fused, against the floor; a table, and JSON with `--json`.

The exit status is 1 where a set falls by more than .002 from the committed figures (`figures.json`).
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs

from bridge.data_folder import default_models_dir
from bridge.models.catalogue import DEFAULT_MODEL
from bridge.models.embedder import Embedder
from scripts.lib.evaluation.answerable import print_answerable
from scripts.lib.evaluation.chat_answers import print_chat_answers
from scripts.lib.evaluation.chats import print_chats, print_sessions
from scripts.lib.evaluation.figures import print_changes
from scripts.lib.evaluation.indexing import open_embedder, open_index
from scripts.lib.evaluation.linked import print_rediscovery
from scripts.lib.evaluation.memory import print_memory
from scripts.lib.evaluation.metrics import NAMES, bootstrap, scores
from scripts.lib.evaluation.mistyped import print_mistyped
from scripts.lib.evaluation.packed import print_packed
from scripts.lib.evaluation.plain import print_plain
from scripts.lib.evaluation.quality_table import write_table
from scripts.lib.evaluation.quoted import print_quoted
from scripts.lib.evaluation.sets import JudgedSet, find_sets, read_set
from scripts.lib.evaluation.summaries import print_summaries
from scripts.lib.evaluation.systems import Bench, System
from scripts.lib.evaluation.topics import print_topics
from scripts.lib.evaluation.walked import print_walks

BESIDE = Path(__file__).resolve().parents[3].parent / "shared" / "eval"


def main() -> int:
    """Measure and print; the exit status says whether there was anything to measure."""
    options = _options()
    if options.links:
        return print_rediscovery(options.data)
    if options.memory:
        return asyncio.run(_measure_memory(options))
    if options.summaries:
        return print_summaries(options.data)
    if options.topics:
        return asyncio.run(print_topics(options.data, options.models_dir, use_model=not options.no_model))
    folder = options.data / "retrieval"
    folders = find_sets(folder, options.set)
    report = _report(options, folders)
    absent = {*(options.set or ())} - {one.name for one in folders}
    if absent or not (folders or options.graph or options.plain):
        named = f"no judged set `{'`, `'.join(sorted(absent))}`" if absent else "no judged set"
        print(f"There is {named} in {folder}; give the folder of the data with --data.", file=sys.stderr)
        return 2
    asyncio.run(_with_model(options, report))
    return int(options.fell)


def _report(options: argparse.Namespace, folders: Sequence[Path]) -> Callable[[Embedder | None], Awaitable[None]]:
    """Return what is measured with the model: what an option names, or else every mode of search."""
    if options.graph:
        return lambda model: print_walks(options.data, options.cache, model)
    if options.plain:
        return lambda model: print_plain(options.data, options.cache, model)
    if options.ask:
        return lambda model: print_chat_answers(folders, options.limit, options.cache, model, options.ask)
    reports = {
        "mistyped": print_mistyped,
        "pack": print_packed,
        "quotes": print_quoted,
        "answerable": print_answerable,
    }
    for name, print_report in reports.items():
        if getattr(options, name):
            return partial(print_report, folders, options.limit, options.cache)
    return partial(_print_modes, options, folders)


def _options() -> argparse.Namespace:
    cache = platformdirs.user_cache_path("vaultside", appauthor=False) / "evaluation"
    parser = argparse.ArgumentParser(prog="scripts/eval", description=__doc__)
    parser.add_argument("--set", action="append", metavar="NAME", help="only this set; may be repeated")
    parser.add_argument(
        "--documents", metavar="NAME", help="search the documents of this set, of the same ids in another language"
    )
    parser.add_argument("--limit", type=int, help="only so many queries of each set, evenly spread")
    parser.add_argument("--no-retrievers", action="store_true", help="only the floor and the three modes")
    parser.add_argument("--no-model", action="store_true", help="only what needs no model")
    parser.add_argument("--links", action="store_true", help="take the links of real vaults away and ask for them back")
    parser.add_argument("--plain", action="store_true", help="questions as people type them: ranks in each mode")
    parser.add_argument("--mistyped", action="store_true", help="what a wrong letter in each long word costs")
    parser.add_argument(
        "--pack", action="store_true", help="how often packed context holds all that answers a question"
    )
    parser.add_argument("--quotes", action="store_true", help="how often three quoted sentences hold the answer")
    parser.add_argument(
        "--answerable",
        action="store_true",
        help="how well questions that no note answers are told, with fitted weights",
    )
    parser.add_argument("--ask", type=Path, metavar="MODEL.gguf", help="what this chat model answers, and how fast")
    parser.add_argument("--summaries", action="store_true", help="extracts beside the descriptions of real notes")
    parser.add_argument("--topics", action="store_true", help="hide the topics of real notes and suggest them again")
    parser.add_argument("--graph", action="store_true", help="what following links adds, for several weights")
    parser.add_argument("--memory", action="store_true", help="what is found again of beliefs, chats and sessions")
    parser.add_argument("--keep", action="store_true", help="take these figures as those that may not fall")
    parser.set_defaults(fell=False)
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    parser.add_argument("--cache", type=Path, default=cache, help="where indexes are kept (%(default)s)")
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("VAULTSIDE_EVAL", BESIDE)))
    parser.add_argument("--models-dir", type=Path, default=default_models_dir())
    parser.add_argument("--model", default=DEFAULT_MODEL, help="id of the embedding model (%(default)s)")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    return parser.parse_args()


async def _measure_memory(options: argparse.Namespace) -> int:
    """Measure beliefs, the turns of chats and the sessions of conversations; return 2 if none are there."""
    beliefs, chats = options.data / "memory" / "precision", options.data / "memory" / "beam-100k"
    sessions = options.data / "retrieval" / "locomo"

    async def print_found(embedder: Embedder | None) -> None:
        if chats.is_dir():
            await print_chats(chats, options.cache, embedder)
        if sessions.is_dir():
            await print_sessions(sessions, options.limit, options.cache, embedder)

    if beliefs.is_dir():
        await print_memory(beliefs, options.models_dir)
    await _with_model(options, print_found)
    absent = [folder for folder in (beliefs, chats, sessions) if not folder.is_dir()]
    for folder in absent:
        print(f"There is no {folder}; give the folder of the data with --data.", file=sys.stderr)
    return 2 if len(absent) == 3 else 0


async def _print_modes(options: argparse.Namespace, folders: Sequence[Path], embedder: Embedder | None) -> None:
    """Measure each set in turn, and write the figures to a file if one is named."""
    if embedder is None:
        print("No model: only keyword search is measured.", file=sys.stderr)
    report: dict[str, Any] = {}
    for folder in folders:
        judged = read_set(folder, options.limit)
        if options.documents:
            other = read_set(folder.parent / options.documents)
            judged = replace(other, name=f"{judged.name} in {other.name}", questions=judged.questions)
        report[judged.name] = await _measure_set(judged, options, embedder)
    options.fell = print_changes(report, options.model, keep=options.keep)
    if options.keep:
        write_table()
    if options.json is not None:
        text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
        await asyncio.to_thread(options.json.write_text, text, encoding="utf-8")


async def _with_model(options: argparse.Namespace, measure: Callable[[Embedder | None], Awaitable[None]]) -> None:
    """Measure with the model if there is one, and close it."""
    embedder = None if options.no_model else open_embedder(options.models_dir, options.model, options.workers)
    try:
        await measure(embedder)
    finally:
        if embedder is not None:
            await embedder.close()


async def _measure_set(judged: JudgedSet, options: argparse.Namespace, embedder: Embedder | None) -> dict[str, Any]:
    """Rank every query with every system, and compare each with the floor, query by query."""
    indexed = await open_index(judged, options.cache, embedder)
    try:
        bench = Bench(judged, indexed, embedder)
        values = {
            name: await _ask(judged, system)
            for name, system in bench.systems(retrievers=not options.no_retrievers).items()
        }
    finally:
        await indexed.index.close()
    print(f"\n{judged.name}: {len(judged.documents):,} documents, {len(judged.questions):,} queries")
    print(f"  {'':10}" + "".join(f"{name:>9}" for name in NAMES) + f"{'p50 ms':>9}   nDCG@10 against fts5 (95 %)")
    result = {name: _summary(name, rows, values["fts5"]) for name, rows in values.items()}
    if any(question.category for question in judged.questions):
        result["by category"] = _by_category(judged, values)
    return result


async def _ask(judged: JudgedSet, system: System) -> list[dict[str, float]]:
    rows = []
    for question in judged.questions:
        start = time.perf_counter()
        ranking = await system(question)
        took = (time.perf_counter() - start) * 1000
        rows.append({**scores(ranking, question.relevant), "ms": took})
    return rows


def _summary(name: str, rows: Sequence[Mapping[str, float]], floor: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Print one system's line and return its figures with their intervals."""
    means = {metric: bootstrap([row[metric] for row in rows]) for metric in NAMES}
    gains = {
        metric: bootstrap([row[metric] - low[metric] for row, low in zip(rows, floor, strict=True)]) for metric in NAMES
    }
    middle = sorted(row["ms"] for row in rows)[len(rows) // 2]
    gain = gains["nDCG@10"]
    print(
        f"  {name:10}"
        + "".join(f"{means[metric].mean:9.4f}" for metric in NAMES)
        + f"{middle:9.1f}   {gain.mean:+.4f} ({gain.low:+.4f} … {gain.high:+.4f})"
    )
    return {
        "queries": len(rows),
        "p50_ms": round(middle, 2),
        **{
            metric: {
                "mean": round(means[metric].mean, 4),
                "interval": [round(means[metric].low, 4), round(means[metric].high, 4)],
                "over_fts5": round(gains[metric].mean, 4),
                "over_fts5_interval": [round(gains[metric].low, 4), round(gains[metric].high, 4)],
            }
            for metric in NAMES
        },
    }


def _by_category(
    judged: JudgedSet, values: Mapping[str, Sequence[Mapping[str, float]]]
) -> dict[str, dict[str, dict[str, float]]]:
    """Print and return each category's means for the floor and the modes."""
    found: dict[str, dict[str, dict[str, float]]] = defaultdict(dict)
    categories = dict.fromkeys(question.category for question in judged.questions)
    for category in categories:
        places = [place for place, question in enumerate(judged.questions) if question.category == category]
        line = f"    {category[:24]:24} {len(places):4}"
        for name in ("fts5", "keyword", "semantic", "hybrid"):
            if name in values:
                means = {metric: sum(values[name][place][metric] for place in places) / len(places) for metric in NAMES}
                found[category][name] = {metric: round(mean, 4) for metric, mean in means.items()}
                line += f"  {name} {means['nDCG@5']:.3f}/{means['R@10']:.3f}"
        print(line + ("  (nDCG@5/R@10)" if category == next(iter(categories)) else ""))
    return dict(found)


if __name__ == "__main__":
    raise SystemExit(main())
