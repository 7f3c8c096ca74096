"""`scripts/eval --topics`: the topics of a fifth of the notes are hidden, and suggested again."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from bridge.cli.local import open_bridge, wait_until_readable
from bridge.engine.analytics import GraphSnapshot
from bridge.engine.open_vault import OpenVault
from bridge.features.links.mentions import read_corpus
from bridge.features.topics.assignments import Assignments, TopicValue, value_texts
from bridge.features.topics.evidence import NoteFacts, TopicNames, rarity_by_count
from bridge.features.topics.suggest import (
    HIDDEN_PARTS,
    FolderMeanings,
    TopicModel,
    TopicSources,
    choose_hidden,
    fit_model,
    gather_hidden,
    read_facts,
)
from bridge.features.topics.topic_tree import Topic, TopicTree
from bridge.features.topics.traits import Traits
from bridge.graph.graph import Graph
from bridge.index.note import IndexedNote
from bridge.markdown.frontmatter import link_in_value
from bridge.text.fold import fold_case
from bridge.types import VaultPath
from scripts.lib.evaluation.linked import SAMPLE

MIN_TOPIC_NOTES: Final = 3
"""Notes from which on something counts as a topic."""

MAX_HIDDEN: Final = 500
"""Notes of a vault whose topics are hidden at most."""

Pairs = Iterator[tuple[VaultPath, VaultPath, str]]
"""A note, its topic, and the topic's name."""

Role = Callable[[OpenVault, GraphSnapshot], Pairs]
"""Yields what plays the part of topics in a vault."""


@dataclass(slots=True)
class Found:
    """What was found again."""

    at_three: list[float] = field(default_factory=list)
    shown: int = 0
    right: int = 0
    hidden: int = 0
    notes: int = 0
    defaults: int = 0

    def __str__(self) -> str:
        """Return the figures in one line."""
        mean = sum(self.at_three) / max(1, len(self.at_three))
        precision = f"{self.right / self.shown:.3f}" if self.shown else "none"
        learnt = f", {self.defaults} of {HIDDEN_PARTS} by default weights" if self.defaults else ""
        return (
            f"{self.notes:4} notes {self.hidden:5} hidden   P@3 {mean:.3f}   shown {self.shown:4}"
            f" precision {precision}   recall {self.right / max(1, self.hidden):.3f}{learnt}"
        )


def roles(root: Path) -> Mapping[str, Role]:
    """Return what plays the part of topics in a vault."""
    match root.name:
        case "kepano":
            return {
                "categories": property_role("categories"),
                "type": property_role("type"),
                "topics": property_role("topics"),
            }
        case "oldwinter-zh":
            return {"tags": tag_role, "index notes": index_role}
        case _:
            return {"tags": tag_role}


def property_role(name: str) -> Role:
    """Take the links in a property as topics."""

    def pairs(vault: OpenVault, snapshot: GraphSnapshot) -> Pairs:
        for note in snapshot.notes.values():
            for text in value_texts(note, name):
                if link := link_in_value(text):
                    target = vault.names.resolve(link.target, note.path, "property").path
                    yield note.path, target or VaultPath(f"\0/{fold_case(link.target)}.md"), link.target

    return pairs


def tag_role(_: OpenVault, snapshot: GraphSnapshot) -> Pairs:
    """Take the tags in properties as topics, unless the text has them as well."""
    for note in snapshot.notes.values():
        for text in value_texts(note, "tags"):
            for tag in text.replace(",", " ").split():
                name = tag.removeprefix("#")
                yield note.path, VaultPath(f"\0/{fold_case(name)}.md"), name.rpartition("/")[2]


def index_role(_: OpenVault, snapshot: GraphSnapshot) -> Pairs:
    """Take the notes that collect links, whose names begin with a sign for it, as the topics of what they link to."""
    for path, note in snapshot.notes.items():
        if path.rpartition("/")[2].startswith("∑"):
            for other in snapshot.graph.links_to(path):
                yield other, path, note.title.removeprefix("∑").strip()


async def print_topics(data: Path, models: Path, *, use_model: bool) -> int:
    """Print for each vault and part how many topics are found again; return the exit status."""
    for root in (
        SAMPLE,
        data / "vaults" / "kepano",
        data / "vaults" / "oldwinter-zh",
        *sorted((data / "links").glob("*_*")),
    ):
        if root.is_dir():
            await _print_vault(root, models, use_model=use_model)
    return 0


