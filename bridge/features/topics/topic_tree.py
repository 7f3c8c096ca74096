"""The folder whose notes are topics, with their names, kinds and index notes, and the rules in its instructions."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Final, Literal

from msgspec import field

from bridge.features.entities.public import INSTRUCTIONS_TYPES
from bridge.index.note import IndexedNote, Notes
from bridge.markdown.frontmatter import link_in_value
from bridge.markdown.kinds import is_index_note
from bridge.markdown.names import note_name
from bridge.markdown.note import property_of
from bridge.records import Record
from bridge.search.filters import folder_spelling
from bridge.settings.schema import Setting
from bridge.text.fold import fold_case
from bridge.types import VaultPath
from bridge.vault.rules import GlobSet, find_mistake

KINDS: Final = ("Concepts", "Entities", "MOCs")
"""The folders with which a topic folder begins."""

INSTRUCTIONS: Final = "Instructions.md"
MAX_DEPTH: Final = "max_depth"
"""The property of that note with the depth of the topic folder."""


_BRACKETS: Final = re.compile(r"\s*[(\uff08][^()\uff08\uff09]+[)\uff09]$")


class Topic(Record):
    """A note that others can have as a topic."""

    path: VaultPath
    name: str
    aliases: tuple[str, ...]
    kind: str
    """Its folder below the topic folder; empty at the top."""

    @property
    def names(self) -> tuple[str, ...]:
        """Its title, its file's name and its aliases, each once, also without what stands in brackets at their end."""
        names = (self.name, note_name(self.path), *self.aliases)
        return tuple(dict.fromkeys((*names, *(bare for name in names if (bare := _BRACKETS.sub("", name))))))


class TopicTree(Record, eq=False):
    """The topics of a vault."""

    folder: VaultPath
    topics: Mapping[VaultPath, Topic]
    index_notes: Mapping[str, VaultPath]
    """By kind: the note that says what its folder means."""
    by_name: Mapping[str, VaultPath]
    """The topics by their folded names; of two with one name, the first."""

    @property
    def instructions(self) -> VaultPath:
        """The note with the rules, whether or not it exists."""
        return VaultPath(f"{self.folder}/{INSTRUCTIONS}")

    @property
    def usual_folder(self) -> str:
        """The folder of most topics, in which new ones are written."""
        counts = Counter(topic.kind for topic in self.topics.values())
        kind = counts.most_common(1)[0][0] if counts else (KINDS[0] if KINDS[0] in self.index_notes else "")
        return f"{self.folder}/{kind}".rstrip("/")

    def holds(self, path: str) -> bool:
        """Return whether a note is in the topic folder, as a topic or not."""
        return path.startswith(f"{self.folder}/")

    def find_topic(self, name: str) -> VaultPath | None:
        """Return the topic with a name or alias, in any case."""
        return self.by_name.get(fold_case(name).strip())


def find_topic_folder(configured: str, notes: Notes) -> VaultPath | None:
    """Return the configured folder, else the only one with a note of rules."""
    if configured.strip("/ ") and (found := folder_spelling(notes, configured)):
        return VaultPath(found)
    marked = [path for path, note in notes.items() if is_instructions(note)]
    return VaultPath(marked[0].rpartition("/")[0]) if len(marked) == 1 else None


def is_instructions(note: IndexedNote) -> bool:
    """Return whether a note holds the rules of a topic folder."""
    return note.path.endswith(f"/{INSTRUCTIONS}") and note.note_type in INSTRUCTIONS_TYPES


def read_topic_tree(folder: VaultPath, notes: Notes) -> TopicTree:
    """Return the topics: the notes below the folder but for index notes, the rules, and ignored or too deep notes."""
    most = read_max_depth(notes.get(VaultPath(f"{folder}/{INSTRUCTIONS}")))
    topics: dict[VaultPath, Topic] = {}
    indexes: dict[str, VaultPath] = {}
    for note in _notes_below(folder, notes):
        parent, _, _ = note.path.rpartition("/")
        kind = parent[len(folder) + 1 :]
        if most is not None and len(kind.split("/")) * bool(kind) > most:
            continue
        if is_index_note(note.path):
            indexes[kind] = note.path
        elif note.path != f"{folder}/{INSTRUCTIONS}" and not note.is_left_alone:
            topics[note.path] = Topic(note.path, note.title, note.aliases, kind)
    by_name: dict[str, VaultPath] = {}
    # A title takes precedence over an alias of another topic.
    names = [(name, path) for path, topic in topics.items() for name in (topic.name, note_name(path))]
    names += [(name, path) for path, topic in topics.items() for name in topic.names]
    for name, path in names:
        by_name.setdefault(fold_case(name).strip(), path)
    return TopicTree(folder, topics, indexes, by_name)


def read_max_depth(note: IndexedNote | None) -> int | None:
    """Return how many folders deep topics may be by its rules; None for any number."""
    value = None if note is None else property_of(note.properties, MAX_DEPTH)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _notes_below(folder: VaultPath, notes: Notes) -> Iterator[IndexedNote]:
    for path in sorted(notes):
        if path.startswith(f"{folder}/") and notes[path].kind == "note":
            yield notes[path]


