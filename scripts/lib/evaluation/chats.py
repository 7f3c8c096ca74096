"""`scripts/eval --memory`: how much is found of the turns of chats, and of the sessions of conversations.

BEAM names the turns that hold the evidence of each question, those that say what is out of date, and those that correct
it. A chat is one note with a line for each turn, as in a journal, and a question concerns its own chat only.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bridge.markdown.documents import read_document
from bridge.models.embedder import Embedder
from bridge.search.block_search import search_blocks
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.types import BlockOrder, SearchMode, VaultPath
from scripts.lib.evaluation.answerable import auroc
from scripts.lib.evaluation.comparison import print_comparison
from scripts.lib.evaluation.floor import Fts5Baseline
from scripts.lib.evaluation.indexing import open_index
from scripts.lib.evaluation.metrics import scores
from scripts.lib.evaluation.packed import BUDGETS, NOTES, pack_found
from scripts.lib.evaluation.sets import JudgedSet, Question, read_set
from scripts.lib.evaluation.systems import DEPTH, Bench

MEASURES: Final = (f"R@{DEPTH}", f"nDCG@{DEPTH}")

ABSTENTION: Final = "abstention"
"""The category of the questions that no turn answers."""

TUNED_ON: Final = 4
"""The ids of the chats with which the constants of `search_blocks` were chosen are multiples of it."""


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


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat as a note.

    Attributes:
        path: Its path.
        text: Its Markdown: a heading for each day that is known, and an item of one line for each turn.
        turns: The id of the turn at each line.
    """

    path: VaultPath
    text: str
    turns: Mapping[int, str]


async def print_chats(folder: Path, cache: Path, embedder: Embedder | None) -> None:
    """Print how much of the evidence is among the first ten blocks, by category, and in which order.

    Args:
        folder: The folder of `corpus.jsonl` and `queries.jsonl`.
        cache: The folder of indexes.
        embedder: The model, if there is one.
    """
    turns = _read_rows(folder / "corpus.jsonl")
    every = read_questions(folder / "queries.jsonl")
    questions = [question for question in every if question.evidence]
    chats = write_chats(turns)
    judged = JudgedSet(folder.name, folder, (), ())
    indexed = await open_index(judged, cache, embedder, lambda _, out: _write_vault(chats, out))
    try:
        bench = Bench(judged, indexed, embedder)
        rankings = await rank_turns(turns, questions, bench, chats)
        confidences = await judge_answerable(every, bench, chats)
        packed = await pack_turns(turns, questions, bench, chats)
    finally:
        await indexed.index.close()
    print(f"\n{folder.name}: {len(turns):,} turns, {len(questions):,} questions with evidence")
    shares = {name: [share_found(*pair) for pair in zip(questions, own, strict=True)] for name, own in rankings.items()}
    print_comparison([question.category for question in questions], shares)
    shown = "  ".join(f"{budget:,}: {share:.3f}" for budget, share in packed.items())
    print(f"  evidence packed whole within tokens  {shown}")
    for label, is_tuned in (("chats for tuning", True), ("other chats", False)):
        places = [at for at, one in enumerate(questions) if (int(one.chat) % TUNED_ON == 0) is is_tuned]
        for name, own in rankings.items() if places else ():
            print(f"  {label}, {name:16}{_judge([questions[at] for at in places], [own[at] for at in places])}")
    answerable = np.array([question.category != ABSTENTION for question in every])
    others = int((~answerable).sum())
    print(f"  told from the {others} that no turn answers: AUROC {auroc(confidences, answerable):.3f}")


async def judge_answerable(
    questions: Sequence[ChatQuestion], bench: Bench, chats: Mapping[str, Chat]
) -> NDArray[np.float64]:
    """Return for each question how sure a search is that its chat answers it."""
    sources = bench.sources()
    found = []
    for question in questions:
        answer = await search(sources, SearchRequest(question.text, paths=(chats[question.chat].path,)))
        found.append(answer.answerability.confidence if answer.answerability else 1.0)
    return np.array(found)


