"""What is known about one note, in one answer."""

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, get_args

from bridge.api.call import Call
from bridge.api.moments import iso
from bridge.api.note_names import no_such_note, snapshot
from bridge.api.note_text import open_note
from bridge.api.note_times import NoteTimes
from bridge.api.registry import operation
from bridge.api.where import choose_among
from bridge.api.write import client_name
from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.features.links.public import Corpus, LinkContext, read_corpus, source_of, suggest
from bridge.features.memory.public import Audience, MemoryCatalogue
from bridge.features.profiles.aliases import suggest_aliases
from bridge.features.profiles.records import (
    AboutNote,
    IndexState,
    MissingLink,
    NoteHistory,
    NoteProfile,
    NoteStructure,
    OpenTask,
    ProfiledLinks,
    ProfiledSection,
    ProfilePart,
    RelatedNote,
    Tie,
    ViolatedRule,
)
from bridge.features.properties.public import Rule, find_violations, infer_rules, read_schemas, without_templates
from bridge.graph.kinds import WRITTEN
from bridge.index.note import Notes
from bridge.markdown.frontmatter import cut_frontmatter
from bridge.markdown.note import Note
from bridge.markdown.sections import section_names
from bridge.markdown.tasks import parse_task
from bridge.search.related import find_related
from bridge.state.change_records import ChangeFilter
from bridge.text.lines import LineIndex
from bridge.text.words import count_words
from bridge.types import Among, VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

TIES: Final = 3
LATEST: Final = 5
SHOWN: Final = 5
ASKED: Final = 15
"""Related notes that are looked at, since those that are linked are left out."""
MAX_UNRESOLVED_LINKS: Final = 20


async def describe_links(vault: OpenVault, among: Among, path: VaultPath) -> ProfiledLinks:
    """Return how many links a note has in each direction, and its place by that."""
    graph_snapshot = await vault.graph_snapshot(among)
    return await asyncio.to_thread(_count_links, vault, graph_snapshot, path)


def _count_links(vault: OpenVault, graph_snapshot: GraphSnapshot, path: VaultPath) -> ProfiledLinks:
    import numpy as np

    graph, notes = graph_snapshot.graph, graph_snapshot.notes
    targets = [(vault.names.resolve(target, path, kind).path, target) for target, kind in notes[path].targets]
    sources = graph.linked_from(path)
    degrees = graph.degrees(np.fromiter(graph.numbers, np.int64, len(graph)))
    own = graph.degree(path)
    return ProfiledLinks(
        links=len({target for target, _ in targets if target is not None and target != path}),
        backlinks=len(sources),
        unresolved=tuple(dict.fromkeys(name for target, name in targets if target is None))[:MAX_UNRESOLVED_LINKS],
        rank=int((degrees > own).sum()) + 1 if own else None,
        latest=tuple(sorted(sources & notes.keys(), key=lambda each: (-notes[each].mtime, each))[:LATEST]),
    )


async def strongest_ties(vault: OpenVault, among: Among, path: VaultPath) -> tuple[Tie, ...]:
    """Return the linked notes where a walk from the note is most often."""
    graph = (await vault.graph_snapshot(among)).graph
    number = graph.number(path)
    if number is None:
        return ()
    visits = (await asyncio.to_thread(graph.visits, [number]))[0]
    onward, backward = graph.links_to(path), graph.linked_from(path)
    strength = {each: float(visits[graph.nodes.find(each) or 0]) for each in (onward | backward) - {path}}
    best = sorted(strength, key=lambda each: (-strength[each], each))[:TIES]
    return tuple(Tie(each, round(strength[each], 4), each in onward and each in backward) for each in best)


async def related_unlinked(vault: OpenVault, among: Among, path: VaultPath) -> tuple[RelatedNote, ...]:
    graph = (await vault.graph_snapshot(among)).graph
    found = await find_related(await vault.sources_among(among), path=path, text=None, limit=ASKED)
    linked = graph.neighbours(path)
    return tuple(
        RelatedNote(hit.path, round(hit.score, 4), tuple(hit.why)) for hit in found.hits if hit.path not in linked
    )[:SHOWN]


