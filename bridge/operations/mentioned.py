"""Where notes say a note's name without linking to it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bridge.errors import BridgeError
from bridge.operations.quoting import sentence
from bridge.operations.reading import line_at, opened
from bridge.types import Span, VaultPath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bridge.engine import VaultEngine
    from bridge.linking import Corpus

READ = 300
"""Notes that are read for one answer."""

MENTIONS = 1_000


@dataclass(frozen=True, slots=True)
class NoteMention:
    """A place that says a note's name and is no link.

    Attributes:
        path: The note it stands in.
        line: The line it stands on.
        text: The name as it is said there.
        span: First character and the one after the last, counted in the text of the file, as `apply_links` takes it.
        context: The sentence around it.
    """

    path: VaultPath
    line: int
    text: str
    span: Span
    context: str


def mentions_of(engine: "VaultEngine", corpus: "Corpus", path: VaultPath) -> tuple[NoteMention, ...]:
    """Return where other notes say a name of a note, by path and line; of the first notes alone when many do."""
    from bridge.linking import fold

    note = engine.index.notes.get(path)
    forms = {fold(name).strip() for name in (note.title, *note.aliases)} if note else set()
    saying = [source for source in corpus.saying(forms) if source != path]
    found = (mention for source in saying[:READ] for mention in in_note(engine, corpus, source, path))
    return tuple(mention for mention, _ in zip(found, range(MENTIONS), strict=False))


def in_note(engine: "VaultEngine", corpus: "Corpus", source: VaultPath, path: VaultPath) -> "Iterator[NoteMention]":
    """Yield the mentions of a note in another, as it is on disk."""
    from bridge.vault import protected

    try:
        note = opened(engine, source)
    except BridgeError:
        return
    for mention in corpus.names.mentions(note.text, protected(note)):
        if any(name.path == path for name in mention.names):
            start, end = mention.span
            context = sentence(note.text, mention.span)
            yield NoteMention(source, line_at(note.text, start), note.text[start:end], mention.span, context)
