"""Lets the chat model write an answer from excerpts, and checks each of its sentences against what it cites."""

from collections.abc import Mapping, Sequence

from bridge.api.call import Call, StreamEvent
from bridge.errors import ModelUnusable
from bridge.features.answers.chat import WrittenText, deadline, write_text
from bridge.features.answers.citations import check_sentences
from bridge.features.answers.extract import cite_sentence
from bridge.features.answers.lookup import ExternalTools, Lookup, ask_program, look_up, read_places
from bridge.features.answers.prompt import (
    OPENING,
    Source,
    ToolCall,
    Turn,
    answer_grammar,
    describe_activity,
    parse_call,
    write_call,
    write_prompt,
    write_result,
)
from bridge.features.answers.records import AnswerSentence, AnswerStep, Citation
from bridge.features.answers.sources import FoundSources, Places
from bridge.markdown.note import Note
from bridge.models.generator import ChatRequest, ChatTraits, Generator, Message, PromptTooLong
from bridge.records import Record
from bridge.types import VaultPath

PROMPT_SHARE = 0.75
"""Share of the window that a prompt may take that was too long for it."""

MIN_LOOKUP_TOKENS = 100
"""Tokens below which nothing is looked up: no excerpt of use would fit the model's window."""

MARGIN = 64
"""Tokens of a prompt beside its texts, by which an estimate may be wrong."""

STEPS = 4
"""How often a model that is large enough may look further."""

MIN_LOOKUP_PARAMETERS = 3_000_000_000
"""Weights below which a model looks no further unless it is asked to: small ones call in vain, and the user waits."""


class AnswerTask(Record):
    """What the chat model is to answer, with where and how often it may look further; `budget` is for one look."""

    question: str
    history: Sequence[Turn]
    where: Places
    budget: int
    most_tokens: int
    most_steps: int
    window: int
    external: ExternalTools


class WrittenAnswer(Record):
    """What a chat model wrote, the excerpts it had, with their notes, and what it looked up."""

    written: WrittenText
    sources: tuple[Source, ...]
    notes: Mapping[VaultPath, Note]
    steps: tuple[AnswerStep, ...]


def steps_for(traits: ChatTraits, wanted: int | None, *, external: bool) -> int:
    """Return how often a model may look further."""
    if not traits.knows_tools:
        return 0
    if wanted is not None:
        return wanted
    return STEPS if external or traits.parameters >= MIN_LOOKUP_PARAMETERS else 0


async def write_answer(
    call: Call, generator: Generator, task: AnswerTask, found: FoundSources, steps: list[AnswerStep]
) -> WrittenAnswer:
    """Generate an answer, streaming it; excerpts that do not fit the model's window are left out from the end."""
    left, history = found.sources, task.history
    # Shared by all attempts: what another program was asked to do must not be done twice.
    asked: list[ToolCall] = []
    until = deadline(call)
    while True:
        conversation = _Conversation(call, generator, task, left, history, asked, steps, until)
        try:
            return await conversation.run(found.notes)
        except PromptTooLong as long:
            if len(left) <= 1 and not history:
                raise ModelUnusable(
                    f"The chat model reads {long.window} tokens, and the question with one excerpt has {long.tokens}.",
                    hint="Raise `chat_window`, or lower `answers.context_percent`.",
                ) from None
            fits = round(len(left) * PROMPT_SHARE * long.window / long.tokens)
            left, history = left[: max(1, min(fits, len(left) - 1))], history[1:]


