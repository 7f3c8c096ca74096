"""The rules in the properties of the topic folder's instructions note."""

from collections.abc import Iterator, Mapping

from msgspec import field

from bridge.features.topics.topic_tree import MAX_DEPTH, TopicTree, read_max_depth
from bridge.index.note import IndexedNote
from bridge.markdown.frontmatter import link_in_value
from bridge.markdown.names import note_name
from bridge.markdown.note import property_of
from bridge.records import Record
from bridge.text.fold import fold_case
from bridge.types import VaultPath
from bridge.vault.rules import GlobSet, find_mistake


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
