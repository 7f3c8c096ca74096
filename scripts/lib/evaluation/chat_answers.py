"""Measures what a chat model of the user's answers to judged questions: `scripts/eval --ask MODEL.gguf`."""

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from bridge.features.answers.prompt import Source, answer_grammar, is_absent, write_prompt
from bridge.features.answers.write import check_sentences
from bridge.markdown.note import Note
from bridge.models.embedder import Embedder
from bridge.models.generator import AnswerEnd, AnswerPiece, ChatRequest, Generator, PromptTooLong
from bridge.search.excerpts import cut_excerpts
from bridge.search.model import SearchRequest
from bridge.search.pack import pack
from bridge.search.pipeline import search
from bridge.text.fold import fold_word
from bridge.types import VaultPath
from scripts.lib.evaluation.indexing import IndexedSet, open_index
from scripts.lib.evaluation.metrics import bootstrap
from scripts.lib.evaluation.packed import read_notes
from scripts.lib.evaluation.sets import Question, read_set
from scripts.lib.evaluation.systems import Bench

WINDOW: Final = 4_096
BUDGET: Final = 1_200
NOTES: Final = 12
ANSWER_TOKENS: Final = 320


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one answer was worth; None where that does not apply."""

    says_the_answer: float | None
    declines: float
    supported_sentences: float | None
    right_citations: float | None
    first_s: float
    whole_s: float


async def print_chat_answers(
    folders: Sequence[Path], limit: int | None, cache: Path, embedder: Embedder | None, model: Path
) -> None:
    """Print for each set how often a model's answers say the judged answer and cite the right notes, and its speed.

    Args:
        folders: The judged sets.
        limit: Most questions of each.
        cache: The folder of indexes.
        embedder: The embedding model, if there is one.
        model: The GGUF file of the chat model.
    """
    generator = Generator(model, window=WINDOW, threads=os.cpu_count() or 1)
    try:
        for folder in folders:
            judged = read_set(folder, limit)
            notes = read_notes(judged)
            indexed = await open_index(judged, cache, embedder)
            sources = Bench(judged, indexed, embedder).sources()
            try:
                found = []
                for question in judged.questions:
                    hits = (
                        await search(sources, SearchRequest(question.text, limit=NOTES, passage_tokens=BUDGET))
                    ).hits
                    packed = pack([cut_excerpts(notes[hit.path], hit.score, hit.passages) for hit in hits], BUDGET)
                    chosen = [one for one in packed.items if one.excerpt.form != "outline"]
                    excerpts = [
                        Source(at, one.path, one.excerpt.heading, one.excerpt.lines, one.excerpt.text)
                        for at, one in enumerate(chosen, 1)
                    ]
                    found.append(await _judge(generator, question, excerpts, notes, indexed))
            finally:
                await indexed.index.close()
            print(f"{judged.name}: {len(found)} questions, {model.name}")
            for field in fields(Judgement):
                values = [value for one in found if (value := getattr(one, field.name)) is not None]
                mean = bootstrap(values)
                print(f"  {field.name.replace('_', ' '):22} {mean.mean:7.3f} ({mean.low:.3f} … {mean.high:.3f})")
    finally:
        await generator.close()


async def _judge(
    generator: Generator,
    question: Question,
    excerpts: Sequence[Source],
    notes: Mapping[VaultPath, Note],
    indexed: IndexedSet,
) -> Judgement:
    """Ask one question, with fewer excerpts if the model's window is too small for all."""
    begun = time.perf_counter()
    first, text = 0.0, ""
    request = ChatRequest(
        write_prompt(question.text, excerpts),
        most=ANSWER_TOKENS,
        grammar=answer_grammar(question.text, [one.number for one in excerpts]),
    )
    try:
        async for event in generator.generate(request):
            match event:
                case AnswerPiece(text=piece, is_thinking=False):
                    first = first or time.perf_counter() - begun
                    text += piece
                case AnswerEnd():
                    break
    except PromptTooLong:
        if len(excerpts) < 2:
            raise
        return await _judge(generator, question, excerpts[: len(excerpts) // 2], notes, indexed)
    sentences = [] if is_absent(text) else check_sentences(text, excerpts, notes)
    cited = [indexed.document_of[source.path] in question.relevant for one in sentences for source in one.cites]
    return Judgement(
        float(fold_word(question.answer) in fold_word(text)) if question.answer else None,
        float(is_absent(text)),
        _mean([one.supported for one in sentences]),
        _mean(cited),
        first,
        time.perf_counter() - begun,
    )


def _mean(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None
