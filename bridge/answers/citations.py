"""Checks each sentence that a chat model wrote against the excerpts that it cites, and quotes what supports it."""

from collections.abc import Mapping, Sequence

from bridge.answers.prompt import Source
from bridge.answers.quotes import RelevantNote, choose_quotes
from bridge.answers.support import is_supported, split_statements
from bridge.markdown.note import Note
from bridge.markdown.parse import parse
from bridge.records import dataclass
from bridge.search.sentences import Sentence
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class SourceQuote:
    """A sentence, and the excerpt in which it stands."""

    source: Source
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence that a chat model wrote.

    Attributes:
        text: The sentence, without the numbers of what it cites.
        cites: The excerpts that it cites, as far as they were given.
        supported: Whether these say what it says, as far as words can tell.
        quotes: The closest sentence of each.
    """

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
