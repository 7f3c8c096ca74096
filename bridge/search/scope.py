"""Finds the notes that an answer may contain: those that pass the filters and fulfil the conditions of the query."""

import asyncio
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import islice
from typing import Final, assert_never

from msgspec import Struct, field

from bridge.index.index import Index
from bridge.index.inverted_index import TextQuery
from bridge.index.note import IndexedNote
from bridge.index.tokens import query_tokens
from bridge.markdown.names import file_name
from bridge.priority import Turns
from bridge.search.filters import (
    MAX_LOOKED_UP,
    Notes,
    filter_by_tag,
    filter_by_term,
    filter_notes,
    no_such_folder,
    no_such_path,
    no_such_place,
    no_such_property,
    no_such_tag,
)
from bridge.search.model import SearchRequest
from bridge.search.terms import (
    All,
    Either,
    HasName,
    HasPrefix,
    HasProperty,
    HasTag,
    HasText,
    NameKind,
    Not,
    Term,
    Word,
    conditions,
)
from bridge.text.fold import fold_word
from bridge.text.match import compile_matcher
from bridge.text.words import RUN, words_of
from bridge.types import VaultPath

MAX_READ_PASSAGES = 1_000
"""Maximum number of passages with all words of a phrase that are read to check whether the words are adjacent."""

MAX_READ_PASSAGES_A_QUERY = 4_000
"""Maximum number of them for all phrases of a query."""

_TURNS: Final = Turns("comparing phrases")

Paths = frozenset[VaultPath]


class PhraseReading(Struct):
    """How much may be read for the phrases of a query, and those for which nothing was left."""

    passages: int = MAX_READ_PASSAGES_A_QUERY
    unread: list[str] = field(default_factory=list)

    def notices(self) -> list[str]:
        return [f"`{text}` is read as words: the query asks for too many common phrases." for text in self.unread]


async def search_scope(
    index: Index, request: SearchRequest, demanded: Term | None, reading: PhraseReading
) -> Paths | None:
    """Return the notes that an answer may contain; None when every note may."""
    within = await asyncio.to_thread(filter_notes, index.notes, request)
    if demanded is None or within == frozenset():
        return within
    return await _notes_matching(index, demanded, reading, within)


def unknown_name_notices(index: Index, request: SearchRequest, demanded: Term | None) -> tuple[str, ...]:
    """Return a notice for each requested folder, tag, property and path that no note has, of the first ones."""
    notes = index.notes
    found = [no_such_folder(notes, request.folder)]
    found += [no_such_place(notes, path) for path in request.paths[:MAX_LOOKED_UP]]
    found += [no_such_tag(notes, tag) for tag in request.tags[:MAX_LOOKED_UP]]
    found += [
        no_such_property(notes, name, *(value if isinstance(value, list | tuple) else (value,)))
        for name, value in [*request.properties.items()][:MAX_LOOKED_UP]
    ]
    found += (
        [] if demanded is None else [_unknown_name(notes, term) for term in islice(conditions(demanded), MAX_LOOKED_UP)]
    )
    return tuple(dict.fromkeys(sentence for sentence in found if sentence is not None))


def _unknown_name(notes: Mapping[VaultPath, IndexedNote], term: Term) -> str | None:
    match term:
        case HasName("path" | "file", text):
            return no_such_path(notes, text)
        case HasTag(tag):
            return no_such_tag(notes, tag)
        case HasName(kind, text) if not _notes_with_name(notes, kind, text):
            return f"No {kind} contains `{text}`."
        case HasProperty(name, value) if not filter_by_term(list(notes.values()), term):
            return no_such_property(notes, name, *(() if value is None else (value,)))
        case _:
            return None


