"""Which notes have which topics, and how their values are written."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from bridge.features.topics.topic_tree import TopicTree
from bridge.index.note import IndexedNote
from bridge.markdown.frontmatter import link_in_value
from bridge.markdown.names import Names
from bridge.records import Record
from bridge.types import VaultPath

ValueStyle = Literal["wiki", "markdown", "plain"]


class TopicValue(Record):
    """A value of the topic property."""

    text: str
    """The value as written."""
    topic: VaultPath | None
    """The topic that it means; None if it means none."""
    target: VaultPath | None
    """The file to which it links."""
    style: ValueStyle


class Assignments(Record, eq=False):
    """The topics of notes."""

    by_note: Mapping[VaultPath, frozenset[VaultPath]]
    by_topic: Mapping[VaultPath, Sequence[VaultPath]]
    """In the order of their paths."""
    astray: Sequence[tuple[VaultPath, TopicValue]]
    """Values that mean no topic."""
    styles: Counter[ValueStyle]

    def count(self, topic: VaultPath) -> int:
        return len(self.by_topic.get(topic, ()))

    def of(self, path: VaultPath) -> frozenset[VaultPath]:
        return self.by_note.get(path, frozenset())

    @classmethod
    def collect(
        cls, values: Iterable[tuple[VaultPath, TopicValue]], styles: Counter[ValueStyle] | None = None
    ) -> "Assignments":
        """Group values by note and topic."""
        topics: dict[VaultPath, set[VaultPath]] = defaultdict(set)
        astray: list[tuple[VaultPath, TopicValue]] = []
        counted = Counter[ValueStyle]() if styles is None else styles
        for path, value in values:
            counted[value.style] += 1
            if value.topic is None:
                astray.append((path, value))
            else:
                topics[path].add(value.topic)
        having: dict[VaultPath, list[VaultPath]] = defaultdict(list)
        for path in sorted(topics):
            for topic in topics[path]:
                having[topic].append(path)
        return cls({path: frozenset(found) for path, found in topics.items()}, having, astray, counted)


def read_assignments(notes: Collection[IndexedNote], property_name: str, names: Names, tree: TopicTree) -> Assignments:
    return Assignments.collect(
        (note.path, value) for note in notes for value in topic_values(note, property_name, names, tree)
    )


def topic_values(note: IndexedNote, property_name: str, names: Names, tree: TopicTree) -> Iterator[TopicValue]:
    """Yield the values of a note's topic property; a text that is no link means the topic of this name."""
    for text in value_texts(note, property_name):
        link = link_in_value(text)
        if link is None:
            yield TopicValue(text, tree.find_topic(text), None, "plain")
            continue
        target = names.resolve(link.target, note.path, "property").path
        topic = target if target in tree.topics else None
        yield TopicValue(text, topic, target, "wiki" if "[[" in text else "markdown")


def value_texts(note: IndexedNote, property_name: str) -> list[str]:
    wanted = property_name.casefold()
    found: list[str] = []
    for name, value in note.properties.items():
        if name.casefold() == wanted:
            items = value if isinstance(value, list | tuple) else (value,)
            found += [item for item in items if isinstance(item, str) and item.strip()]
    return found


def property_spelling(note: IndexedNote, property_name: str) -> str:
    wanted = property_name.casefold()
    return next((name for name in note.properties if name.casefold() == wanted), property_name)
