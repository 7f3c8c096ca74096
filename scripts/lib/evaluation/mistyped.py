"""Measures questions with a typo in each long word, and the loss."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from bridge.models.embedder import Embedder
from scripts.lib.evaluation.indexing import open_index
from scripts.lib.evaluation.metrics import bootstrap, scores
from scripts.lib.evaluation.sets import JudgedSet, Question, read_set
from scripts.lib.evaluation.systems import Bench

LONG: Final = 6
"""Letters from which a word gets a typo."""

_WORD: Final = re.compile(rf"[a-z\u00c0-\u024f]{{{LONG},}}", re.IGNORECASE)
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


async def print_mistyped(folders: Sequence[Path], limit: int | None, cache: Path, embedder: Embedder | None) -> None:
    """Print for each set the scores of its questions as they are and with typos, and the paired loss.

    Args:
        folders: The judged sets.
        limit: Most questions of each.
        cache: The folder of indexes.
        embedder: The model, if there is one.
    """
    mode = "keyword" if embedder is None else "hybrid"
    for folder in folders:
        judged = read_set(folder, limit)
        indexed = await open_index(judged, cache, embedder)
        rank = Bench(judged, indexed, embedder).systems(retrievers=False)[mode]
        meant = {question.id: question for question in judged.questions}
        try:
            pairs = [
                [scores(await rank(one), one.relevant)["nDCG@10"] for one in (meant[typed.id], typed)]
                for typed in mistype(judged).questions
            ]
        finally:
            await indexed.index.close()
        loss = bootstrap([typed - as_meant for as_meant, typed in pairs])
        means = [sum(pair[at] for pair in pairs) / max(1, len(pairs)) for at in (0, 1)]
        print(
            f"{judged.name:22} {len(pairs):5} questions  {mode} nDCG@10 {means[0]:.4f}  mistyped {means[1]:.4f}"
            f"  {loss.mean:+.4f} ({loss.low:+.4f} … {loss.high:+.4f})"
        )


def mistype(judged: JudgedSet) -> JudgedSet:
    """Return the set with typos in its questions, the same at each call; questions without a long word are left out."""
    questions = tuple(
        replace(question, text=text) for question in judged.questions if (text := _add_typos(question)) != question.text
    )
    return replace(judged, questions=questions)


def _add_typos(question: Question) -> str:
    chance = random.Random(question.id)

    def slip(match: re.Match[str]) -> str:
        word = match.group()
        # The first letter is hardly ever wrong.
        at = chance.randrange(1, len(word) - 1)
        match chance.randrange(4):
            case 0:
                return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            case 1:
                return word[:at] + word[at + 1 :]
            case 2:
                return word[:at] + word[at] + word[at:]
            case _:
                return word[:at] + chance.choice(_LETTERS) + word[at + 1 :]

    return _WORD.sub(slip, question.text)
