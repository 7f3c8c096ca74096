"""Summarising notes: by their own sentences, or by a chat model whose sentences are checked."""

import asyncio
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, groupby, islice
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from bridge.api.call import Call
from bridge.api.hints import Query, When, WritingMode
from bridge.api.markup import Element, Line, Section, notice, notices, path_of
from bridge.api.moments import moment
from bridge.api.note_names import no_such_note
from bridge.api.note_text import open_content
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError, InvalidArguments
from bridge.features.answers.public import choose_generator, measure_nearness
from bridge.features.properties.public import find_templates
from bridge.features.summaries.extract import (
    MAX_NOTES,
    NOT_READ,
    group_notes,
    name_notes,
    read_properties,
    sum_up_notes,
)
from bridge.features.summaries.records import NOTES, Length, Summary
from bridge.features.summaries.write import write_summary
from bridge.index.note import IndexedNote
from bridge.markdown.note import Note
from bridge.models.generator import Generator
from bridge.search.filters import filter_notes
from bridge.search.model import SearchAnswer, SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.search.summary import FocusLines
from bridge.state.change_records import ChangeFilter
from bridge.text.counts import count_of
from bridge.types import Among, NoteOrFolder, VaultPath, lies_in

FOCUS_NOTES, FOCUS_LINES = 60, 96
"""Notes near a focus that are read for what they say of it, and their lines whose meaning is compared with it."""


@operation(
    example={"paths": ["Bread/Starters/Sourdough starter.md"], "length": "short"},
    tasks=(
        "summarise a note",
        "what is this note about in one sentence",
        "summary of a folder",
        "give an overview of a folder",
        "sum up what was written this week",
        "the gist of several notes",
    ),
    streams=True,
)
async def summarise(
    call: Call,
    paths: tuple[NoteOrFolder, ...] = (),
    tags: tuple[str, ...] = (),
    session: Annotated[str, Meta(max_length=200)] | None = None,
    modified_after: When | None = None,
    modified_before: When | None = None,
    length: Length = "short",
    focus: Query = "",
    mode: WritingMode = "auto",
    among: Among | None = None,
) -> Summary:
    """Summarise notes by their own sentences, or by what a chat model writes, if there is one and the notes support it.

    By themselves, several notes say one sentence each, by folder or, where they are dated, by time.

    Args:
        paths: These notes, or those in these folders.
        tags: Notes with all these tags; `a` matches `a/b`.
        session: Notes changed in this session, from `list_sessions`.
        modified_after: Notes modified since this time.
        modified_before: Notes modified before this time.
        length: One sentence, three, or ten; of several notes one each of 5, 15 or 50.
        focus: What the summary should be about.
        mode: `extract` takes sentences of notes; `chat` lets a chat model write or fails; `auto` extracts if none can.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.

    Raises:
        InvalidArguments: Nothing says which notes are meant.
        NoteNotFound: There is no such note or folder.
        ModelMissing: The mode is `chat` and no chat model is installed.
        ModelUnusable: The mode is `chat` and the model cannot be used.
        Busy: The mode is `chat` and others wait for the model.
    """
    if not (paths or tags or session or modified_after or modified_before):
        raise InvalidArguments("Nothing says which notes are meant.", hint="Give `paths`, `tags`, a time or `session`.")
    view = call.vault.index.view(choose_among(call.vault, among, paths))
    if session is not None:
        changed = await asyncio.to_thread(changed_in, call.vault, session)
        paths = tuple(path for path in changed if not paths or lies_in(path, paths)) or (VaultPath(""),)
    request = SearchRequest(
        "",
        paths=paths,
        tags=tags,
        modified_after=moment("modified_after", modified_after),
        modified_before=moment("modified_before", modified_before),
        types=("note",),
    )
    if session is None:
        for path in paths:
            if not any(lies_in(known, (path,)) for known in view.notes):
                raise no_such_note(call.vault, path)
    chosen = filter_notes(view.notes, request) or frozenset[VaultPath]()
    # What a template says is said by the notes that are made of it; one that is named is meant.
    read = {path: view.notes[path] for path in chosen}
    templates = await asyncio.to_thread(find_templates, call.vault, read)
    chosen -= templates - {*paths}
    sources = await call.vault.sources_among(choose_among(call.vault, among, paths))
    by_time = bool(session or modified_after or modified_before)
    generator, no_model = await choose_generator(call, mode)
    most = FOCUS_NOTES if generator is None else NOTES[length]
    groups, found = await order_notes(sources, chosen, most, focus, by_time=by_time)
    notes, trouble = list[Note](), tuple[str, ...]()
    summary: Summary | None = None
    if found or generator is not None:
        notes, unreadable = await asyncio.to_thread(read_notes, call.vault, chain.from_iterable(groups.values()))
        trouble = tuple(name_notes(NOT_READ, unreadable))
    if generator is not None and groups:
        summary, failure = await write_if_possible(call, generator, notes, length, focus, strict=mode == "chat")
        trouble = (*failure, *trouble)
    if summary is None:
        about = await find_focus(sources, notes, focus, found, 2 * NOTES[length]) if found else None
        is_list = len(chosen) > 1
        summary = await asyncio.to_thread(sum_up_notes, call.vault, groups, length, focus, about, is_list=is_list)
    left_out = max(0, len(chosen) - summary.notes)
    if not chosen:
        trouble = ("There are only templates; name one by its path.",) if templates else ("There is no such note.",)
    return replace(summary, left_out=left_out, notices=tuple(dict.fromkeys((*no_model, *trouble, *summary.notices))))