def missing_links(vault: OpenVault, corpus: Corpus, note: Note, *, for_user: bool) -> tuple[MissingLink, ...]:
    around = LinkContext.of(vault, note.path, for_user=for_user)
    lines = LineIndex(note.text)
    found = suggest(source_of(vault, note), corpus, around)[:SHOWN]
    return tuple(MissingLink(one.target, one.text, lines.at(one.span[0]), round(one.score, 3)) for one in found)


async def describe_structure(vault: OpenVault, among: Among, path: VaultPath) -> NoteStructure:
    """Return a note's place in the graph of written links."""
    import numpy as np

    graph_snapshot = await vault.graph_snapshot(among)
    number = graph_snapshot.graph.number(path)
    if number is None:
        raise no_such_note(vault, path)
    shape = await vault.analytics.shape(graph_snapshot, WRITTEN)
    at = int(np.flatnonzero(shape.network.nodes == number)[0])
    hub, community = shape.measures.hub, shape.measures.community
    average = len(shape.network) / max(float(shape.rank[shape.network.nodes].sum()), 1e-12)
    return NoteStructure(
        hub=round(100 * float(hub[at]), 1),
        rank=int((hub > hub[at]).sum()) + 1,
        pagerank=round(float(shape.rank[number]) * average, 2),
        community=int(community[at]),
        members=int((community == community[at]).sum()),
    )


MAX_TASKS: Final = 20
MAX_MEMORIES: Final = 10
MIN_RULE_SHARE: Final = 0.8
"""The share of notes that must keep an inferred rule, as in `check_notes`."""


def outline_of(note: Note) -> tuple[ProfiledSection, ...]:
    cut = cut_frontmatter(note.text)
    start, starts = cut[1] if cut else 0, [heading.span[0] for heading in note.headings]
    ends = [*starts, len(note.text)]
    before = count_words(note.text[start : ends[0]])
    first = [ProfiledSection("", note.text.count("\n", 0, start) + 1, before)] if before else []
    return (
        *first,
        *(
            ProfiledSection(name, heading.line, count_words(note.text[heading.span[1] : end]))
            for name, heading, end in zip(section_names(note.headings), note.headings, ends[1:], strict=True)
        ),
    )


async def violated_rules(vault: OpenVault, among: Among, path: VaultPath) -> tuple[ViolatedRule, ...]:
    """Return the rules of schema notes, of a note's own folder and of its type that it does not keep."""
    every = snapshot(vault, among)
    stated, _ = await read_schemas(vault, every)
    return await asyncio.to_thread(_violated_rules, vault, every, path, stated)


def _violated_rules(
    vault: OpenVault, every: Notes, path: VaultPath, stated: Sequence[Rule]
) -> tuple[ViolatedRule, ...]:

    note, folder = every[path], path.rpartition("/")[0]
    notes = list(without_templates(vault, every.values()))
    beside = [each for each in notes if each.path.startswith(f"{folder}/")] if folder else notes
    inferred = [
        rule for rule in infer_rules(beside, MIN_RULE_SHARE) if not rule.scope.note_type and rule.scope.folder == folder
    ]
    if note.note_type:
        alike = [each for each in notes if each.note_type == note.note_type]
        inferred += [rule for rule in infer_rules(alike, MIN_RULE_SHARE) if rule.scope.note_type == note.note_type]
    asked = list(without_templates(vault, [note]))
    return tuple(
        ViolatedRule(rule.kind, rule.name, found[:200], rule.expected, rule.source)
        for rule, _, found in find_violations(asked, stated, inferred, notes)
    )


def last_change(vault: OpenVault, path: VaultPath) -> NoteHistory | None:
    changes = vault.review.changes(ChangeFilter(path=path, state="applied"), 1, 0)
    return next(
        (NoteHistory(one.id, iso(one.time), one.operation, one.client, one.reason) for one in changes),
        None,
    )


def index_state(vault: OpenVault, path: VaultPath) -> IndexState:
    held = vault.inspect(path)
    embedded = sum(passage.embedded for passage in held.passages)
    return IndexState(held.state, len(held.passages), embedded, held.problems)