def _judge(questions: Sequence[ChatQuestion], rankings: Sequence[Sequence[str]]) -> str:
    """Return the figures of some questions in words."""
    pairs = [*zip(questions, rankings, strict=True)]
    gains = [scores(own, dict.fromkeys(question.evidence, 1.0)) for question, own in pairs]
    line = "  ".join(f"{name} {sum(one[name] for one in gains) / len(gains):.3f}" for name in MEASURES)
    for label, judge in (("updated before outdated", is_updated_first), ("both sides of a contradiction", has_all)):
        counted = [judgement for pair in pairs if (judgement := judge(*pair)) is not None]
        line += f"  {label} {sum(counted)} of {len(counted)}"
    return line


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
    """Read the questions; those of `ABSTENTION` have no evidence."""
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
        if row["evidence"] or row["category"] == ABSTENTION
    ]


def write_chats(turns: Sequence[Mapping[str, Any]]) -> dict[str, Chat]:
    """Write each chat as a note; return the chats by id."""
    lines: dict[str, list[str]] = {}
    ids: dict[str, dict[int, str]] = {}
    for turn in turns:
        own = lines.setdefault(turn["scope"], [])
        if turn.get("date"):
            own += ["", f"## {turn['date']}", ""] if own else [f"## {turn['date']}", ""]
        own.append(f"- {turn['role'].capitalize()}: {' '.join(turn['text'].split())}")
        ids.setdefault(turn["scope"], {})[len(own)] = turn["id"]
    return {id_: Chat(VaultPath(f"Chats/{id_}.md"), "\n".join([*own, ""]), ids[id_]) for id_, own in lines.items()}


def _write_vault(chats: Mapping[str, Chat], out: Path) -> dict[VaultPath, str]:
    """Write chats into a vault; return the id of each."""
    (out / ".obsidian").mkdir(parents=True)
    for chat in chats.values():
        (out / chat.path).parent.mkdir(exist_ok=True)
        (out / chat.path).write_text(chat.text, encoding="utf-8")
    return {chat.path: id_ for id_, chat in chats.items()}


async def rank_turns(
    turns: Sequence[Mapping[str, Any]], questions: Sequence[ChatQuestion], bench: Bench, chats: Mapping[str, Chat]
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
    systems: list[tuple[str, SearchMode, BlockOrder]] = [(mode, mode, "relevance") for mode in modes]
    for name, mode, order in (*systems, (f"{modes[-1]}, latest", modes[-1], "latest")):
        ranked[name] = []
        for question in questions:
            chat = chats[question.chat]
            request = SearchRequest(question.text, limit=DEPTH, mode=mode, paths=(chat.path,), order=order)
            answer = await search_blocks(bench.sources(), request)
            ranked[name].append([chat.turns[hit.lines[0]] for hit in answer.hits if hit.lines[0] in chat.turns])
    return ranked


async def pack_turns(
    turns: Sequence[Mapping[str, Any]], questions: Sequence[ChatQuestion], bench: Bench, chats: Mapping[str, Chat]
) -> dict[int, float]:
    """Return for each budget the share of the evidence that is whole in the context gathered from the chat."""
    notes = {chat.path: read_document(chat.path, chat.text.encode()) for chat in chats.values()}
    said = {turn["id"]: " ".join(turn["text"].split()) for turn in turns}
    mode: SearchMode = "keyword" if bench.embedder is None else "hybrid"
    shares = dict.fromkeys(BUDGETS, 0.0)
    for question in questions:
        for budget in BUDGETS:
            paths = (chats[question.chat].path,)
            request = SearchRequest(question.text, limit=NOTES, mode=mode, paths=paths, passage_tokens=budget)
            packed = await pack_found(bench.sources(), request, notes)
            text = " ".join(" ".join(item.excerpt.text.split()) for item in packed.items)
            whole = sum(said[turn] in text for turn in question.evidence)
            shares[budget] += whole / len(question.evidence) / len(questions)
    return shares


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
