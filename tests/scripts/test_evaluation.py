"""The measuring of search, on a judged set small enough to work out by hand."""

import asyncio
import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scripts.lib.evaluation import figures
from scripts.lib.evaluation.chats import ChatQuestion, has_all, is_updated_first, print_chats, share_found
from scripts.lib.evaluation.memory import print_memory
from scripts.lib.evaluation.metrics import Interval, bootstrap, scores
from scripts.lib.evaluation.quality_table import PAGE, page_with_table, quality_table
from scripts.lib.evaluation.sets import read_set

ROOT = Path(__file__).resolve().parents[2]

WRITE_CORPUS = """
import json
def write_corpus(source, out):
    (out / ".obsidian").mkdir(parents=True)
    ids = {}
    for line in (source / "corpus.jsonl").read_text(encoding="utf8").splitlines():
        document = json.loads(line)
        ids[f"{document['title']}.md"] = document["id"]
        (out / f"{document['title']}.md").write_text(document["text"], encoding="utf8")
    return ids
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A judged set."""
    (tmp_path / "write_corpus.py").write_text(WRITE_CORPUS, encoding="utf-8")
    folder = tmp_path / "retrieval" / "cranfield"
    folder.mkdir(parents=True)
    documents = [("1", "Fern", "Ferns like shade."), ("2", "Rye", "Rye bread keeps."), ("3", "Oven", "A stone oven.")]
    rows = [json.dumps({"id": id_, "title": title, "text": text}) for id_, title, text in documents]
    (folder / "corpus.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    queries = [{"id": "a", "text": "shade"}, {"id": "b", "text": "bread", "cat": "food"}, {"id": "c", "text": "stone"}]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)) + "\n", encoding="utf-8")
    (folder / "qrels.tsv").write_text("a\t1\t1\nb\t2\t2\n", encoding="utf-8")
    return tmp_path


def test_gains_are_discounted_by_place_and_shared_by_the_ideal() -> None:
    ranking = ["x", "b", "a"]
    found = scores(ranking, {"a": 2.0, "b": 1.0})
    ideal = 3 + 1 / math.log2(3)
    assert found["nDCG@5"] == pytest.approx((1 / math.log2(3) + 3 / math.log2(4)) / ideal)
    assert found["R@5"] == 1.0
    assert found["MRR"] == 0.5


def test_nothing_found_scores_nothing() -> None:
    assert set(scores([], {"a": 1.0}).values()) == {0.0}


def test_a_bootstrap_of_equal_values_has_no_width_and_is_the_same_each_time() -> None:
    assert bootstrap([0.5, 0.5, 0.5]) == Interval(0.5, 0.5, 0.5)
    assert bootstrap([0.0, 1.0, 0.3]) == bootstrap([0.0, 1.0, 0.3])
    assert bootstrap([]) == Interval(0.0, 0.0, 0.0)


def test_queries_without_a_judgement_are_left_out(data: Path) -> None:
    judged = read_set(data / "retrieval" / "cranfield")
    assert [(question.id, question.category) for question in judged.questions] == [("a", ""), ("b", "food")]
    assert [question.id for question in read_set(data / "retrieval" / "cranfield", 1).questions] == ["a"]


def test_a_set_is_indexed_asked_and_reported(data: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "scripts.lib.evaluation", "--no-model", "--data", str(data)]
    command += ["--cache", str(tmp_path / "cache"), "--json", str(report)]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))["cranfield"]
    assert {"fts5", "passages", "stems", "whole", "names", "keyword", "by category"} == found.keys()
    assert found["keyword"]["nDCG@10"]["mean"] == 1.0
    assert found["fts5"]["queries"] == 2
    assert "cranfield: 3 documents, 2 queries" in done.stdout


@pytest.mark.parametrize("what", [[], ["--memory"]])
def test_without_the_data_it_says_so(tmp_path: Path, what: list[str]) -> None:
    command = [sys.executable, "-m", "scripts.lib.evaluation", "--data", str(tmp_path), "--no-model", *what]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "the folder of the data" in done.stderr


def test_beliefs_are_remembered_and_recalled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "memory" / "precision"
    folder.mkdir(parents=True)
    rye = belief("rye", "Rye needs a sour starter.", aliases=["levain"])
    beliefs = [
        rye,
        belief("spelt", "Spelt does not.", superseded_by="rye"),
        belief("salt", "Salt is added last.", pinned=True),
        belief("honey", "Honey is hidden.", aliases=["levain"], user_id="other"),
    ]
    expected = {"relevantBeliefs": {"shouldOnlyInclude": ["rye"]}, "pinnedFacts": {"mustInclude": ["salt"]}}
    cases = [
        {"caseId": "found", "query": "which levain?", "scope": ["domain:bread"], "expect": expected},
        {"caseId": "wrong", "query": "barley", "scope": ["domain:bread"], "expect": expected},
    ]
    (folder / "beliefs.json").write_text(json.dumps(beliefs))
    (folder / "cases.json").write_text(json.dumps(cases))
    asyncio.run(print_memory(folder, tmp_path / "models"))
    said = capsys.readouterr().out
    assert "even:   1 cases   precision 1.000   recall 1.000   wholly right 1" in said
    assert "odd:   1 cases   precision 1.000   recall 0.500   wholly right 0\n    wrong: lacks rye" in said