def open_tasks(vault: OpenVault, path: VaultPath) -> tuple[OpenTask, ...]:
    """Return the first tasks of a note that are neither done nor cancelled."""
    is_open = read_obsidian_settings(vault.root).tasks.is_open
    tasks = (task for task in vault.index.notes[path].tasks if is_open(task.status))
    return tuple(OpenTask(task.line, parse_task(task.text).text, task.due) for task in tasks)[:MAX_TASKS]


def memories_about(call: Call, path: VaultPath) -> tuple[AboutNote, ...]:
    vault = call.vault
    vault.part(MemoryCatalogue).follow(vault.index.view("agents").notes)
    visible = vault.part(MemoryCatalogue).visible(Audience(client=client_name(call)), time.time())
    found = (
        memory
        for memory in visible.memories.values()
        if any(vault.names.resolve(name, memory.path).path == path for name in memory.about)
    )
    newest = sorted(found, key=lambda memory: (-memory.updated, memory.path))
    return tuple(AboutNote(memory.path, memory.title) for memory in newest[:MAX_MEMORIES])


BY_DEFAULT: Final[tuple[ProfilePart, ...]] = tuple(
    part for part in get_args(ProfilePart) if part not in ("structure", "aliases")
)
DAY_S: Final = 86_400


@operation(
    example={"path": "Bread/Starters/Sourdough starter.md", "parts": ["outline", "links", "tasks"]},
    tasks=(
        "everything that is known about one note",
        "profile of a note: outline, links, history and tasks",
        "how important is this note, and who changed it last",
        "other names that notes use for this one",
        "suggest aliases for a note",
    ),
)
async def note_profile(call: Call, path: VaultPath, parts: tuple[ProfilePart, ...] = BY_DEFAULT) -> NoteProfile:
    """Tell what is known about a note: sections, links, ties, missing links, broken rules, history, tasks, memories.

    Args:
        path: The note.
        parts: Only these parts; by default all but `structure` and `aliases`.

    Raises:
        NoteNotFound: No such note; the message names the closest.
    """
    vault = call.vault
    vault.require_keyword()
    if path not in vault.index.notes:
        raise no_such_note(vault, path)
    indexed = vault.index.notes[path]
    note = await asyncio.to_thread(open_note, vault, path)
    times = await asyncio.to_thread(NoteTimes.of, snapshot(vault).values(), vault.root, commits=True)
    modified = times.modification_time(indexed) or indexed.mtime
    found: dict[str, Any] = {}
    notices: list[str] = []
    for part in dict.fromkeys(parts):
        try:
            found[part] = await describe_part(call, part, note)
        except BridgeError as error:
            notices.append(f"`{part}` is not known: {error.message}")
    return NoteProfile(
        path=path,
        title=indexed.title,
        tags=tuple(indexed.tags),
        note_type=indexed.note_type,
        digest=indexed.digest,
        words=sum(section.words for section in outline_of(note)),
        created=await asyncio.to_thread(times.creation_text, indexed),
        modified=iso(modified),
        age_days=max(0, int((time.time() - modified) // DAY_S)),
        notices=tuple(notices),
        **found,
    )


async def describe_part(call: Call, part: ProfilePart, note: Note) -> object:  # noqa: PLR0911 - one part, one line
    among = choose_among(call.vault, None, (note.path,))
    match part:
        case "links":
            return await describe_links(call.vault, among, note.path)
        case "ties":
            return await strongest_ties(call.vault, among, note.path)
        case "related":
            return await related_unlinked(call.vault, among, note.path)
        case "missing_links":
            corpus = await read_corpus(call.vault)
            find = partial(missing_links, call.vault, corpus, note, for_user=call.is_user)
            return await asyncio.to_thread(find)
        case "rules":
            return await violated_rules(call.vault, among, note.path)
        case "aliases":
            return await suggest_aliases(call.vault, note.path)
        case "structure":
            return await describe_structure(call.vault, among, note.path)
        case _:
            return await asyncio.to_thread(_describe_at_once, call, part, note)


def _describe_at_once(call: Call, part: ProfilePart, note: Note) -> object:
    match part:
        case "outline":
            return outline_of(note)
        case "history":
            return last_change(call.vault, note.path)
        case "index":
            return index_state(call.vault, note.path)
        case "tasks":
            return open_tasks(call.vault, note.path)
        case _:
            return memories_about(call, note.path)
