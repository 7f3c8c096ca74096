"""Which notes a call is about, by filters and by `where`, an expression of Obsidian's Bases."""

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, TypeVar

from msgspec import Meta, field

from bridge.api.hints import Folder, Properties, When
from bridge.api.moments import moment
from bridge.api.note_names import no_such_note, snapshot, unknown_properties
from bridge.api.signature import Spread
from bridge.bases.evaluate import Budget, Evaluation, check_functions, find_properties
from bridge.bases.note_files import NoteFiles
from bridge.bases.syntax import parse_expression
from bridge.engine.agents_folder import agents_folder
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments
from bridge.index.note import Notes
from bridge.priority import Turns
from bridge.records import Record
from bridge.search.model import SearchRequest
from bridge.search.query import parse_query
from bridge.search.terms import HasName, conditions
from bridge.text.fold import fold_case
from bridge.types import Among, NoteKind, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

T = TypeVar("T")

Where = Annotated[str, Meta(max_length=2_000)]
"""An expression, such as `status == "open" && file.hasTag("project")`."""


class NoteFilter(Record):
    """Which notes a call is about.

    Attributes:
        folder: Only notes under this folder.
        tags: Only notes with all these tags; `a` matches `a/b`.
        properties: Only notes with these values; a list matches any.
        modified_after: Only notes modified since this time.
        modified_before: Only notes modified before this time.
        types: Only these file types.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.
    """

    folder: Folder | None = None
    tags: tuple[str, ...] = ()
    properties: Properties = field(default_factory=dict)
    modified_after: When | None = None
    modified_before: When | None = None
    types: tuple[NoteKind, ...] = ()
    among: Among | None = None

    def request(self, query: str = "", **options: Any) -> SearchRequest:
        return SearchRequest(
            query,
            folder=self.folder,
            tags=self.tags,
            properties=self.properties,
            modified_after=moment("modified_after", self.modified_after),
            modified_before=moment("modified_before", self.modified_before),
            types=self.types,
            **options,
        )


FilterArguments = Annotated[NoteFilter, Spread()]

_TURNS: Final = Turns("computing expressions")


async def evaluate_apart(work: Callable[[Budget], T]) -> T:
    """Evaluate the expressions of a call in a thread of their own; they stop once the call is cancelled."""
    budget = Budget()
    try:
        return await _TURNS.run(partial(_run, work, budget))
    finally:
        budget.cancel()


def _run(work: Callable[[Budget], T], budget: Budget) -> T:
    try:
        return work(budget)
    except MemoryError:
        raise InvalidArguments("The query takes too much memory.", hint="Use shorter texts and lists.") from None


async def notes_where(
    vault: OpenVault, notes: Notes, where: str
) -> tuple[frozenset[VaultPath] | None, tuple[str, ...]]:
    """Return the notes for which a condition is true, None without a condition, and what in it has no meaning."""
    if not where.strip():
        return None, ()

    node = parse_expression(where)
    check_functions([node])

    def find(budget: Budget) -> tuple[frozenset[VaultPath], tuple[str, ...]]:
        query = Evaluation(note_files(vault, notes), budget=budget)
        found = frozenset(path for path in notes if query.passes(node, path))
        return found, (*unknown_properties(notes, find_properties([node])), *query.notices)

    return await evaluate_apart(find)


def note_files(vault: OpenVault, notes: Notes) -> NoteFiles:
    """Return the files of a vault as expressions see them; blocks for a small file."""
    types = read_obsidian_settings(vault.root).property_types
    return NoteFiles(notes, vault.names, vault.root, types, datetime.now().astimezone())


def choose_among(vault: OpenVault, among: Among | None, places: Iterable[str | None] = (), query: str = "") -> Among:
    """Return the notes that a call is about."""
    if among is None:
        among = "all" if vault.settings.agents_notes_in_search else "notes"
    if among != "notes":
        return among
    folder = fold_case(agents_folder(vault.settings).path)
    named = (fold_case(place).strip("/") for place in (*places, *_queried_places(query)) if place)
    return "all" if any(place == folder or place.startswith(f"{folder}/") for place in named) else "notes"


def notes_among(vault: OpenVault, among: Among | None, folder: str | None, paths: Iterable[VaultPath]) -> Notes:
    """Return a copy of the notes that a call may be about.

    Raises:
        NoteNotFound: One of the paths is not among them; the message names the closest.
    """
    notes = snapshot(vault, choose_among(vault, among, (folder, *paths)))
    for path in paths:
        if path not in notes:
            raise no_such_note(vault, path)
    return notes


def _queried_places(query: str) -> Iterable[str]:
    if "path:" not in query.lower():
        return ()

    term = parse_query(query).condition
    named = () if term is None else [one for one in conditions(term) if isinstance(one, HasName)]
    return [one.text for one in named if one.kind == "path"]
