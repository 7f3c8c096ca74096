"""The topics of a vault: its ontology, which notes have which topics, and the rules for them."""

import asyncio
from typing import TYPE_CHECKING

from bridge.records import dataclass
from bridge.topics.settings import TopicSettings

if TYPE_CHECKING:
    from bridge.engine.analytics import GraphSnapshot
    from bridge.engine.open_vault import OpenVault
    from bridge.topics.rules import TopicRules
    from bridge.topics.suggest import TopicSources
    from bridge.topics.values import TopicWriter

NO_ONTOLOGY = (
    "This vault has no ontology: `set_up_ontology` makes one, or the setting `topics.ontology_folder` names it."
)


@dataclass(frozen=True, slots=True, eq=False)
class VaultTopics:
    """What is known of the topics of a vault at one moment."""

    settings: TopicSettings
    snapshot: "GraphSnapshot"
    sources: "TopicSources"
    rules: "TopicRules"
    writer: "TopicWriter"


async def read_topics(vault: "OpenVault") -> VaultTopics | None:
    """Return the topics of the vault; None if it has no ontology.

    Raises:
        NotReady: The first full scan is not committed.
    """
    snapshot = await vault.graph_snapshot()
    corpus = await vault.mention_index.corpus()
    settings = vault.settings.section(TopicSettings)

    def read() -> VaultTopics | None:
        from bridge.topics.assignments import read_assignments
        from bridge.topics.evidence import TopicNames, rarity_by_count
        from bridge.topics.folders import FolderMeanings
        from bridge.topics.ontology import find_ontology_folder, read_ontology
        from bridge.topics.rules import read_rules
        from bridge.topics.suggest import TopicSources
        from bridge.topics.values import TopicWriter
        from bridge.vault.obsidian_settings import read_obsidian_settings

        notes = snapshot.notes
        folder = find_ontology_folder(settings.ontology_folder, notes)
        if folder is None:
            return None
        ontology = read_ontology(folder, notes)
        obsidian = read_obsidian_settings(vault.root)
        templates = f"{obsidian.template_folder}/" if obsidian.template_folder else None
        having = [
            note
            for note in notes.values()
            if note.kind == "note" and not (templates and note.path.startswith(templates))
        ]
        assignments = read_assignments(having, settings.topic_property, vault.names, ontology)
        sources = TopicSources(
            snapshot.index,
            snapshot.graph,
            notes,
            ontology,
            assignments,
            TopicNames(ontology.topics, rarity_by_count(corpus.notes, len(corpus))),
            FolderMeanings(settings.folder_meaning, settings.generic_folders, ontology),
        )
        rules = read_rules(notes.get(ontology.instructions), ontology)
        writer = TopicWriter(settings.topic_property, vault.names, obsidian, assignments)
        return VaultTopics(settings, snapshot, sources, rules, writer)

    return await asyncio.to_thread(read)
