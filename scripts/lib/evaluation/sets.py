"""Reads a judged set, and writes its documents as a vault."""

import importlib.util
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from bridge.types import VaultPath


def find_sets(folder: Path, names: Sequence[str] | None = None) -> list[Path]:
    """Return the folders of the judged sets in a folder, or of those with these names."""
    found = sorted(one.parent for one in folder.glob("*/qrels.tsv"))
    return found if names is None else [one for one in found if one.name in names]


@dataclass(frozen=True, slots=True)
class Question:
    """A query and the documents that answer it, by id and grade."""

    id: str
    text: str
    category: str
    relevant: Mapping[str, float]
    answer: str = ""


@dataclass(frozen=True, slots=True)
class JudgedSet:
    """Documents, queries and judgements."""

    name: str
    folder: Path
    questions: tuple[Question, ...]
    documents: tuple[tuple[str, str, str], ...] = field(repr=False)
    """Id, title and text of each."""


def read_set(folder: Path, limit: int | None = None) -> JudgedSet:
    """Read a set; queries without a judgement are left out.

    Args:
        folder: The folder of `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`.
        limit: Most queries to take, spread evenly over the set.
    """
    relevant: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines():
        query, document, grade = line.split("\t")
        relevant.setdefault(query, {})[document] = float(grade)
    questions = [
        Question(
            str(row["id"]),
            str(row["text"]),
            str(row.get("cat", "")),
            relevant[str(row["id"])],
            str(row.get("answer") or ""),
        )
        for row in _rows(folder / "queries.jsonl")
        if str(row["id"]) in relevant
    ]
    if limit is not None and limit < len(questions):
        questions = [questions[number * len(questions) // limit] for number in range(limit)]
    documents = tuple(
        (str(row["id"]), str(row.get("title") or ""), str(row["text"])) for row in _rows(folder / "corpus.jsonl")
    )
    return JudgedSet(folder.name, folder, tuple(questions), documents)


def write_vault(judged: JudgedSet, out: Path) -> dict[VaultPath, str]:
    """Write the documents as notes with the data's own script; return the document of each note."""
    script = judged.folder.parent.parent / "write_corpus.py"
    spec = importlib.util.spec_from_file_location("write_corpus", script)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    write = cast("Callable[[Path, Path], dict[str, str]]", module.write_corpus)
    return {VaultPath(path): document for path, document in write(judged.folder, out).items()}


def _rows(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
