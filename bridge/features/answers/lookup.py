"""Runs the calls by which a chat model looks further, each within the places that the question is limited to."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.note_names import find_place
from bridge.api.note_text import open_note
from bridge.api.registry import get_operation
from bridge.errors import BridgeError, NoteNotFound
from bridge.features.answers.prompt import Source
from bridge.features.answers.records import AnswerStep
from bridge.features.answers.sources import Places, cut_place, number_sources, search_excerpts
from bridge.features.answers.tool_calls import ToolCall
from bridge.features.injections.public import find_withheld, reader_of
from bridge.markdown.note import Note
from bridge.records import Record
from bridge.search.excerpts import Excerpt, Excerpts
from bridge.search.pack import PackedItem, pack
from bridge.types import VaultPath

LOOKUP_S = 30.0
"""Seconds that a call may take."""

MAX_ITEMS = 20
"""Maximum number of notes or tasks that a call reads."""


class Lookup(Record):
    """What a call found that was not known, and the notes in which it stands."""

    step: AnswerStep
    sources: tuple[Source, ...]
    notes: Mapping[VaultPath, Note]


async def look_up(call: Call, asked: ToolCall, where: Places, known: Sequence[Source], budget: int) -> Lookup:
    """Run a call of the chat model; what goes wrong is part of the result."""
    started = time.perf_counter()
    sources: tuple[Source, ...] = ()
    notes: Mapping[VaultPath, Note] = {}
    error = ""
    try:
        async with asyncio.timeout(LOOKUP_S):
            items, notes = await _READERS[asked.tool](call, asked.arguments, where, budget)
        first = max((one.number for one in known), default=0) + 1
        sources = _new_sources(number_sources(items), known, first)
    except BridgeError as refusal:
        error = refusal.message
    except TimeoutError:
        error = f"It took more than {LOOKUP_S:.0f} s."
    took_ms = round(1000 * (time.perf_counter() - started), 1)
    numbers = tuple(one.number for one in sources)
    return Lookup(AnswerStep(asked.tool, asked.argument_texts(), numbers, took_ms, error), sources, notes)


Found = tuple[Sequence[PackedItem], "Mapping[VaultPath, Note]"]


async def _search(call: Call, given: Mapping[str, str], where: Places, budget: int) -> Found:
    found = await search_excerpts(call, given["query"], where, budget)
    return found.items, found.notes


async def _read_note(call: Call, given: Mapping[str, str], where: Places, budget: int) -> Found:
    readable = await asyncio.to_thread(_find_readable, call, where)

    def read() -> tuple[Excerpts, Note]:
        path, heading = find_place(call.host.files, call.vault.names, given["path"])
        if not readable(path):
            raise NoteNotFound(f"`{path}` is no note from which the question may be answered.", path=path)
        return cut_place(call, path, given.get("section") or heading)

    cut, note = await asyncio.to_thread(read)
    return pack([cut], budget).items, {note.path: note}


async def _find_notes(call: Call, given: Mapping[str, str], where: Places, budget: int) -> Found:
    asked = {"tags": [given["tag"].lstrip("#")], "among": where.among, "limit": 500}
    listed = await get_operation("find_notes").run(call, asked)
    return await asyncio.to_thread(_cut_listed, call, (one.path for one in listed.notes), where, budget)


async def _list_tasks(call: Call, given: Mapping[str, str], where: Places, budget: int) -> Found:
    asked: dict[str, Any] = {**given, "among": where.among, "limit": 500}
    listed = await get_operation("list_tasks").run(call, asked)
    return await asyncio.to_thread(_cut_tasks, call, listed.tasks, where, budget)


_READERS = {"search": _search, "read_note": _read_note, "find_notes": _find_notes, "list_tasks": _list_tasks}


def _find_readable(call: Call, where: Places) -> Callable[[VaultPath], bool]:
    is_withheld = find_withheld(call.vault, reader_of(call))
    notes = call.vault.index.view(where.among).notes
    return lambda path: path in notes and where.includes(path) and not is_withheld(path)


def _cut_listed(call: Call, paths: Iterable[VaultPath], where: Places, budget: int) -> Found:
    readable = _find_readable(call, where)
    cut = [cut_place(call, path, None) for path in [one for one in paths if readable(one)][:MAX_ITEMS]]
    return pack([one for one, _ in cut], budget).items, {note.path: note for _, note in cut}


def _cut_tasks(call: Call, tasks: Sequence[Any], where: Places, budget: int) -> Found:
    readable = _find_readable(call, where)
    chosen = [one for one in tasks if readable(one.path)][:MAX_ITEMS]
    cut, notes = [], {}
    for path, of_note in groupby(chosen, key=lambda one: one.path):
        note = notes[path] = open_note(call.vault, path)
        lines = note.text.split("\n")
        passages = [
            Excerpt("passage", one.heading or "", (one.line, one.line), lines[one.line - 1].strip())
            for one in of_note
            if one.line <= len(lines)
        ]
        cut.append(Excerpts(path, 1.0, passages=tuple(passages)))
    return pack(cut, budget).items, notes


def _new_sources(sources: Sequence[Source], known: Sequence[Source], first: int) -> tuple[Source, ...]:
    new = [one for one in sources if not any(_contains(other, one) for other in known)]
    return tuple(replace(one, number=number) for number, one in enumerate(new, first))


def _contains(one: Source, other: Source) -> bool:
    return one.path == other.path and one.lines[0] <= other.lines[0] and other.lines[1] <= one.lines[1]
