"""Lets the chat model write an answer from excerpts, and checks each of its sentences against what it cites."""

import asyncio
import contextlib
import re
import time
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Literal

from msgspec import Struct

from bridge.api.call import Call, StreamEvent
from bridge.api.hints import WritingMode
from bridge.errors import BridgeError, ModelMissing, ModelUnusable
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
from bridge.features.answers.quotes import RelevantNote, choose_quotes
from bridge.features.answers.records import AnswerSentence, AnswerStep, Citation
from bridge.features.answers.sources import FoundSources, Places
from bridge.features.external_tools.public import ExternalTool
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.models.generator import (
    AnswerEnd,
    AnswerPiece,
    ChatRequest,
    ChatTraits,
    Generator,
    Message,
    PromptRead,
    PromptTooLong,
)
from bridge.records import Record
from bridge.search.sentences import Sentence
from bridge.text.content_terms import terms_of
from bridge.text.sentence import Clause, numbers_of, read_clause, read_clauses, split_sentences
from bridge.text.stems import language_of
from bridge.text.words import TOKEN
from bridge.types import VaultPath

REPORT_S = 0.2
"""Seconds between two reports of progress, which repeat the text so far."""


MIN_LOOP_CHARS = 8
"""Characters of a sentence from which its repetition is a loop."""

_LOOP = re.compile(r"(?=\W*\w)(.{4,80}?)\1{3}\Z", re.DOTALL)
_NUMBERS = re.compile(r"\s*\[\d{1,3}\]")
_GAP = re.compile(r"[\s\].!?。！？]")

End = Literal["stop", "length", "cancelled", "loop", "time"]

CUTS: Mapping[End, str] = {
    "length": "The answer is cut: `answers.answer_tokens` allows no more.",
    "loop": "The answer is cut where the chat model began to repeat itself.",
    "time": "The chat model was stopped: `chat_answer_s` allows it no more time.",
}
"""What is said of an answer that was cut."""


class WrittenText(Record):
    """What a chat model wrote, why it ended there, and its cost in tokens."""

    text: str
    end: End
    tokens_in: int
    tokens_out: int


def deadline(call: Call) -> float:
    """Return when a chat model that begins now is stopped, in the time of the event loop."""
    return asyncio.get_running_loop().time() + call.vault.settings.chat_answer_s


def find_loop(text: str) -> int | None:
    """Return where a text repeats itself at its end: a sentence of it, or a phrase four times in a row."""
    if found := _LOOP.search(text, max(0, len(text) - 400)):
        return found.end(1)
    *said, last = split_sentences(_NUMBERS.sub("", text)) or [""]
    return text.rfind(last.rstrip(".!?。！？")) if last in said and len(last) >= MIN_LOOP_CHARS else None


async def choose_generator(call: Call, mode: WritingMode) -> tuple[Generator | None, tuple[str, ...]]:
    """Return the chat model, if it may write; and why it cannot, where that should be said."""
    if mode == "extract":
        return None, ()
    try:
        return await call.bridge.generators.current(), ()
    except BridgeError as trouble:
        if mode == "chat":
            raise
        is_expected = isinstance(trouble, ModelMissing) and not call.vault.settings.chat_model
        return None, () if is_expected else (f"{trouble.message} {trouble.hint}",)


async def write_text(
    call: Call, generator: Generator, request: ChatRequest, until: float, *, silent_prefix: str = ""
) -> WrittenText:
    """Let a chat model write, until it repeats itself or its time is over."""
    text, shown, tokens_in, written, told = "", 0, 0, 0, time.monotonic()
    try:
        async with asyncio.timeout_at(until), contextlib.aclosing(generator.generate(request)) as events:
            async for event in events:
                match event:
                    case AnswerEnd():
                        return WrittenText(text.strip(), event.reason, event.tokens_in, event.tokens_out)
                    case PromptRead(tokens=tokens_in):
                        call.say(StreamEvent("status", f"{tokens_in:,} tokens are read."))
                        continue
                    case AnswerPiece(text=piece, is_thinking=True):
                        call.say(StreamEvent("thinking", piece))
                        continue
                    case AnswerPiece(text=piece):
                        text, written = text + piece, written + 1
                if _GAP.search(piece) and (loop := find_loop(text)) is not None:
                    return WrittenText(text[:loop].strip(), "loop", tokens_in, written)
                if silent_prefix and (text.startswith(silent_prefix) or silent_prefix.startswith(text)):
                    continue
                call.say(StreamEvent("token", text[shown:]))
                shown = len(text)
                if time.monotonic() - told >= REPORT_S:
                    told = time.monotonic()
                    call.progress(min(written, request.most - 1), request.most, text)
    except TimeoutError:
        return WrittenText(text.strip(), "time", tokens_in, written)
    raise ModelUnusable("The chat model stopped in the middle of an answer.")


MIN_WORD_SHARE = 0.6
"""Share of a statement's content words that the cited text must say."""

_CITATIONS = re.compile(r"((?:\s*\[\d{1,3}\])+)([.!?…。！？]?)")
_CITATION = re.compile(r"\[(\d{1,3})\]")


class Statement(Record):
    """A sentence of an answer, and the numbers of the notes that it cites."""

    text: str
    cites: tuple[int, ...]


