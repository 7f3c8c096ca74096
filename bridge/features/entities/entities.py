"""What the notes of a vault are about, and which of them may be one."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from bridge.api.call import Call
from bridge.api.hints import Folder
from bridge.api.markup import Column, Element, Table, notice
from bridge.api.moments import iso
from bridge.api.note_names import folder_of
from bridge.api.page import ListPage, Page, PageArguments
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.engine.analytics import GraphSnapshot
from bridge.features.dismissals.public import dismissed_rows
from bridge.features.entities.merge_pairs import KIND_PROPERTIES, MergeSuggestion, find_merge_pairs
from bridge.features.links.public import Corpus, read_corpus
from bridge.graph.kinds import LINKS
from bridge.index.boilerplate import is_template
from bridge.index.note import IndexedNote
from bridge.records import Record
from bridge.state.dismissals import Dismissal
from bridge.text.counts import count_of
from bridge.text.fold import fold_case
from bridge.text.invisible import inline, one_line
from bridge.types import Among, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings


class MergeSuggestions(ListPage):
    """Pairs of notes that may be one.

    Attributes:
        pairs: Most certain first.
        dismissed: How many more were dismissed; absent if none.
    """

    pairs: tuple[MergeSuggestion, ...]
    dismissed: int | None = None


@operation(
    example={"limit": 5},
    tasks=(
        "notes about the same thing that could be merged",
        "near-duplicate notes",
    ),
    whole_vault=True,
)
async def merge_suggestions(
    call: Call,
    folder: Folder | None = None,
    page: PageArguments = Page(20),
    among: Among | None = None,
) -> MergeSuggestions:
    """Find pairs of notes that may be one, each with the reasons; never a note of a day, or two numbers of a series.

    Args:
        folder: Only pairs with a note under this folder.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.

    Raises:
        FolderNotFound: No notes in such a folder; the message names the closest.
    """
    vault = call.vault
    graph_snapshot = await vault.graph_snapshot(choose_among(vault, among, (folder,)))
    inside = folder_of(graph_snapshot.notes, folder)
    texts = await graph_snapshot.index.wholes()
    dismissed = await dismissed_rows(call, "merge")

    def find() -> MergeSuggestions:
        settings = read_obsidian_settings(vault.root)
        folder = settings.template_folders
        notes = {path: note for path, note in graph_snapshot.notes.items() if not is_template(note, folder)}
        learnt = graph_snapshot.index.boilerplate
        said = {path: learnt.blank(text) for path, text in texts.items()}
        every = find_merge_pairs(notes, said, graph_snapshot.graph, daily_folder=settings.daily_folder)
        asked = [
            one for one in every if not inside or any(path.startswith(f"{inside}/") for path in (one.path, one.into))
        ]
        found = [one for one in asked if Dismissal("merge", frozenset((one.path, one.into))) not in dismissed]
        return MergeSuggestions(page.cut(found), len(asked) - len(found) or None, **page.place(len(found)))

    return await asyncio.to_thread(find)


CategorySource = Literal["property", "folder", "tag", "none"]
EntitySort = Literal["hub", "linked", "mentioned", "last", "name"]


class Entity(Record):
    """A note as a thing that other notes speak of.

    Attributes:
        path: The note.
        name: Its title.
        aliases: Its other names.
        category: What kind of thing it is; empty if nothing says so.
        category_from: What says so: the property `type` or `category`, else its folder, else its first tag.
        hub: How well it is connected to well-connected notes, 0–100.
        linked: Notes that link to it.
        mentioned: Other notes that say the most common of its names, linked or not.
        last: When it or a note that links to it was last modified.
    """

    path: VaultPath
    name: str
    aliases: tuple[str, ...]
    category: str
    category_from: CategorySource
    hub: float
    linked: int
    mentioned: int
    last: str


class EntityList(ListPage):
    """A page of entities.

    Attributes:
        entities: In the requested order.
        categories: Every category with its count, before `category` was applied; most common first.
    """

    entities: tuple[Entity, ...]
    categories: dict[str, int]


@operation(
    example={"limit": 5},
    tasks=(
        "people, places and things in the vault",
        "list the entities with their aliases",
        "which kinds of things do my notes describe",
        "most mentioned notes",
    ),
)
async def list_entities(
    call: Call,
    category: str | None = None,
    query: str | None = None,
    folder: Folder | None = None,
    sort: EntitySort = "hub",
    page: PageArguments = Page(50),
    among: Among | None = None,
) -> EntityList:
    """List notes as the things that others speak of: names, aliases, kind, and how often they are linked and named.

    Args:
        category: Only this category, in any case.
        query: Only those with these words in a name or alias.
        folder: Only notes under this folder.
        sort: Best-connected first by default; `last` is most recent first.
        among: `notes` (the default) omits the agents' folder unless it is named; `agents` is only that folder.

    Raises:
        FolderNotFound: No notes in such a folder; the message names the closest.
    """
    vault = call.vault
    graph_snapshot = await vault.graph_snapshot(choose_among(vault, among, (folder,)))
    inside = folder_of(graph_snapshot.notes, folder)
    corpus = await read_corpus(vault)
    shape = await vault.analytics.shape(graph_snapshot, LINKS)

    def find() -> EntityList:
        nodes, scores = shape.network.nodes.tolist(), shape.measures.hub.tolist()
        paths = graph_snapshot.graph.paths
        hubs = {paths[node]: round(100 * score, 1) for node, score in zip(nodes, scores, strict=True) if node in paths}
        words = fold_case(query or "").split()
        kept = [
            note
            for path, note in graph_snapshot.notes.items()
            if note.kind == "note"
            and (not inside or path.startswith(f"{inside}/"))
            and all(word in fold_case("\n".join((note.title, *note.aliases))) for word in words)
        ]
        kinds = {note.path: category_of(note) for note in kept}
        counts = Counter(kind for kind, _ in kinds.values() if kind)
        wanted = None if category is None else fold_case(category.strip())
        chosen = [note for note in kept if wanted is None or fold_case(kinds[note.path][0]) == wanted]
        every = [describe_entity(note, kinds[note.path], hubs, graph_snapshot, corpus) for note in chosen]
        found = order_entities(every, sort)
        return EntityList(page.cut(found), dict(counts.most_common(50)), **page.place(len(found)))

    return await asyncio.to_thread(find)


def category_of(note: IndexedNote) -> tuple[str, CategorySource]:
    for name in KIND_PROPERTIES:
        value = next((value for known, value in note.properties.items() if known.casefold() == name), None)
        first = next(iter(value), None) if isinstance(value, list | tuple) else value
        if isinstance(first, str) and (shown := one_line(first)):
            return shown.removeprefix("[[").removesuffix("]]").rpartition("|")[2].strip(), "property"
    if folder := note.path.rpartition("/")[0].rpartition("/")[2]:
        return one_line(folder), "folder"
    if note.tags:
        return one_line(note.tags[0]), "tag"
    return "", "none"


def describe_entity(
    note: IndexedNote,
    kind: tuple[str, CategorySource],
    hubs: dict[VaultPath, float],
    graph_snapshot: GraphSnapshot,
    corpus: Corpus,
) -> Entity:
    sources = graph_snapshot.graph.linked_from(note.path)
    own = corpus.forms_in(note.path)
    forms = {fold_case(name) for name in (note.title, *note.aliases)}
    times = (graph_snapshot.notes[path].mtime for path in (note.path, *sources) if path in graph_snapshot.notes)
    return Entity(
        note.path,
        note.title,
        note.aliases,
        *kind,
        hub=hubs.get(note.path, 0.0),
        linked=len(sources),
        mentioned=max((corpus.notes(form) - (form in own) for form in forms), default=0),
        last=iso(max(times)),
    )


def order_entities(entities: Iterable[Entity], sort: EntitySort) -> Sequence[Entity]:
    """Return entities in an order; by name where they are equal."""
    named = sorted(entities, key=lambda one: (one.name.casefold(), one.path))
    match sort:
        case "name":
            return named
        case "last":
            return sorted(named, key=lambda one: one.last, reverse=True)
        case "hub" | "linked" | "mentioned":
            return sorted(named, key=lambda one: -getattr(one, sort))


PAIRS = (
    Column("path", role="path"),
    Column("into", " → {}", role="path"),
    Column("confidence", " · {:.0%}"),
    Column("why", lambda why: " · " + ", ".join(why)),
    Column("common", " · {:.0%} in common", detail=True),
)

ENTITIES = (
    Column("path", role="path"),
    Column("aliases", lambda aliases: " · also " + ", ".join(map(inline, aliases))),
    Column("category", lambda category: f" · {inline(category)}"),
    Column("category_from", " by {}", detail=True),
    Column("hub", " · {} of 100"),
    Column("linked", " · linked from {}"),
    Column("mentioned", " · named in {}"),
    Column("last", " · {}", detail=True),
)


def merge_suggestions_view(suggested: MergeSuggestions) -> Iterable[Element]:
    total, dismissed = suggested.total, suggested.dismissed
    shown = f"{len(suggested.pairs)} of " if len(suggested.pairs) < total else ""
    besides = f", {dismissed} more dismissed" if dismissed else ""
    yield notice(f"{shown}{count_of(total, 'pair')} of notes that may be one{besides}")
    yield Table(PAIRS, suggested.pairs)


def entity_list_view(listed: EntityList) -> Iterable[Element]:
    total = listed.total
    shown = f"{len(listed.entities)} of " if len(listed.entities) < total else ""
    kinds = ", ".join(f"{inline(kind)} {count}" for kind, count in listed.categories.items())
    yield notice(f"{shown}{total:,} entities" + (f": {kinds}" if kinds else ""))
    yield Table(ENTITIES, listed.entities)
