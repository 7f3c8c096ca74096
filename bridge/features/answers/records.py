"""What an answer to a question consists of."""

from collections.abc import Mapping
from typing import Annotated, Literal

from bridge.records import Record
from bridge.search.answerability import Answerability
from bridge.settings.schema import Setting
from bridge.types import Lines, VaultPath

AnswerMode = Literal["extract", "chat"]


class AnswerSentence(Record):
    """A sentence of an answer.

    Attributes:
        text: The sentence, without the numbers of what it cites.
        cites: Numbers of the excerpts that it cites.
        supported: Whether these say what it says, as far as words can tell: its numbers, its names, most other words.
    """

    text: str
    cites: tuple[int, ...]
    supported: bool


class Citation(Record):
    """A sentence of a note, or of what a tool of another program answered, that supports an answer.

    Attributes:
        number: Number of the excerpt in which it stands.
        path: The note; empty for a tool's answer.
        heading: Its heading path; may be empty.
        lines: First and last line.
        quote: The sentence.
        tool: The tool of another program that said it, as `server__tool`; empty for a note.
    """

    number: int
    path: VaultPath
    heading: str
    lines: Lines
    quote: str
    tool: str = ""


class AnswerExcerpt(Record):
    """An excerpt that was read for an answer.

    Attributes:
        number: Its number, by which the answer cites it.
        path: The note; empty for a tool's answer.
        heading: Its heading path; may be empty.
        lines: First and last line.
        tokens: Tokens it takes, estimated.
        tool: The tool of another program that answered it, as `server__tool`; empty for a note.
    """

    number: int
    path: VaultPath
    heading: str
    lines: Lines
    tokens: int
    tool: str = ""


class AnswerStep(Record):
    """What the chat model looked up before it answered.

    Attributes:
        tool: The operation that it called, or `server__tool` of another program.
        arguments: Its arguments; values that are no texts as JSON.
        excerpts: Numbers of the excerpts that this added.
        took_ms: Duration in milliseconds.
        error: Why it found nothing that could be read; empty otherwise.
    """

    tool: str
    arguments: Mapping[str, str]
    excerpts: tuple[int, ...]
    took_ms: float
    error: str = ""


class VaultAnswer(Record):
    """An answer from the vault's notes.

    Attributes:
        answer: The answer in Markdown, with the numbers of what it cites, such as `[1]`; empty if no note says it.
        answerability: Whether the vault answers the question; null for a question without words.
        mode_used: `chat` if a chat model wrote it, `extract` if its sentences stand in the notes.
        sentences: Its sentences, each with what it cites.
        citations: Sentences of notes that say so, best first.
        context: The excerpts that were read.
        notices: Remarks, such as on a mentioned note for which there was no room.
        tokens_read: Tokens that the chat model read; 0 without one.
        tokens_written: Tokens that it wrote.
        steps: What it looked up before it answered, in order.
        withheld: What it wrote where the cited notes do not say most of it; then the answer is quoted from notes.
    """

    answer: str
    answerability: Answerability | None
    mode_used: AnswerMode
    sentences: tuple[AnswerSentence, ...]
    citations: tuple[Citation, ...]
    context: tuple[AnswerExcerpt, ...]
    notices: tuple[str, ...]
    tokens_read: int = 0
    tokens_written: int = 0
    steps: tuple[AnswerStep, ...] = ()
    withheld: str = ""


class AnswerSettings(Record):
    """The settings of answers."""

    context_percent: Annotated[
        int,
        Setting(
            "Percent of what the chat model reads (`chat_window`) that excerpts of notes may take.",
            title="Room for excerpts",
            least=5,
            most=80,
        ),
    ] = 30
    answer_tokens: Annotated[
        int,
        Setting("Tokens that the chat model may write per answer.", title="Length of an answer", least=16, most=4_096),
    ] = 320
