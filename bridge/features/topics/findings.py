"""What is not in order with the topics of notes, each with the requests that would mend it."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath
from time import time
from typing import Any, Final, Literal, get_args

from msgspec.structs import replace

from bridge.changes.link_text import write_link
from bridge.changes.requests.create_note import CreateNote
from bridge.changes.requests.edit_note import SetProperties
from bridge.changes.requests.merge_notes import MergeNotes
from bridge.changes.requests.move_note import DeleteNote, MoveNote
from bridge.features.entities.public import MergeReason, MergeSuggestion
from bridge.features.topics.assignments import Assignments, TopicValue, property_spelling, topic_values
from bridge.features.topics.suggest import TopicSources
from bridge.features.topics.topic_tree import TopicRules, TopicTree
from bridge.index.note import IndexedNote, time_created
from bridge.markdown.frontmatter import link_in_value
from bridge.markdown.names import Names, note_name
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings

TopicEdit = CreateNote | SetProperties | MoveNote | MergeNotes | DeleteNote
"""One change that mends something."""


class TopicWriter:
    """Writes the values of the topic property."""

    def __init__(self, property_name: str, names: Names, style: ObsidianSettings, assignments: Assignments) -> None:
        """Prepare to write."""
        self._property = property_name
        self._names = names
        wiki, markdown = assignments.styles["wiki"], assignments.styles["markdown"]
        self._style = style if wiki == markdown else replace(style, markdown_links=markdown > wiki)

    def link(self, topic: VaultPath, source: VaultPath) -> str:
        """Return a topic as a value of a note; the topic need not exist yet."""
        shown, names = note_name(topic), self._names
        if topic not in names:
            names = names.copy()
            names.add(topic)
        return write_link(shown, topic, source, names, self._style) or f"[[{topic}]]"

    def values(self, note: IndexedNote) -> tuple[str, Sequence[Any]]:
        """Return the name of the topic property as a note spells it, and all its values."""
        name = property_spelling(note, self._property)
        value = note.properties.get(name)
        if isinstance(value, list | tuple):
            return name, value
        return name, () if value is None or value == "" else (value,)

    def change(
        self, note: IndexedNote, *, add: Collection[VaultPath] = (), remove: Collection[str] = ()
    ) -> SetProperties:
        """Return the request that adds topics to a note, and removes values as they are written."""
        name, values = self.values(note)
        kept = [value for value in values if value not in remove]
        kept += [link for topic in add if (link := self.link(topic, note.path)) not in kept]
        if not kept:
            return SetProperties(note.path, note.digest, remove=(name,))
        return SetProperties(note.path, note.digest, {name: kept})


FindingKind = Literal["values", "new", "orphan", "rare", "alike"]
FINDING_KINDS: Final[tuple[FindingKind, ...]] = get_args(FindingKind)
"""In the order in which the requests of findings fit together: what is set before what is moved and rewritten."""

StrayKind = Literal["missing", "outside", "unwanted"]


class StrayTopic(Record):
    """A value of the topic property that should not be there.

    Attributes:
        value: The value as written.
        problem: `missing`: it names no note; `outside`: its note is no topic; `unwanted`: the rules prefer another.
        instead: The topic of the same name, or the one that the rules prefer.
    """

    value: str
    problem: StrayKind
    instead: VaultPath | None = None


class TopicFinding(Record):
    """Something that is not in order with topics.

    The requests of several findings fit together in one change set, in the order of the kinds.
    """

    kind: FindingKind
    path: VaultPath
    """The note or topic that it is about; of a new topic, where its note would be."""
    values: tuple[StrayTopic, ...] = ()
    topic: VaultPath | None = None
    """The topic that stays."""
    notes: tuple[VaultPath, ...] = ()
    """The notes with the topic; of a new one, those that would get it."""
    why: tuple[MergeReason, ...] = ()
    edits: tuple[TopicEdit, ...] = ()


def find_stray_values(
    sources: TopicSources, property_name: str, rules: TopicRules, writer: TopicWriter, names: Names
) -> Iterator[TopicFinding]:
    """Yield the notes with values that mean no topic, or one to which the rules prefer another.

    What a person wrote is led to the topic that it means, never taken out; a note outside the topic folder stays there.
    """
    paths = {path for path, _ in sources.assignments.astray}
    for topic in rules.prefer:
        paths.update(sources.assignments.by_topic.get(VaultPath(topic), ()))
    for path in sorted(paths):
        note = sources.notes[path]
        if rules.never.covers(path) or note.is_left_alone:
            continue
        found = tuple(
            stray
            for value in topic_values(note, property_name, names, sources.tree)
            if (stray := _judge(value, rules, names, sources.tree)) is not None
        )
        if found:
            wanted = dict.fromkeys(one.instead for one in found if one.instead is not None)
            add = [topic for topic in wanted if topic not in sources.assignments.of(path)]
            wrong = [one.value for one in found if one.instead is not None]
            edits = (writer.change(note, add=add, remove=wrong),) if wrong else ()
            yield TopicFinding("values", path, found, edits=edits)


def _judge(value: TopicValue, rules: TopicRules, names: Names, tree: TopicTree) -> StrayTopic | None:
    instead = rules.prefer.get(value.topic or _key_of(value))
    if instead is not None:
        return StrayTopic(value.text, "unwanted", instead)
    if value.topic is not None:
        return None
    problem: StrayKind = "outside" if value.target is not None and value.target in names else "missing"
    return StrayTopic(value.text, problem, tree.find_topic(note_name(_key_of(value))))


def _key_of(value: TopicValue) -> str:
    link = link_in_value(value.text)
    return fold_case(value.text if link is None else link.target.partition("#")[0]).strip()


def find_orphans(
    sources: TopicSources, rules: TopicRules, archive_folder: str, names: Names, fitting: Collection[VaultPath]
) -> Iterator[TopicFinding]:
    """Yield the topics that no note has and nothing links to, and those that fewer notes have than the rules say.

    New topics, and those that fit notes, are no orphans.
    """
    indexes = {*sources.tree.index_notes.values(), sources.tree.instructions}
    taken: set[str] = set()
    for path in sources.tree.topics:
        count = sources.assignments.count(path)
        if count == 0 and not sources.graph.linked_from(path) - indexes:
            note = sources.notes[path]
            if path in fitting or time() - time_created(note) < NEW_DAYS * 86_400:
                continue
            if archive_folder.strip("/"):
                place = _free_place(path, archive_folder.strip("/"), names, taken)
                yield TopicFinding("orphan", path, edits=(MoveNote(path, place, note.digest),))
            else:
                yield TopicFinding("orphan", path, edits=(DeleteNote(path, note.digest),))
        elif count < rules.at_least and rules.at_least > 1:
            yield TopicFinding("rare", path, notes=tuple(sources.assignments.by_topic.get(path, ())))


NEW_DAYS: Final = 30
"""Days in which a topic may find its notes."""


def _free_place(path: VaultPath, folder: str, names: Names, taken: set[str]) -> VaultPath:
    name = PurePosixPath(path)
    for number in range(1, 1_000):
        place = f"{folder}/{name.stem}{f' {number}' if number > 1 else ''}{name.suffix}"
        if not names.find_path(place) and fold_case(place) not in taken:
            break
    taken.add(fold_case(place))
    return VaultPath(place)


def find_alike(sources: TopicSources, pairs: Sequence[MergeSuggestion]) -> Iterator[TopicFinding]:
    """Yield the pairs of topics that may be one, as a merge into the one with more links; no topic goes twice."""

    def links(path: VaultPath) -> int:
        return sources.assignments.count(path) + len(sources.graph.linked_from(path))

    gone: set[VaultPath] = set()
    for pair in pairs:
        path, into = pair.path, pair.into
        if links(path) > links(into):
            path, into = into, path
        if gone & {path, into}:
            continue
        gone.add(path)
        edit = MergeNotes(path, into, digest=sources.notes[path].digest)
        having = tuple(sources.assignments.by_topic.get(path, ()))
        yield TopicFinding("alike", path, topic=into, notes=having, why=pair.why, edits=(edit,))
