"""Lets the chat model write an answer from excerpts, and checks each of its sentences against what it cites."""

from collections.abc import Sequence

from bridge.answers.citations import check_sentences
from bridge.answers.prompt import Source, Turn, answer_grammar, write_prompt
from bridge.api.call import Call
from bridge.api.chat import write_text
from bridge.errors import ModelUnusable
from bridge.features.answers.extract import cite_sentence
from bridge.features.answers.records import AnswerSentence, Citation
from bridge.features.answers.sources import FoundSources
from bridge.models.chat_process import AnswerEnd, ChatRequest, PromptTooLong
from bridge.models.generator import Generator
from bridge.records import dataclass

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
            written = await write_text(call, generator, request)
            return WrittenAnswer(written.text, left, written.end)
        except PromptTooLong as long:
            if len(left) <= 1 and not history:
                raise ModelUnusable(
                    f"The chat model reads {long.window} tokens, and the question with one excerpt has {long.tokens}.",
                    hint="Raise `chat_window`, or lower `answers.context_percent`.",
                ) from None
            fits = round(len(left) * PROMPT_SHARE * long.window / long.tokens)
            left, history = left[: max(1, min(fits, len(left) - 1))], history[1:]


def check_answer(written: WrittenAnswer, found: FoundSources) -> tuple[list[AnswerSentence], list[Citation]]:
    """Check each sentence against the excerpts that it cites, and quote what supports it."""
    checked = check_sentences(written.text, written.sources, found.notes)
    sentences = [
        AnswerSentence(one.text, tuple(source.number for source in one.cites), one.supported) for one in checked
    ]
    quotes = (cite_sentence(quote.sentence, quote.source) for one in checked for quote in one.quotes)
    return sentences, list(dict.fromkeys(quotes))