def test_turns_that_answer_are_found_in_their_own_chat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turns = [
        ("1-0", "1", "My rye starter is fed with 20 grams."),
        ("1-1", "1", "Bread keeps in linen."),
        ("1-2", "1", "My rye starter is fed with 50 grams now, and my rye starter likes it."),
        ("2-0", "2", "A rye starter of another chat."),
    ]
    rows = [{"id": id_, "scope": chat, "role": "user", "text": text} for id_, chat, text in turns]
    changed = {"evidence": ["1-0", "1-2"], "outdated": ["1-0"], "updated": ["1-2"]}
    questions = [
        {"scope": "1", "category": "knowledge_update", "text": "How is the rye starter fed?", **changed},
        {"scope": "1", "category": "contradiction_resolution", "text": "linen?", "evidence": ["1-0", "1-1"]},
        {"scope": "1", "category": "abstention", "text": "Which oven?", "evidence": []},
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, questions)) + "\n", encoding="utf-8")
    asyncio.run(print_chats(tmp_path, tmp_path / "cache", None))
    said = capsys.readouterr().out
    assert "4 turns, 2 questions with evidence" in said
    assert re.search(r"  all +2 +0\.750 +0\.750 ", said)
    assert re.search(r"  knowledge_update +1 +1\.000 +1\.000 ", said)
    judged = r" +R@10 0\.750  nDCG@10 0\.\d{3}  updated before outdated {} of 1  both sides of a contradiction 0 of 1$"
    assert re.search("  other chats, keyword" + judged.replace("{}", "[01]"), said, re.MULTILINE)
    assert re.search("  other chats, keyword, latest" + judged.replace("{}", "1"), said, re.MULTILINE)
    assert "chats for tuning" not in said


def test_the_order_of_statements_is_judged_by_the_first_of_them() -> None:
    question = ChatQuestion("1", "", "knowledge_update", frozenset("ab"), frozenset("a"), frozenset("b"))
    assert [is_updated_first(question, ranking) for ranking in ("xba", "xab", "b", "a", "x")] == [
        True,
        False,
        True,
        False,
        False,
    ]
    assert is_updated_first(replace(question, outdated=frozenset()), "ab") is None
    assert has_all(question, "ab") is None
    assert has_all(replace(question, category="contradiction_resolution"), "ba") is True
    assert share_found(question, "xb") == 0.5


def belief(id_: str, content: str, **facts: Any) -> dict[str, Any]:
    """Return a belief in the form of PrecisionMemBench."""
    return {
        "_id": id_,
        "user_id": "test-user",
        "type": "entity",
        "canonical_name": id_,
        "aliases": [],
        "content": content,
        "scope": ["domain:bread"],
        "confidence": 1.0,
        "pinned": False,
        "resolved_at": None,
        "superseded_by": None,
        **facts,
    }


def test_the_table_of_the_committed_figures_is_on_the_page() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page_with_table(page) == page
    for name in json.loads(figures.FIGURES.read_text(encoding="utf-8")):
        assert f"\n|{name}|" in page


def test_the_table_has_a_column_for_each_mode_and_model() -> None:
    found = {"nDCG@10": 0.7621, "R@10": 1.0}
    table = quality_table({"bread, 9 queries": {"hybrid, small": found}, "rye, 1 queries": {"keyword": found}})
    assert table.splitlines() == [
        "|set|keyword|hybrid, small|",
        "|---|---|---|",
        "|bread, 9 queries||.762/1.000|",
        "|rye, 1 queries|.762/1.000||",
    ]


def test_a_set_may_not_fall(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(figures, "FIGURES", tmp_path / "figures.json")

    def measured(found: float) -> dict[str, dict[str, object]]:
        means = {metric: {"mean": found} for metric in figures.KEPT}
        return {"cranfield": {"fts5": {"queries": 9}, "keyword": means, "hybrid": means}}

    assert not figures.print_changes(measured(0.5), "small", keep=True)
    assert not figures.print_changes(measured(0.499), "small", keep=False)
    assert figures.print_changes(measured(0.49), "small", keep=False)
    assert "FELL cranfield, 9 queries" in capsys.readouterr().out
    figures.print_changes(measured(0.49), "large", keep=False)
    assert "hybrid" not in capsys.readouterr().out
    assert not figures.print_changes({**measured(0.4), "new": measured(0.1)["cranfield"]}, "small", keep=True)
    assert not figures.print_changes(measured(0.4), "small", keep=False)