def split_statements(answer: str) -> list[Statement]:
    """Split an answer into its sentences; numbers in brackets belong to the sentence before them."""
    found: list[Statement] = []
    at = 0
    for match in _CITATIONS.finditer(answer):
        *uncited, last = split_sentences(answer[at : match.start()]) or [""]
        cites = tuple(dict.fromkeys(int(number) for number in _CITATION.findall(match[1])))
        at = match.end()
        found += [Statement(text, ()) for text in uncited]
        if last:
            found.append(Statement(f"{last}{match[2]}", cites))
        elif found:
            found[-1] = Statement(found[-1].text, tuple(dict.fromkeys((*found[-1].cites, *cites))))
    return found + [Statement(text, ()) for text in split_sentences(answer[at:])]


def is_supported(statement: str, excerpts: Sequence[str]) -> bool:
    languages = {language_of(text) for text in excerpts}
    return any(_says(statement, excerpts, language) for language in languages)


def _says(statement: str, excerpts: Sequence[str], language: str | None) -> bool:
    sentences = [sentence for text in excerpts for sentence in split_sentences(text)]
    clauses = [clause for sentence in sentences for clause in read_clauses(sentence, language)]
    terms = frozenset(terms_of(statement, language))
    everything = frozenset[str]().union(*(one.terms for one in clauses))
    if not terms or len(terms & everything) < MIN_WORD_SHARE * len(terms):
        return False
    if not numbers_of(statement) <= frozenset(chain.from_iterable(map(numbers_of, excerpts))):
        return False
    names = " ".join(word for word in TOKEN.findall(statement) if word.lower() != word)
    if not frozenset(terms_of(names, language)) <= everything:
        return False
    parts = [one for one in read_clauses(statement, language) if len(one.terms) > 1]
    parts = parts or [read_clause(statement, language)]
    return all(_polarities(part.terms, clauses) == {part.negates} for part in parts)


def _polarities(terms: frozenset[str], clauses: Sequence[Clause]) -> set[bool]:
    shared = [len(one.terms & terms) for one in clauses]
    most = max(shared, default=0)
    return {one.negates for one, count in zip(clauses, shared, strict=True) if count == most}


class SourceQuote(Record):
    """A sentence, and the excerpt in which it stands."""

    source: Source
    sentence: Sentence


class CheckedSentence(Record):
    """A sentence that a chat model wrote, the given excerpts that it cites, and the closest sentence of each."""

    text: str
    cites: tuple[Source, ...]
    supported: bool
    quotes: tuple[SourceQuote, ...]


def check_sentences(text: str, sources: Sequence[Source], notes: Mapping[VaultPath, Note]) -> list[CheckedSentence]:
    """Check what a chat model wrote."""
    given = {source.number: source for source in sources}
    found = []
    for statement in split_statements(text):
        cited = tuple(given[number] for number in statement.cites if number in given)
        quotes = tuple(
            SourceQuote(source, quote.sentence)
            for source in cited
            if (note := _note_of(source, notes)) is not None
            for quote in choose_quotes(statement.text, [RelevantNote(note, 1.0, [source.lines])], 1)
        )
        supported = is_supported(statement.text, [source.text for source in cited])
        found.append(CheckedSentence(statement.text, cited, supported, quotes))
    return found


def _note_of(source: Source, notes: Mapping[VaultPath, Note]) -> Note | None:
    """Return the note in which an excerpt stands; what a tool answered is read as if it were one."""
    return parse(source.path, source.text.encode()) if source.tool else notes.get(source.path)


PROMPT_SHARE = 0.75
"""Share of the window that a prompt may take that was too long for it."""

MIN_LOOKUP_TOKENS = 100
"""Tokens below which nothing is looked up: no excerpt of use would fit the model's window."""

MARGIN_TOKENS = 64
"""Tokens of a prompt beside its texts, by which an estimate may be wrong."""

MAX_LOOKUPS = 4
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
    return MAX_LOOKUPS if external or traits.parameters >= MIN_LOOKUP_PARAMETERS else 0


async def write_answer(
    call: Call, generator: Generator, task: AnswerTask, found: FoundSources, steps: list[AnswerStep]
) -> WrittenAnswer:
    """Generate an answer, streaming it; excerpts that do not fit the model's window are left out from the end."""
    left, history = found.sources, task.history
    # Shared by all attempts: what another program was asked to do must not be done twice.
    asked: list[ToolCall] = []
    until = deadline(call)
    while True:
        most, external = task.most_steps, task.external.tools
        messages = write_prompt(task.question, left, history, calls=most > 0, external=external)
        conversation = _Conversation(call, generator, task, left, messages, asked, steps, until, most)
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


class _Conversation(Struct):
    """The messages between the bridge and the chat model until it answers."""

    _call: Call
    _generator: Generator
    _task: AnswerTask
    _sources: tuple[Source, ...]
    _messages: list[Message]
    _asked: list[ToolCall]
    _steps: list[AnswerStep]
    _until: float
    _left: int

    @property
    def _external(self) -> tuple[ExternalTool, ...]:
        return self._task.external.tools

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
            self._task.window - written.tokens_in - written.tokens_out - self._task.most_tokens - MARGIN_TOKENS,
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
