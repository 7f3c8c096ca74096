"""`scripts/eval --memory`: how much is found of the turns of chats, and of the sessions of conversations.

BEAM names the turns that hold the evidence of each question, those that say what is out of date, and those that correct
it. A question concerns its own chat only.
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bridge.models.embedder import Embedder
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.types import SearchMode, VaultPath
from scripts.lib.evaluation.comparison import print_comparison
from scripts.lib.evaluation.floor import Fts5Baseline
from scripts.lib.evaluation.indexing import IndexedSet, open_index
from scripts.lib.evaluation.metrics import scores
from scripts.lib.evaluation.sets import JudgedSet, Question, read_set
from scripts.lib.evaluation.systems import DEPTH, Bench

FIRST_TURN: Final = 1_700_000_000
"""When the file of the first turn was saved, in seconds; each later one a minute after the one before."""


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """A question about one chat.

    Attributes:
        chat: The id of the chat.
        text: The question.
        category: What it asks for.
        evidence: The turns that answer it.
        outdated: Those of them that no longer hold.
        updated: Those that correct these.
    """

    chat: str
    text: str
    category: str
    evidence: frozenset[str]
    outdated: frozenset[str]
    updated: frozenset[str]


async def print_chats(folder: Path, cache: Path, embedder: Embedder | None) -> None:
    """Print how much of the evidence is among the first ten turns, by category, and in which order.

    Args:
        folder: The folder of `corpus.jsonl` and `queries.jsonl`.
        cache: The folder of indexes.
        embedder: The model, if there is one.
    """
    turns = _read_rows(folder / "corpus.jsonl")
    questions = read_questions(folder / "queries.jsonl")
    judged = JudgedSet(folder.name, folder, (), tuple((row["id"], "", row["text"]) for row in turns))
    indexed = await open_index(judged, cache, embedder, write_turns)
    try:
        rankings = await rank_turns(turns, questions, Bench(judged, indexed, embedder), indexed)
    finally:
        await indexed.index.close()
    print(f"\n{folder.name}: {len(turns):,} turns, {len(questions):,} questions with evidence")
    shares = {name: [share_found(*pair) for pair in zip(questions, own, strict=True)] for name, own in rankings.items()}
    print_comparison([question.category for question in questions], shares)
    for label, judge in (("updated before outdated", is_updated_first), ("both sides of a contradiction", has_all)):
        line = f"  {label:32}"
        for name, own in rankings.items():
            judgements = [judge(*pair) for pair in zip(questions, own, strict=True)]
            counted = [judgement for judgement in judgements if judgement is not None]
            line += f"  {name} {sum(counted)} of {len(counted)}"
        print(line)


async def print_sessions(folder: Path, limit: int | None, cache: Path, embedder: Embedder | None) -> None:
    """Print the share of the sessions with evidence among the first ten, by category.

    Args:
        folder: The judged set, LoCoMo.
        limit: Most questions.
        cache: The folder of indexes.
        embedder: The model, if there is one.
    """
    judged = read_set(folder, limit)
    indexed = await open_index(judged, cache, embedder)
    try:
        systems = Bench(judged, indexed, embedder).systems(retrievers=False)
        shares = {
            name: [scores(await rank(question), question.relevant)[f"R@{DEPTH}"] for question in judged.questions]
            for name, rank in systems.items()
        }
    finally:
        await indexed.index.close()
    print(f"\n{judged.name}: {len(judged.documents):,} sessions, {len(judged.questions):,} questions")
    print_comparison([question.category for question in judged.questions], shares)


def read_questions(path: Path) -> list[ChatQuestion]:
    """Read the questions that some turn answers."""
    return [
        ChatQuestion(
            row["scope"],
            row["text"],
            row["category"],
            frozenset(row["evidence"]),
            frozenset(row.get("outdated", ())),
            frozenset(row.get("updated", ())),
        )
        for row in _read_rows(path)
        if row["evidence"]
    ]


def write_turns(judged: JudgedSet, out: Path) -> dict[VaultPath, str]:
    """Write each turn as a note in the folder of its chat, saved in their order; return the turn of each note."""
    (out / ".obsidian").mkdir(parents=True)
    found: dict[VaultPath, str] = {}
    for place, (id_, _, text) in enumerate(judged.documents):
        chat, _, number = id_.partition("-")
        path = VaultPath(f"{chat_folder(chat)}/Turn {int(number):04}.md")
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, encoding="utf-8")
        os.utime(out / path, (FIRST_TURN + 60 * place,) * 2)
        found[path] = id_
    return found


def chat_folder(chat: str) -> str:
    """Return the folder of a chat's turns."""
    return f"Chats/{chat}"


async def rank_turns(
    turns: Sequence[Mapping[str, Any]], questions: Sequence[ChatQuestion], bench: Bench, indexed: IndexedSet
) -> dict[str, list[list[str]]]:
    """Return for each system the first turns that it finds for each question, the floor first."""
    floors = {
        chat: Fts5Baseline(
            JudgedSet(chat, Path(), (), tuple((row["id"], "", row["text"]) for row in turns if row["scope"] == chat)),
            stems=True,
        )
        for chat in {question.chat for question in questions}
    }
    asked = [Question("", question.text, "", {}) for question in questions]
    ranked = {"fts5": [floors[one.chat].rank(question, DEPTH) for one, question in zip(questions, asked, strict=True)]}
    modes: tuple[SearchMode, ...] = ("keyword",) if bench.embedder is None else ("keyword", "semantic", "hybrid")
    for mode in modes:
        ranked[mode] = []
        for question in questions:
            request = SearchRequest(question.text, limit=DEPTH, mode=mode, folder=chat_folder(question.chat))
            answer = await search(bench.sources(), request)
            ranked[mode].append([indexed.document_of[hit.path] for hit in answer.hits])
    return ranked


def share_found(question: ChatQuestion, ranking: Sequence[str]) -> float:
    """Return the share of the evidence that is ranked."""
    return len(question.evidence.intersection(ranking)) / len(question.evidence)


def is_updated_first(question: ChatQuestion, ranking: Sequence[str]) -> bool | None:
    """Return whether what holds now is ranked before what does not; None if the question has no such turns."""
    if not question.outdated:
        return None
    first = next((turn for turn in ranking if turn in question.updated | question.outdated), None)
    return first in question.updated


def has_all(question: ChatQuestion, ranking: Sequence[str]) -> bool | None:
    """Return whether all statements of a contradiction are ranked; None for other questions."""
    return question.evidence <= set(ranking) if question.category == "contradiction_resolution" else None


def _read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
