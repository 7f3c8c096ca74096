"""The topics of a vault: their folder, which notes have which topics, and the rules for them."""

import asyncio
from collections.abc import Collection, Mapping

from msgspec.structs import replace

from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.errors import InvalidArguments
from bridge.features.links.public import read_corpus
from bridge.features.topics.assignments import read_assignments, topic_values
from bridge.features.topics.definition import Definition, first_sentence
from bridge.features.topics.evidence import TopicNames, rarity_by_count
from bridge.features.topics.findings import TopicWriter
from bridge.features.topics.suggest import FolderMeanings, TopicSources, topic_edges
from bridge.features.topics.topic_tree import TopicRules, TopicSettings, find_topic_folder, read_rules, read_topic_tree
from bridge.features.topics.traits import Traits
from bridge.graph.columns import Edges
from bridge.index.boilerplate import is_template
from bridge.records import Record
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import read_obsidian_settings

NO_TOPIC_FOLDER = "This vault has no topic folder: `set_up_topics` makes one, or the setting `topics.folder` names it."


class VaultTopics(Record, eq=False):
    """What is known of the topics of a vault at one moment."""

    settings: TopicSettings
    snapshot: GraphSnapshot
    sources: TopicSources
    rules: TopicRules
    writer: TopicWriter
    templates: Collection[str]
    """The folders of templates."""


async def read_topics(vault: OpenVault, *, rarity: bool = False) -> VaultTopics | None:
    """Return the topics of the vault; None if it has no topic folder."""
    settings = vault.settings.section(TopicSettings)
    snapshot = await vault.graph_snapshot()

    def read() -> VaultTopics | None:

        notes = snapshot.notes
        folder = find_topic_folder(settings.folder, notes)
        if folder is None:
            return None
        tree = read_topic_tree(folder, notes)
        obsidian = read_obsidian_settings(vault.root)
        templates = obsidian.template_folders
        having = [note for note in notes.values() if note.kind == "note" and not is_template(note, templates)]
        assignments = read_assignments(having, settings.topic_property, vault.names, tree)
        sources = TopicSources(
            snapshot.index,
            snapshot.graph,
            notes,
            tree,
            assignments,
            TopicNames({}),
            FolderMeanings(settings.folder_meaning, settings.generic_folders, tree),
            Traits(notes, settings.topic_property, tree, assignments),
        )
        rules = read_rules(notes.get(tree.instructions), tree)
        writer = TopicWriter(settings.topic_property, vault.names, obsidian, assignments)
        return VaultTopics(settings, snapshot, sources, rules, writer, templates)

    known = await asyncio.to_thread(read)
    if known is None or not rarity:
        return known
    corpus = await read_corpus(vault)
    topics = known.sources.tree.topics
    texts = await known.sources.index.wholes(topics)

    def names() -> TopicNames:

        rarity = rarity_by_count(known.sources.index.document_frequency, len(known.sources.notes))
        definitions = {
            path: Definition(topics[path].name, first_sentence(path, text), rarity) for path, text in texts.items()
        }
        return TopicNames(topics, rarity_by_count(corpus.notes, len(corpus)), definitions)

    return replace(known, sources=replace(known.sources, names=await asyncio.to_thread(names)))


async def read_topic_edges(vault: OpenVault) -> tuple[GraphSnapshot, Edges]:
    """Return the graph of topics with the snapshot that it was taken from."""
    known = await read_topics(vault)
    if known is None:
        raise InvalidArguments("This vault has no topic folder.", hint=NO_TOPIC_FOLDER)

    def collect() -> Edges:

        return topic_edges(known.sources)

    return known.snapshot, await asyncio.to_thread(collect)


async def shared_topics(vault: OpenVault, path: VaultPath, others: Collection[VaultPath]) -> Mapping[VaultPath, str]:
    """Return the name of a topic that notes share with a note, by those that do."""
    settings = vault.settings.section(TopicSettings)

    def find() -> dict[VaultPath, str]:

        notes = vault.index.view("notes").notes
        folder = find_topic_folder(settings.folder, notes)
        if folder is None:
            return {}
        tree = read_topic_tree(folder, notes)

        def topics(note: VaultPath) -> set[VaultPath]:
            known = notes.get(note)
            values = topic_values(known, settings.topic_property, vault.names, tree) if known else ()
            return {value.topic for value in values if value.topic is not None}

        own = topics(path)
        shared = {other: own & topics(other) for other in others} if own else {}
        return {other: min(tree.topics[topic].name for topic in found) for other, found in shared.items() if found}

    return await asyncio.to_thread(find)
