"""What joins two notes, in words: the sentence that links, the tag of both, how close they are."""

import itertools
from collections.abc import Iterable, Mapping, Sequence

from bridge.api.note_text import open_note
from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.errors import BridgeError
from bridge.graph.columns import Edges
from bridge.graph.kinds import CODES, KINDS, SHARED, WEIGHTS, EdgeKind
from bridge.graph.pairs import shared_tags
from bridge.markdown.note import Note
from bridge.records import dataclass
from bridge.text.fold import fold_case
from bridge.text.sentence import sentence_at
from bridge.types import VaultPath


@dataclass(frozen=True, slots=True)
class GraphStep:
    """A step from one note to the next.

    Attributes:
        source: Its start.
        target: Its end.
        kind: Its edge kind, the most telling of several.
        note: The note with the link: `target` if followed backwards; null for an unwritten edge.
        line: Line of the link.
        text: The sentence around it, an arrow's label, or what both notes share.
    """

    source: VaultPath
    target: VaultPath
    kind: EdgeKind
    note: VaultPath | None
    line: int | None
    text: str


Pair = tuple[int, int]


def describe_steps(
    vault: OpenVault, graph_snapshot: GraphSnapshot, edges: Edges, found: Iterable[Sequence[int]]
) -> Mapping[Pair, GraphStep]:
    """Describe each step of some ways once; reads the notes that are quoted."""
    texts: dict[VaultPath, Note | None] = {}
    pairs = dict.fromkeys(pair for way in found for pair in itertools.pairwise(way))
    return {pair: describe_step(vault, graph_snapshot, edges, pair, texts) for pair in pairs}


def describe_step(
    vault: OpenVault,
    graph_snapshot: GraphSnapshot,
    edges: Edges,
    pair: Pair,
    texts: dict[VaultPath, Note | None],
) -> GraphStep:
    """Describe what joins two notes: what somebody wrote goes first, in the direction of the step if it can be."""
    one, other = pair
    joining = edges.between(one, other)
    columns = (joining.kind.tolist(), joining.source.tolist(), joining.owner.tolist(), joining.weight.tolist())
    shared = {CODES[kind] for kind in SHARED}
    kind, source, owner, weight = min(
        zip(*columns, strict=True), key=lambda row: (row[0] in shared, row[1] != one, row[0])
    )
    paths = graph_snapshot.graph.paths
    ends = paths[one], paths[other]
    match KINDS[kind]:
        case "tag":
            tags = shared_tags(graph_snapshot.notes[ends[0]].tags, graph_snapshot.notes[ends[1]].tags)
            rarest = min((count_tagged(graph_snapshot, tag), tag) for tag in tags)
            return GraphStep(*ends, "tag", None, None, f"both carry #{rarest[1]}, as {rarest[0]} notes do")
        case "folder":
            return GraphStep(
                *ends, "folder", None, None, f"both are in {ends[0].rpartition('/')[0] or 'the top folder'}"
            )
        case "similar":
            return GraphStep(*ends, "similar", None, None, f"close in meaning ({weight / WEIGHTS['similar']:.2f})")
        case written:
            goal = paths[other if source == one else one]
            place = quote_sentence(vault, graph_snapshot, paths[owner], goal, written, texts)
            return GraphStep(*ends, written, paths[owner], *place)


def count_tagged(graph_snapshot: GraphSnapshot, tag: str) -> int:
    folded = fold_case(tag)
    return sum(any(folded == fold_case(other) for other in note.tags) for note in graph_snapshot.notes.values())


def quote_sentence(
    vault: OpenVault,
    graph_snapshot: GraphSnapshot,
    owner: VaultPath,
    goal: VaultPath,
    kind: EdgeKind,
    texts: dict[VaultPath, Note | None],
) -> tuple[int | None, str]:
    """Return the line and the sentence in which a note names another; what changed since is told by the index."""
    if kind == "arrow":
        arrows = (
            arrow
            for arrow in graph_snapshot.notes[owner].arrows
            if goal == vault.names.resolve(arrow[1], owner, "canvas").path
        )
        return None, next((label for *_, label in arrows), "")
    if owner not in texts:
        try:
            texts[owner] = open_note(vault, owner)
        except BridgeError:
            texts[owner] = None
    note = texts[owner]
    for link in note.links if note else graph_snapshot.notes[owner].links:
        if link.kind == kind and vault.names.resolve(link.target, owner, link.kind).path == goal:
            return link.line, sentence_at(note.text, link.span) if note else link.shown or link.target
    return None, ""
