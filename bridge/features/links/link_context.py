"""Gathers what the vault knows about a text and the notes that it may link to."""

from collections.abc import Sequence

from bridge.engine.open_vault import OpenVault
from bridge.features.links.evidence import Evidence, FeedbackModel, graph_evidence, similarity_evidence
from bridge.features.links.link_candidates import Source
from bridge.markdown.note import Note
from bridge.markdown.prose import protected_spans
from bridge.records import dataclass
from bridge.types import VaultPath


def source_of(vault: OpenVault, note: Note, end: int | None = None) -> Source:
    """Return a note's prose, up to an offset if given, and its existing link targets."""
    written = {(link.target, link.kind) for link in note.links}
    targets = (vault.names.resolve(target, note.path, kind).path for target, kind in written)
    return Source(
        note.text, protected_spans(note, end), note.path or None, frozenset(t for t in targets if t is not None)
    )


@dataclass(frozen=True, slots=True)
class LinkContext:
    """What the vault knows about possible link targets of a text."""

    vault: OpenVault
    path: VaultPath | None
    learned: FeedbackModel

    def count_linking_notes(self, target: VaultPath) -> int:
        """Count the notes that link to a note."""
        graph = self.vault.graph
        return len(graph.linked_from(target)) if graph is not None else 0

    def resolve(self, wording: str) -> VaultPath | None:
        """Return the note that a link of this name would resolve to."""
        return self.vault.names.resolve(wording, self.path or VaultPath("")).path

    def more(self, target: VaultPath, form: str) -> Sequence[Evidence]:
        """Return evidence from semantic similarity, shared neighbours and past link feedback."""
        graph, index = self.vault.graph, self.vault.index
        learned = self.learned.part(self.path, target, form)
        parts: list[Evidence] = [learned] if learned is not None else []
        if self.path is None:
            return parts
        near = graph is not None and not graph.neighbours(self.path).isdisjoint(graph.neighbours(target))
        if near:
            parts.append(graph_evidence())
        mine, other = index.vector_of(self.path), index.vector_of(target)
        model = index.answering_model
        if mine is not None and other is not None and model is not None:
            meaning = similarity_evidence(float(mine @ other), model)
            parts += [meaning] if meaning else []
        return parts
