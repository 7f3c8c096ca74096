"""What a summary consists of."""

from typing import Annotated, Literal

from bridge.records import Record
from bridge.settings.schema import Setting
from bridge.types import Lines, VaultPath

Length = Literal["line", "short", "long"]

SENTENCES: dict[Length, int] = {"line": 1, "short": 3, "long": 10}
"""Sentences of a summary of each length."""

NOTES: dict[Length, int] = {"line": 5, "short": 15, "long": 50}
"""Notes of which a summary of several tells one sentence each."""


class SummarySentence(Record):
    """A sentence of a summary.

    Attributes:
        text: The sentence, or the names in a list or table.
        path: The note in which it stands, or whose text supports it.
        lines: First and last line.
        group: Of several notes, the folder or the day or month of the note; may be empty.
    """

    text: str
    path: VaultPath
    lines: Lines
    group: str = ""


class Summary(Record):
    """A summary of notes.

    Attributes:
        text: The sentences, one after the other; of several notes a list with a link to each, under their groups.
        sentences: Each sentence with its place: of one note in the order of its lines, of several notes one each.
        notes: Notes that were read.
        left_out: Notes of which nothing is told, because there are too many or none is about the focus.
        notices: Remarks, such as on a note that cannot be read.
        mode_used: `chat` if a chat model wrote it, `extract` if its sentences stand in the notes.
        cached: Whether the chat model wrote it for an earlier call.
        tokens_read: Tokens that the chat model read; 0 without one.
        tokens_written: Tokens that it wrote.
    """

    text: str
    sentences: tuple[SummarySentence, ...]
    notes: int
    left_out: int
    notices: tuple[str, ...]
    mode_used: Literal["extract", "chat"] = "extract"
    cached: bool = False
    tokens_read: int = 0
    tokens_written: int = 0


class SummarySettings(Record):
    """The settings of summaries."""

    read_tokens: Annotated[
        int,
        Setting(
            "Tokens of notes that the chat model reads for a summary at most; of longer ones, the beginning of each"
            " section.",
            title="Length that is read",
            least=200,
            most=1_000_000,
        ),
    ] = 6_000
