"""Passages, notes and vectors in LanceDB; importing this loads no heavy library, opening an index does."""

from typing import TYPE_CHECKING, Any

from bridge.index.boilerplate import Boilerplate
from bridge.index.hits import NameHit, NoteHit, PassageHit
from bridge.index.language import foreign_language
from bridge.index.memory import settling, trim_soon
from bridge.index.note import IndexedNote, IndexedTask
from bridge.index.prepare import Chunk, Prepared, prepare, recipe
from bridge.index.script import UNSPACED, seen, tokens
from bridge.index.sync import Plan, plan
from bridge.index.words import Words

if TYPE_CHECKING:
    from bridge.index.index import Index, IndexHealth
    from bridge.index.rows import Passage
    from bridge.index.vectors import Missing

_LATER = {
    "Index": "index",
    "IndexHealth": "index",
    "Missing": "vectors",
    "Passage": "rows",
}

__all__ = [
    "UNSPACED",
    "Boilerplate",
    "Chunk",
    "Index",
    "IndexHealth",
    "IndexedNote",
    "IndexedTask",
    "Missing",
    "NameHit",
    "NoteHit",
    "Passage",
    "PassageHit",
    "Plan",
    "Prepared",
    "Words",
    "foreign_language",
    "plan",
    "prepare",
    "recipe",
    "seen",
    "settling",
    "tokens",
    "trim_soon",
]


def __getattr__(name: str) -> Any:
    """Load what needs numpy and LanceDB when it is first asked for."""
    if name not in _LATER:
        raise AttributeError(name)
    from importlib import import_module

    return getattr(import_module(f"bridge.index.{_LATER[name]}"), name)
