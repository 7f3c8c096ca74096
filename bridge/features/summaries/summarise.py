"""Summarising notes by their own sentences."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from annotated_types import MaxLen

from bridge.api.among import choose_among
from bridge.api.call import Call
from bridge.api.hints import Query, When
from bridge.api.markup import Answer, Element, Line, notice, notices, path_of
from bridge.api.moments import moment
from bridge.api.not_found import no_such_note
from bridge.api.note_text import open_note
from bridge.api.registry import operation
from bridge.errors import BridgeError, InvalidArguments
from bridge.text.counts import count_of
from bridge.text.invisible import inline
from bridge.types import Among, Lines, NoteOrFolder, VaultPath

if TYPE_CHECKING:
    from bridge.engine.open_vault import OpenVault
    from bridge.index.note import IndexedNote
    from bridge.markdown.note import Note

Length = Literal["line", "short", "long"]

SENTENCES: dict[Length, int] = {"line": 1, "short": 3, "long": 10}
"""Sentences of a summary of each length."""

MOST_NOTES = 200
"""Notes that one summary reads, the newest ones."""


@dataclass(frozen=True, slots=True)
class SummarySentence:
    """A sentence of a summary, as it stands in a note.

    Attributes:
        text: The sentence.
        path: The note.
        lines: First and last line.
    """

    text: str
    path: VaultPath
    lines: Lines


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of notes: sentences that stand in them.

    Attributes:
        text: The sentences, one after the other.
        sentences: Each sentence with its place, in the order of the notes and their lines.
        notes: Notes that were read.
        left_out: Notes that were not, because there are too many.
        notices: Remarks, such as on a note that cannot be read.
    """

    text: str
    sentences: tuple[SummarySentence, ...]
    notes: int
    left_out: int
    notices: tuple[str, ...]


@operation(
    example={"paths": ["Bread/Starters/Sourdough starter.md"], "length": "short"},
    tasks=(
        "summarise a note",
        "what is this note about in one sentence",
        "summary of a folder",
        "sum up what was written this week",
        "the gist of several notes",
    ),
)
async def summarise(
    call: Call,
    paths: tuple[NoteOrFolder, ...] = (),
    tags: tuple[str, ...] = (),
    session: Annotated[str, MaxLen(200)] | None = None,
    modified_after: When | None = None,
    modified_before: When | None = None,
    length: Length = "short",
    focus: Query = "",
    among: Among | None = None,
) -> Summary:
    """Summarise notes by their own sentences; no language model is needed, and nothing is said that is not there.

    Args:
        paths: These notes, or those in these folders.
        tags: Notes with all these tags; `a` matches `a/b`.
        session: Notes changed in this session, from `list_sessions`.
        modified_after: Notes modified since this time.
        modified_before: Notes modified before this time.
        length: One sentence, three, or ten.
        focus: What the summary should be about.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.

    Raises:
        InvalidArguments: Nothing says which notes are meant.
        NoteNotFound: There is no such note or folder.
    """
    from bridge.search.filters import filter_notes
    from bridge.search.model import SearchRequest

    if not (paths or tags or session or modified_after or modified_before):
        raise InvalidArguments("Nothing says which notes are meant.", hint="Give `paths`, `tags`, a time or `session`.")
    view = call.vault.index.view(choose_among(call.vault, among, paths))
    if session is not None:
        changed = await asyncio.to_thread(changed_in, call.vault, session)
        paths = tuple(path for path in changed if not paths or within(path, paths)) or (VaultPath(""),)
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
            if not any(within(known, (path,)) for known in view.notes):
                raise no_such_note(call.vault, path)
    chosen = filter_notes(view.notes, request) or frozenset[VaultPath]()
    newest = sorted((view.notes[path] for path in chosen), key=lambda note: (-note.mtime_ns, note.path))
    return await asyncio.to_thread(summarise_notes, call.vault, newest, length, focus)


def within(path: VaultPath, places: Iterable[VaultPath]) -> bool:
    """Return whether a note is one of some places or lies in one."""
    return any(path == place or path.startswith(f"{place}/") for place in places)


def changed_in(vault: "OpenVault", session: str) -> list[VaultPath]:
    """Return the notes that a session changed, by their current paths; blocking."""
    from bridge.state.change_records import ChangeFilter

    changes = vault.review.changes(ChangeFilter(session=session, state="applied"), MOST_NOTES, 0)
    return list(dict.fromkeys(path for change in changes for path in change.now))


def summarise_notes(vault: "OpenVault", newest: "Sequence[IndexedNote]", length: Length, focus: str) -> Summary:
    """Read notes and summarise them; blocking."""
    from bridge.search.summary import choose_sentences_of

    notes: list[Note] = []
    unreadable: list[VaultPath] = []
    for known in newest[:MOST_NOTES]:
        try:
            notes.append(open_note(vault, known.path))
        except BridgeError:
            unreadable.append(known.path)
    found = choose_sentences_of(notes, SENTENCES[length], focus)
    sentences = tuple(SummarySentence(inline(one.text), one.path, one.lines) for one in found)
    return Summary(
        text=" ".join(one.text for one in sentences),
        sentences=sentences,
        notes=len(notes),
        left_out=max(0, len(newest) - MOST_NOTES),
        notices=tuple(f"`{path}` cannot be read." for path in unreadable),
    )


def summary_view(answer: Answer) -> Iterable[Element]:
    """Show the sentences, each with its place."""
    yield from notices(answer["notices"])
    if not answer["sentences"]:
        yield notice("There is no sentence to summarise.")
    for one in answer["sentences"]:
        first, last = one["lines"]
        place = f":{first}" if first == last else f":{first}-{last}"
        yield Line(one["text"], " · ", path_of(one["path"], place))
    if answer["left_out"]:
        yield notice(f"{count_of(answer['left_out'], 'older note')} left out.")
