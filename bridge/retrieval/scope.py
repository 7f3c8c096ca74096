"""Which notes may be hits: the caller's filters and what the query itself demands."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, assert_never

from bridge.index import IndexedNote, Words
from bridge.retrieval.filters import (
    allowed,
    fold,
    no_such_folder,
    no_such_path,
    no_such_property,
    no_such_tag,
    with_tag,
    with_term,
)
from bridge.retrieval.matching import UNSPACED, compile_wanted, words_of
from bridge.retrieval.request import SearchRequest
from bridge.retrieval.terms import All, Either, Has, HasProperty, InFile, InPath, Not, Tagged, Term, Word, conditions
from bridge.types import VaultPath

if TYPE_CHECKING:
    from bridge.index import Index

MOST_READ = 1_000
"""Passages with all words of a phrase that are read to see whether they stand together."""

_UNSPACED = re.compile(f"[{UNSPACED}]")

Paths = frozenset[VaultPath]


async def scope(index: "Index", request: SearchRequest, demanded: Term | None) -> Paths | None:
    """Return the notes that an answer may contain; None when every note may."""
    within = allowed(index.notes, request)
    if demanded is None or within == frozenset():
        return within
    held = await _holding(index, demanded)
    return held if within is None else within & held


def unknown_names(index: "Index", request: SearchRequest, demanded: Term | None) -> tuple[str, ...]:
    """Return a sentence for each folder, tag, property and path that is asked for and that no note has."""
    notes = index.notes
    found = [no_such_folder(notes, request.folder)]
    found += [no_such_tag(notes, tag) for tag in request.tags]
    found += [
        no_such_property(notes, name, *(value if isinstance(value, list | tuple) else (value,)))
        for name, value in request.properties.items()
    ]
    found += [] if demanded is None else [_unknown(notes, term) for term in conditions(demanded)]
    return tuple(dict.fromkeys(sentence for sentence in found if sentence is not None))


def _unknown(notes: Mapping[VaultPath, IndexedNote], term: Term) -> str | None:
    match term:
        case InPath(text) | InFile(text):
            return no_such_path(notes, text)
        case Tagged(tag):
            return no_such_tag(notes, tag)
        case HasProperty(name, value) if not with_term(list(notes.values()), term):
            return no_such_property(notes, name, *(() if value is None else (value,)))
        case _:
            return None


async def _holding(index: "Index", term: Term) -> Paths:  # noqa: PLR0911 - one kind of term, one line
    """Return the notes for which a condition holds."""
    notes = index.notes
    match term:
        case Has(text, quoted=True):
            return await _saying(index, text)
        case Has(text) | Word(text):
            return await _saying(index, text) | await _inflecting(index, text)
        case InPath(text):
            return frozenset(path for path in notes if fold(text) in fold(path))
        case InFile(text):
            return frozenset(path for path in notes if fold(text) in fold(path.rpartition("/")[2]))
        case Tagged(tag):
            return frozenset(note.path for note in with_tag(list(notes.values()), tag))
        case HasProperty():
            return frozenset(note.path for note in with_term(list(notes.values()), term))
        case Not(inner):
            return frozenset(notes) - await _holding(index, inner)
        case All(parts):
            return frozenset(notes).intersection(*[await _holding(index, part) for part in parts])
        case Either(parts):
            return frozenset[VaultPath]().union(*[await _holding(index, part) for part in parts])
        case _:
            assert_never(term)


async def _inflecting(index: "Index", text: str) -> Paths:
    """Return the notes that say a word in another form: whoever types `slug OR snail` means slugs too."""
    if len(words_of(text)) != 1:
        return frozenset()
    every = sum(note.passages for note in index.notes.values())
    return frozenset(hit.path for hit in await index.stems(Words(must=(text,)), max(1, every), None))


async def _saying(index: "Index", text: str) -> Paths:
    """Return the notes that say something, in their text or by a name."""
    notes: Mapping[VaultPath, IndexedNote] = index.notes
    part = fold(text)
    called = frozenset(
        path for path, note in notes.items() if any(part in fold(name) for name in (note.title, *note.aliases))
    )
    asked = Words(must=(text,))
    if len(words_of(text)) == 1 and not _UNSPACED.search(text):
        return called | {hit.path for hit in await index.whole(asked, max(1, len(notes)), None)}
    # The index knows no positions: whether words stand together is read in the passages that have them all.
    wanted = compile_wanted((), (text,))
    passages = await index.text_of(await index.passages(asked, MOST_READ, None))
    return called | {passage.path for passage in passages if wanted.find(passage.text)}