FolderMeaning = Literal["none", "topics", "all"]


class TopicSettings(Record):
    """The settings of topics."""

    folder: Annotated[
        str,
        Setting(
            "Folder whose notes are the topics of other notes, such as `Topics`; empty for the one whose note"
            " `Instructions` says `type: topics`.",
            title="Folder of topics",
        ),
    ] = ""
    topic_property: Annotated[
        str, Setting("Property that holds the topics of a note, as links.", title="Property for topics")
    ] = "topics"
    archive_folder: Annotated[
        str,
        Setting(
            "Folder for topics that no note has any more, where they are tidied away; empty for the trash.",
            title="Folder for unused topics",
        ),
    ] = "Archive"
    folder_meaning: Annotated[
        FolderMeaning,
        Setting(
            "What the folder of a note says of it: `topics` that it has the topic of which the folder has the name;"
            " `all` also that it belongs with the other notes of the folder, in the graph of topics; or nothing.",
            title="What folders mean",
        ),
    ] = "topics"
    generic_folders: Annotated[
        tuple[str, ...],
        Setting(
            "Names of folders that mean nothing, besides inbox, attachments, archive, daily, templates and assets.",
            title="Folders that mean nothing",
        ),
    ] = ()


class TopicRules(Record):
    """What a person wants of topics."""

    never: GlobSet = field(default_factory=GlobSet)
    """Notes that get no topics, and that plans leave alone."""
    prefer: Mapping[str, VaultPath] = field(default_factory=dict)
    """By path or folded name of what is not wanted: the topic in its place."""
    at_least: int = 1
    """Notes that a topic should have."""
    problems: tuple[str, ...] = ()
    """Rules that cannot be followed, as sentences."""

    def instead_of(self, topic: VaultPath) -> VaultPath:
        return self.prefer.get(topic, topic)


def read_rules(note: IndexedNote | None, tree: TopicTree) -> TopicRules:
    """Read the rules from the properties of a note, but for `max_depth`, by which the topic folder was read.

    Preferences that lead back to where they begin are left out, and told.
    """
    if note is None:
        return TopicRules()
    values = {name.casefold(): value for name, value in note.properties.items()}
    globs = _globs(note)
    problems = [f"`never: {glob}` {why}." for glob in globs if (why := find_mistake(glob))]
    prefer: dict[str, VaultPath] = {}
    wanted = values.get("prefer")
    for old, new in wanted.items() if isinstance(wanted, Mapping) else ():
        kept = _topic_of(new, tree)
        if kept is None:
            problems.append(f"`prefer: {old}` names no topic that would take its place.")
            continue
        prefer |= {key: kept for key in _keys_of(str(old), tree) if key != kept}
    for circle in _find_circles(prefer):
        names = " → ".join(note_name(path) for path in (*circle, circle[0]))
        problems.append(f"`prefer` goes in a circle, of which nothing is followed: {names}.")
        for path in circle:
            del prefer[path]
    prefer = {old: _end_of(kept, prefer) for old, kept in prefer.items()}
    least = values.get("at_least", 1)
    if not isinstance(least, int) or isinstance(least, bool) or least < 1:
        problems.append("`at_least` must be a whole number from 1 on.")
        least = 1
    if property_of(note.properties, MAX_DEPTH) is not None and read_max_depth(note) is None:
        problems.append("`max_depth` must be a whole number from 0 on.")
    return TopicRules(GlobSet(read_never(note)), prefer, least, tuple(problems))


def read_never(note: IndexedNote | None) -> tuple[str, ...]:
    """Return the globs of the notes that rules leave alone, without those that cannot be followed."""
    return () if note is None else tuple(glob for glob in _globs(note) if not find_mistake(glob))


def _globs(note: IndexedNote) -> tuple[str, ...]:
    never = property_of(note.properties, "never")
    return tuple(one for one in (never if isinstance(never, list | tuple) else (never,)) if isinstance(one, str))


def _keys_of(old: str, tree: TopicTree) -> Iterator[str]:
    topic = _topic_of(old, tree)
    yield topic or fold_case(old).strip()


def _find_circles(prefer: Mapping[str, VaultPath]) -> list[list[VaultPath]]:
    found: list[list[VaultPath]] = []
    done: set[str] = set()
    for start in prefer:
        way: list[VaultPath] = []
        at = prefer[start]
        while at in prefer and at not in done and at not in way:
            way.append(at)
            at = prefer[at]
        if at in way:
            found.append(way[way.index(at) :])
        done.update(way)
    return found


def _end_of(topic: VaultPath, prefer: Mapping[str, VaultPath]) -> VaultPath:
    while topic in prefer:
        topic = prefer[topic]
    return topic


def _topic_of(value: object, tree: TopicTree) -> VaultPath | None:
    if not isinstance(value, str):
        return None
    link = link_in_value(value)
    return tree.find_topic(value if link is None else note_name(link.target))
