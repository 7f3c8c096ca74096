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
from bridge.features.answers.public import choose_generator
from bridge.features.properties.public import find_templates
from bridge.features.summaries.extract import MAX_NOTES, NOT_READ, group_notes, name_notes, sum_up_notes
from bridge.features.summaries.records import NOTES, Length, Summary
from bridge.features.summaries.write import write_summary
from bridge.index.note import IndexedNote
from bridge.markdown.note import Note
from bridge.models.generator import Generator
from bridge.search.filters import filter_notes
from bridge.search.model import SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.state.change_records import ChangeFilter
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import Among, Lines, NoteOrFolder, VaultPath, lies_in

FOCUS_NOTES = 60
"""Notes near a focus that are read for those which say it."""


NEAR = 0.7
"""Nearness in meaning, from 0 to 1, from which one of several notes is about a focus whose words it does not say;
half of it shows where a single one is."""


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
    groups, close, trouble = await order_notes(sources, chosen, most, focus, by_time=by_time)
    summary: Summary | None = None
    if generator is not None and groups:
        notes, unreadable = await asyncio.to_thread(read_notes, call.vault, chain.from_iterable(groups.values()))
        summary, failure = await write_if_possible(call, generator, notes, length, focus, strict=mode == "chat")
        trouble = (*trouble, *failure, *name_notes(NOT_READ, unreadable))
    if summary is None:
        is_list = len(chosen) > 1
        summary = await asyncio.to_thread(sum_up_notes, call.vault, groups, length, focus, close, is_list=is_list)
    left_out = max(0, len(chosen) - summary.notes)
    if not chosen:
        trouble = ("There are only templates; name one by its path.",) if templates else ("There is no such note.",)
    return replace(summary, left_out=left_out, notices=(*no_model, *trouble, *summary.notices))


async def order_notes(
    sources: Sources, chosen: Collection[VaultPath], most: int, focus: str, *, by_time: bool
) -> tuple[dict[str, list[IndexedNote]], dict[VaultPath, Lines], tuple[str, ...]]:
    """Return the notes to be told by their groups, the lines near a focus in meaning, and what is to be said of it."""
    notes = [sources.index.notes[path] for path in chosen]
    if not focus:
        return group_notes(notes, sources.graph, by_time=by_time), {}, ()
    found = await search(sources, SearchRequest(focus, limit=most, only=frozenset(chosen), explain=True))
    lanes = found.explain.lanes if found.explain else {}
    meaning = {path: own["meaning"].calibrated for path, own in lanes.items() if "meaning" in own}
    is_one = len(notes) == 1
    near = {hit.path: hit.lines for hit in found.hits if meaning.get(hit.path, 0.0) >= NEAR / (1 + is_one)}
    notes = notes if is_one else [sources.index.notes[hit.path] for hit in found.hits]
    trouble = () if notes else (f"No note says \u201c{inline(focus)}\u201d.",)
    return group_notes(notes, sources.graph, by_time=by_time, ranked=True), near, trouble


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
    return list(dict.fromkeys(path for change in changes for path in change.now))


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