async def order_notes(
    sources: Sources, chosen: Collection[VaultPath], most: int, focus: str, *, by_time: bool
) -> tuple[dict[str, list[IndexedNote]], SearchAnswer | None]:
    """Return the notes to be told by their groups, and what was found of a focus."""
    notes = [sources.index.notes[path] for path in chosen]
    if not focus:
        return group_notes(notes, sources.graph, by_time=by_time), None
    found = await search(sources, SearchRequest(focus, limit=most, only=frozenset(chosen)))
    notes = notes if len(notes) == 1 else [sources.index.notes[hit.path] for hit in found.hits]
    return group_notes(notes, sources.graph, by_time=by_time, ranked=True), found


async def find_focus(sources: Sources, notes: Sequence[Note], focus: str, found: SearchAnswer, most: int) -> FocusLines:
    """Return the lines of notes that may be about a focus, with how near to it they are in meaning."""
    about = await asyncio.to_thread(FocusLines, notes, focus, found.asked, read_properties, found.hits)
    lines = about.list_likely(max(FOCUS_LINES, most))
    nearness = await measure_nearness(sources, focus, [one.text for one in lines])
    about.add_meaning(dict(zip((one.sentence for one in lines), nearness, strict=False)))
    return about


async def write_if_possible(
    call: Call, generator: Generator, notes: Sequence[Note], length: Length, focus: str, *, strict: bool
) -> tuple[Summary | None, tuple[str, ...]]:
    try:
        summary = await write_summary(call, generator, notes, length, focus)
    except BridgeError as trouble:
        if strict:
            raise
        return None, (f"{trouble.message} {trouble.hint}",)
    if not summary.sentences:
        return None, ("The notes support no sentence that the chat model wrote.",)
    return summary, ()


def changed_in(vault: OpenVault, session: str) -> list[VaultPath]:
    """Return the notes that a session changed, by their current paths; blocking."""
    changes = vault.review.changes(ChangeFilter(session=session, state="applied"), MAX_NOTES, 0)
    return list(dict.fromkeys(path for change in changes for path in change.places))


def read_notes(vault: OpenVault, known: Iterable[IndexedNote]) -> tuple[list[Note], list[VaultPath]]:
    """Read notes, and list those that cannot be read; blocking."""
    notes: list[Note] = []
    unreadable: list[VaultPath] = []
    for one in islice(known, MAX_NOTES):
        try:
            notes.append(open_content(vault, one.path))
        except BridgeError:
            unreadable.append(one.path)
    return notes, unreadable


def summary_view(summary: Summary) -> Iterable[Element]:
    yield from notices(summary.notices)
    for group, found in groupby(summary.sentences, key=lambda one: one.group):
        lines = []
        for one in found:
            first, last = one.lines
            place = path_of(one.path, f":{first}" if first == last else f":{first}-{last}")
            lines.append(Line(place, " · ", one.text) if group else Line(one.text, " · ", place))
        yield from (Section(group, lines, most=len(lines)),) if group else lines
    if summary.left_out:
        yield notice(f"{count_of(summary.left_out, 'other note')} left out.")