async def _notes_matching(  # noqa: PLR0911 - one kind of term, one line
    index: Index, term: Term, reading: PhraseReading, within: Paths | None
) -> Paths:
    """Return the notes that fulfil a condition, of some; what reads names or texts does so in a thread."""
    notes = index.notes if within is None else {path: index.notes[path] for path in within if path in index.notes}
    match term:
        case HasText(text, quoted=True):
            named = await asyncio.to_thread(_notes_named, notes, text, whole=not RUN.search(text))
            return await _notes_with_text(index, text, reading, within) | named
        case HasText(text) | Word(text):
            named = await asyncio.to_thread(_notes_named, notes, text, whole=False)
            stems = await _notes_with_stem(index, text, within)
            return await _notes_with_text(index, text, reading, within) | stems | named
        case HasPrefix(text, words):
            return await _notes_with_prefix(index, text, words, within)
        case HasName() | HasTag() | HasProperty():
            return await asyncio.to_thread(_notes_with_entry, notes, term)
        case Not(inner):
            return frozenset(notes) - await _notes_matching(index, inner, reading, within)
        case All(parts):
            left = within
            # Each has to be looked for only in the notes that fulfil those before it.
            for part in parts:
                if left != frozenset():
                    left = await _notes_matching(index, part, reading, left)
            return frozenset(notes) if left is None else left
        case Either(parts):
            found = [await _notes_matching(index, part, reading, within) for part in parts]
            return frozenset[VaultPath]().union(*found)
        case _:
            assert_never(term)


def _notes_with_entry(notes: Notes, term: HasName | HasTag | HasProperty) -> Paths:
    match term:
        case HasName(kind, text):
            return _notes_with_name(notes, kind, text)
        case HasTag(tag):
            return frozenset(note.path for note in filter_by_tag([*notes.values()], tag))
        case HasProperty():
            return frozenset(note.path for note in filter_by_term([*notes.values()], term))


def _notes_with_name(notes: Notes, kind: NameKind, text: str) -> Paths:
    part = fold_word(text)
    return frozenset(
        path for path, note in notes.items() if any(part in fold_word(name) for name in _names_of(note, kind))
    )


def _names_of(note: IndexedNote, kind: NameKind) -> Iterable[str]:
    match kind:
        case "title":
            return (note.title,)
        case "alias":
            return note.aliases
        case "heading":
            return note.heading_texts
        case "path":
            return (note.path,)
        case "file":
            return (file_name(note.path),)


async def _notes_with_prefix(index: Index, text: str, words: tuple[str, ...], within: Paths | None) -> Paths:
    start, notes = fold_word(text), index.notes

    def find_names() -> Paths:
        return frozenset(
            path
            for path in (notes.keys() if within is None else within & notes.keys())
            if any(
                word.startswith(start) for name in (notes[path].title, *notes[path].aliases) for word in words_of(name)
            )
        )

    hits = await index.search_notes(TextQuery(should=words or (text,)), max(1, len(notes)), within)
    return await asyncio.to_thread(find_names) | frozenset(hit.path for hit in hits)


async def _notes_with_stem(index: Index, text: str, within: Paths | None) -> Paths:
    """Return the notes that contain another form of a word: `slug OR snail` also matches slugs."""
    if len(words_of(text)) != 1:
        return frozenset()
    every = sum(note.passages for note in index.notes.values())
    return frozenset(hit.path for hit in await index.stems(TextQuery(must=(text,)), max(1, every), within))


def _notes_named(notes: Mapping[VaultPath, IndexedNote], text: str, *, whole: bool) -> Paths:
    part = fold_word(text)
    words = {*query_tokens(text, exact=True)} if whole else set()
    return frozenset(
        path
        for path, note in notes.items()
        for name in (note.title, *note.aliases)
        if part in fold_word(name) and words.issubset(query_tokens(name, exact=True))
    )


async def _notes_with_text(index: Index, text: str, reading: PhraseReading, within: Paths | None) -> Paths:
    query, matcher = TextQuery(must=(text,)), compile_matcher((), (text,))
    if len(query_tokens(text, exact=True)) == 1 and not any(sign for one in matcher.phrases for sign in one.signs):
        return frozenset(hit.path for hit in await index.search_notes(query, max(1, len(index.notes)), within))
    # The index stores no positions: whether words are adjacent is checked in the passages that have them all.
    hits = await index.passages(query, MAX_READ_PASSAGES, within)
    if len(hits) > reading.passages:
        reading.unread.append(text)
        return frozenset(hit.path for hit in hits)
    reading.passages -= len(hits)
    passages = await index.text_of(hits, as_written=True)
    said = await _TURNS.run(partial(matcher.find_each, [passage.text for passage in passages]))
    return frozenset(passage.path for passage, found in zip(passages, said, strict=True) if found)
