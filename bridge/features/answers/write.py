"""Lets the chat model write an answer from excerpts, and checks each of its sentences against what it cites."""

import contextlib
import time
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from bridge.answers.prompt import Source, Turn, answer_grammar, write_prompt
from bridge.answers.quotes import RelevantNote, choose_quotes
from bridge.answers.support import is_supported, split_statements
from bridge.api.call import Call
from bridge.api.stream import StreamEvent
from bridge.errors import ModelUnusable
from bridge.features.answers.extract import cite_quote
from bridge.features.answers.records import AnswerSentence, Citation
from bridge.features.answers.sources import FoundSources
from bridge.models.chat_process import AnswerEnd, ChatEvent, ChatRequest, Piece, PromptRead, PromptTooLong
from bridge.models.generator import Generator
from bridge.types import Lines

REPORT_S = 0.2
"""Seconds between two reports of progress, which repeat the answer so far."""

PROMPT_SHARE = 0.75
"""Share of the window that a prompt may take that was too long for it."""


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """What a chat model wrote, and the excerpts it had."""

    text: str
    sources: tuple[Source, ...]
    end: AnswerEnd


async def write_answer(
    call: Call, generator: Generator, question: str, sources: Sequence[Source], history: Sequence[Turn], most: int
) -> WrittenAnswer:
    """Generate an answer, saying it as it comes; excerpts that do not fit the model's window are left out from the end.

    Args:
        call: The caller.
        generator: The chat model.
        question: The question.
        sources: The excerpts, best first.
        history: Earlier questions of the conversation.
        most: Maximum number of tokens.

    Raises:
        Busy: Others wait already.
        ModelUnusable: The model cannot be loaded, dies, or rests; or even one excerpt is too long for it.
    """
    left = tuple(sources)
    while True:
        request = ChatRequest(
            write_prompt(question, left, history),
            most=most,
            grammar=answer_grammar(question, [one.number for one in left]),
        )
        try:
            async with contextlib.aclosing(generator.generate(request)) as events:
                return await _listen(call, events, left, most)
        except PromptTooLong as long:
            if len(left) <= 1 and not history:
                raise ModelUnusable(
                    f"The chat model reads {long.window} tokens, and the question with one excerpt has {long.tokens}.",
                    hint="Raise `chat_window`, or lower `answers.context_percent`.",
                ) from None
            fits = round(len(left) * PROMPT_SHARE * long.window / long.tokens)
            left, history = left[: max(1, min(fits, len(left) - 1))], history[1:]


async def _listen(
    call: Call, events: AsyncGenerator[ChatEvent], sources: tuple[Source, ...], most: int
) -> WrittenAnswer:
    text, written, told = "", 0, time.monotonic()
    async for event in events:
        match event:
            case PromptRead(tokens=tokens):
                call.say(StreamEvent("status", f"{tokens:,} tokens are read."))
            case Piece(text=piece, is_thinking=True):
                call.say(StreamEvent("thinking", piece))
            case Piece(text=piece):
                text, written = text + piece, written + 1
                call.say(StreamEvent("token", piece))
                if time.monotonic() - told >= REPORT_S:
                    told = time.monotonic()
                    call.progress(min(written, most - 1), most, text)
            case AnswerEnd():
                return WrittenAnswer(text.strip(), sources, event)
    raise ModelUnusable("The chat model stopped in the middle of an answer.")


def check_answer(written: WrittenAnswer, found: FoundSources) -> tuple[list[AnswerSentence], list[Citation]]:
    """Check each sentence against the excerpts that it cites, and quote what supports it."""
    given = {source.number: source for source in written.sources}
    sentences: list[AnswerSentence] = []
    quotes: dict[tuple[int, Lines, str], Citation] = {}
    for statement in split_statements(written.text):
        cited = [given[number] for number in statement.cites if number in given]
        supported = is_supported(statement.text, [source.text for source in cited])
        sentences.append(AnswerSentence(statement.text, tuple(one.number for one in cited), supported))
        for source in cited:
            if (note := found.notes.get(source.path)) is not None:
                for quote in choose_quotes(statement.text, [RelevantNote(note, 1.0, [source.lines])], 1):
                    citation = cite_quote(quote, [source])
                    quotes.setdefault((source.number, citation.lines, citation.quote), citation)
    return sentences, list(quotes.values())
