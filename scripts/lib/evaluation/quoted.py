"""Measures how often the sentences quoted for a question hold its answer."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bridge.features.answers.extract import measure_nearness
from bridge.features.answers.quotes import RankedLines, RelevantNote
from bridge.models.embedder import Embedder
from bridge.search.model import SearchRequest
from bridge.search.pipeline import search
from bridge.text.fold import fold_word
from scripts.lib.evaluation.indexing import open_index
from scripts.lib.evaluation.packed import read_notes
from scripts.lib.evaluation.sets import read_set
from scripts.lib.evaluation.systems import Bench

QUOTES: Final = 3
NOTES: Final = 8
PASSAGE_TOKENS: Final = 3_000
_NO_ANSWER: Final = {"yes", "no"}
"""Answers that no sentence says."""


async def print_quoted(folders: Sequence[Path], limit: int | None, cache: Path, embedder: Embedder | None) -> None:
    """Print for each set the share of questions whose answer is in one of three quotes, and in the notes found.

    Args:
        folders: The judged sets.
        limit: Most questions of each.
        cache: The folder of indexes.
        embedder: The model, if there is one.
    """
    for folder in folders:
        judged = read_set(folder, limit)
        asked = [one for one in judged.questions if one.answer and one.answer.lower() not in _NO_ANSWER]
        notes = read_notes(judged)
        indexed = await open_index(judged, cache, embedder)
        sources = Bench(judged, indexed, embedder).sources()
        quoted = there = gold = 0
        took = 0.0
        try:
            for question in asked or judged.questions:
                request = SearchRequest(question.text, limit=NOTES, passage_tokens=PASSAGE_TOKENS)
                hits = (await search(sources, request)).hits
                began = time.process_time()
                found = [RelevantNote(notes[hit.path], hit.score, [one.lines for one in hit.passages]) for hit in hits]
                lines = RankedLines(question.text, [one.ask(question.text) for one in found])
                took += time.process_time() - began
                quotes = lines.choose(QUOTES, await measure_nearness(sources, question.text, lines.texts()))
                gold += any(indexed.document_of[one.sentence.path] in question.relevant for one in quotes)
                if question.answer:
                    answer = fold_word(question.answer)
                    quoted += any(answer in fold_word(one.sentence.text) for one in quotes)
                    there += any(answer in fold_word(one.note.text) for one in found)
        finally:
            await indexed.index.close()
        count = len(asked or judged.questions)
        shares = f"answer quoted {quoted / count:.3f}, in the notes {there / count:.3f}  " if asked else ""
        print(f"{judged.name:22} {count:5} questions  {shares}quotes a right note {gold / count:.3f}")
        print(f"{'':22} {1000 * took / count:.1f} ms of processor time a question")