async def _print_vault(root: Path, models: Path, *, use_model: bool) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / root.name
        shutil.copytree(root, copy, copy_function=shutil.copyfile)
        for folder in copy.rglob("*"):
            folder.chmod(0o700 if folder.is_dir() else 0o600)
        async with open_bridge(
            Path(temporary) / "data", models if use_model else Path(temporary) / "none", [copy]
        ) as bridge:
            for host in bridge.vaults.values():
                await wait_until_readable(bridge, host, None)
                vault = host.vault
                while use_model and vault.index.pending_vectors():
                    await vault.signal.wait(1.0)
                snapshot = await vault.graph_snapshot()
                for name, role in roles(root).items():
                    found = await measure(vault, snapshot, list(role(vault, snapshot)), name)
                    if found is not None:
                        by = "vectors" if vault.index.answering_model else "words"
                        print(f"{root.name[:24]:24} {name:12} {by:8} {found}", flush=True)


async def measure(
    vault: OpenVault, snapshot: GraphSnapshot, pairs: list[tuple[VaultPath, VaultPath, str]], hidden_property: str
) -> Found | None:
    """Hide the topics of a fifth of the notes after the other, learn from the others, and suggest.

    Returns:
        None if there are too few.
    """
    counts = Counter(topic for _, topic in {(note, topic) for note, topic, _ in pairs})
    names = {topic: name for _, topic, name in pairs if counts[topic] >= MIN_TOPIC_NOTES}
    kept = [(note, topic) for note, topic, _ in pairs if topic in names and note not in names]
    if len({topic for _, topic in kept}) < 2:
        return None
    sources = await _sources(vault, snapshot, names, kept, hidden_property)
    assigned = sorted(sources.assignments.by_note)
    facts = await read_facts(sources, sorted({path for part in choose_hidden(assigned, MAX_HIDDEN) for path in part}))
    found = Found()
    for part in choose_hidden(sorted(facts), MAX_HIDDEN):
        _score_part(sources, part, facts, found)
    return found


def _score_part(
    sources: TopicSources, part: list[VaultPath], facts: Mapping[VaultPath, NoteFacts], found: Found
) -> None:
    """Learn without a part of the notes, and count what is suggested for them."""
    known = replace(sources, assignments=_without(sources.assignments, frozenset(part)))
    inner = choose_hidden(sorted(path for path in facts if path not in part))
    model = fit_model([gather_hidden(known, each, facts) for each in inner])
    found.defaults += model == TopicModel()
    for path, candidates in gather_hidden(sources, part, facts).items():
        wanted = len(sources.assignments.of(path))
        ranked = sorted(candidates, key=lambda one: -model.probability(one[0]))
        found.at_three.append(sum(right for _, right in ranked[:3]) / min(3, wanted))
        told = [right for evidence, right in ranked if model.suggests(evidence)]
        found.shown += len(told)
        found.right += sum(told)
        found.hidden += wanted
        found.notes += 1


def _without(assignments: Assignments, hidden: frozenset[VaultPath]) -> Assignments:
    return Assignments.collect(
        (path, TopicValue("", topic, None, "wiki"))
        for path, topics in assignments.by_note.items()
        if path not in hidden
        for topic in topics
    )


async def _sources(
    vault: OpenVault,
    snapshot: GraphSnapshot,
    names: Mapping[VaultPath, str],
    kept: list[tuple[VaultPath, VaultPath]],
    hidden_property: str,
) -> TopicSources:
    corpus = await read_corpus(vault)
    topics = {path: Topic(path, name, _aliases(snapshot.notes.get(path)), "") for path, name in names.items()}
    tree = TopicTree(VaultPath("\0"), topics, {}, {fold_case(one.name): path for path, one in topics.items()})
    assignments = Assignments.collect((note, TopicValue("", topic, None, "wiki")) for note, topic in kept)
    rarity = rarity_by_count(corpus.notes, len(corpus))
    graph = _Unlinked(snapshot.graph, frozenset(names))
    return TopicSources(
        snapshot.index,
        graph,  # type: ignore[arg-type]  # only `neighbours` is asked
        snapshot.notes,
        tree,
        assignments,
        TopicNames(topics, rarity),
        FolderMeanings("topics", (), tree),
        Traits(snapshot.notes, hidden_property, tree, assignments),
    )


def _aliases(note: IndexedNote | None) -> tuple[str, ...]:
    return () if note is None else note.aliases


class _Unlinked:
    """A graph in which notes are not neighbours of topics, wherever these are."""

    def __init__(self, graph: Graph, topics: frozenset[VaultPath]) -> None:
        self._graph = graph
        self._topics = topics

    def neighbours(self, path: VaultPath) -> frozenset[VaultPath]:
        return self._graph.neighbours(path) - self._topics