class _Conversation:
    """The messages between the bridge and the chat model until it answers."""

    def __init__(
        self,
        call: Call,
        generator: Generator,
        task: AnswerTask,
        sources: tuple[Source, ...],
        history: Sequence[Turn],
        asked: list[ToolCall],
        steps: list[AnswerStep],
        until: float,
    ) -> None:
        self._call = call
        self._generator = generator
        self._task = task
        self._sources = sources
        self._left = task.most_steps
        self._external = task.external.tools
        self._messages = write_prompt(task.question, sources, history, calls=self._left > 0, external=self._external)
        self._steps = steps
        self._asked = asked
        self._until = until

    async def run(self, notes: Mapping[VaultPath, Note]) -> WrittenAnswer:
        """Let the model look further, as often as it may, and answer."""
        while True:
            written = await self._write()
            asked = parse_call(written.text, self._external) if self._left else None
            if asked is None and not (self._left and written.text.startswith(OPENING)):
                return WrittenAnswer(written, self._sources, notes, tuple(self._steps))
            if asked is None or asked in self._asked:
                # It would go on like this: it has to answer from what it has.
                self._left = 0
                if asked is not None:
                    self._steps.append(_refuse(asked, "It was called before."))
                continue
            looked_up = await self._look_up(asked, self._room(written))
            notes = {**notes, **looked_up.notes}

    async def _write(self) -> WrittenText:
        while True:
            may_call = self._left > 0
            numbers = [one.number for one in self._sources]
            request = ChatRequest(
                self._messages,
                most=self._task.most_tokens,
                grammar=answer_grammar(self._task.question, numbers, calls=may_call, external=self._external),
            )
            try:
                prefix = OPENING if may_call else ""
                return await write_text(self._call, self._generator, request, self._until, silent_prefix=prefix)
            except PromptTooLong:
                if not self._steps or not self._steps[-1].excerpts:
                    raise
                self._forget_last()

    def _room(self, written: WrittenText) -> int:
        """Return how many tokens what is looked up may have, beside the conversation and an answer."""
        return min(
            self._task.budget,
            self._task.window - written.tokens_in - written.tokens_out - self._task.most_tokens - MARGIN,
        )

    async def _look_up(self, asked: ToolCall, room: int) -> Lookup:
        self._call.say(StreamEvent("tool", {"tool": asked.tool, "arguments": dict(asked.argument_texts())}))
        self._call.say(StreamEvent("status", describe_activity(asked)))
        self._asked.append(asked)
        if room < MIN_LOOKUP_TOKENS:
            looked_up = Lookup(_refuse(asked, "The model's window is full."), (), {})
            self._left = 0
        else:
            external, agreed = self._task.external.find(asked.tool), self._task.external.agreed
            looked_up = await look_up(
                asked,
                self._sources,
                read_places(self._call, asked, self._task.where, room)
                if external is None
                else ask_program(self._call, asked, external, room, agreed=agreed),
            )
            self._left -= 1
        self._steps.append(looked_up.step)
        self._sources += looked_up.sources
        self._messages += [
            Message("assistant", write_call(asked)),
            write_result(self._task.question, looked_up.sources),
        ]
        return looked_up

    def _forget_last(self) -> None:
        """Take back what was looked up last, for which there was no room after all, and look no further."""
        last = self._steps[-1]
        self._steps[-1] = AnswerStep(last.tool, last.arguments, (), last.took_ms, "The model's window is full.")
        self._sources = tuple(one for one in self._sources if one.number not in last.excerpts)
        self._messages[-1] = write_result(self._task.question, ())
        self._left = 0


def _refuse(asked: ToolCall, error: str) -> AnswerStep:
    return AnswerStep(asked.tool, asked.argument_texts(), (), 0.0, error)


def check_answer(written: WrittenAnswer) -> tuple[list[AnswerSentence], list[Citation]]:
    """Check each sentence against the excerpts that it cites, and quote what supports it."""
    checked = check_sentences(written.written.text, written.sources, written.notes)
    sentences = [
        AnswerSentence(one.text, tuple(source.number for source in one.cites), one.supported) for one in checked
    ]
    quotes = (cite_sentence(quote.sentence, quote.source) for one in checked for quote in one.quotes)
    return sentences, list(dict.fromkeys(quotes))
