"""How a note is linked, and with what it should be."""

import asyncio
from typing import Final

from bridge.api.not_found import no_such_note
from bridge.engine.analytics import GraphSnapshot
from bridge.engine.link_context import LinkContext, source_of
from bridge.engine.open_vault import OpenVault
from bridge.features.profiles.records import MissingLink, NoteStructure, ProfiledLinks, RelatedNote, Tie
from bridge.graph.kinds import WRITTEN
from bridge.linking.corpus import Corpus
from bridge.linking.evidence import FeedbackModel
from bridge.linking.suggest import suggest
from bridge.markdown.note import Note
from bridge.search.related import find_related
from bridge.text.lines import LineIndex
from bridge.types import Among, VaultPath

TIES: Final = 3
LATEST: Final = 5
SHOWN: Final = 5
ASKED: Final = 15
"""Related notes that are looked at, since those that are linked are left out."""
MOST_UNRESOLVED: Final = 20


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
        unresolved=tuple(dict.fromkeys(name for target, name in targets if target is None))[:MOST_UNRESOLVED],
        rank=int((degrees > own).sum()) + 1 if own else None,
        latest=tuple(sorted(sources & notes.keys(), key=lambda each: (-notes[each].modified, each))[:LATEST]),
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
    around = LinkContext(vault, note.path, FeedbackModel(vault.store.feedback.all(), for_user=for_user))
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
