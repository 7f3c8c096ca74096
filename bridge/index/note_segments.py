"""Indexes the words of notes that were read together, before the index knows their numbers."""

from collections.abc import Sequence

from msgspec.structs import replace

from bridge.index.documents import Document, Vocabularies, index_documents
from bridge.index.prepare import PreparedNote
from bridge.text.stems import index_forms


def add_segments(notes: Sequence[PreparedNote], vocabularies: Vocabularies) -> list[PreparedNote]:
    """Return the notes with the segments of all of them, in which the number of a document is the place of its note."""
    passages = [(place, number, chunk) for place, note in enumerate(notes) for number, chunk in enumerate(note.chunks)]
    words = [Document(place, number, 0, chunk.words) for place, number, chunk in passages]
    forms = [
        Document(place, number, 0, passage_forms(chunk.words, chunk.start, chunk.length, notes[place].note.language))
        for place, number, chunk in passages
    ]
    whole = [Document(place, 0, 0, note.whole) for place, note in enumerate(notes)]
    segments = index_documents(words, forms, whole, vocabularies)
    return [replace(note, segments=segments, place=place) for place, note in enumerate(notes)]


def passage_forms(words: str, start: int, length: int, language: str | None) -> str:
    return index_forms(words[: start + length], language)
