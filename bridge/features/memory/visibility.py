"""Which memories a caller may be told of: those that hold now, in its scopes, and are not private to others."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import chain

from msgspec.structs import replace

from bridge.features.memory.memory_note import Memory
from bridge.markdown.kinds import title_of
from bridge.records import Record
from bridge.types import VaultPath

Group = dict[VaultPath, Memory]


class Audience(Record):
    """Who asks, and for which scopes."""

    client: str | None = None
    scope: tuple[str, ...] = ()
    """Folded; all scopes if empty."""
    all_private: bool = False
    """Whether memories that are private to others count, as for the user."""
    archived: bool = False
    """Whether archived memories count."""


class VisibleMemories(Record):
    """The memories that an audience may see between two times."""

    since: float
    until: float
    memories: Mapping[VaultPath, Memory]
    conflicts: Mapping[VaultPath, frozenset[VaultPath]]
    """By memory: those that it contradicts, or that contradict it, and that hold as well."""
    standing: tuple[Memory, ...]
    """Those that hold whatever is asked: the pinned ones first, then the newest."""
    questions: tuple[Memory, ...]
    """The open questions, in the same order."""
    askable: frozenset[VaultPath]
    """All others."""

    def conflict_names(self, path: VaultPath) -> tuple[str, ...]:
        return tuple(map(title_of, sorted(self.conflicts.get(path, ()))))


class MemoryGroups:
    """Memories grouped by what decides who may be told of them, so that a choice need not look at each."""

    def __init__(self) -> None:
        self._by_scope: defaultdict[tuple[str, ...], Group] = defaultdict(dict)
        """Those that are not over."""
        self._archived: Group = {}
        self._timed: Group = {}
        """Those that begin or end at some time."""
        self._private: Group = {}
        self._disputed: Group = {}
        """Those that contradict another."""
        self._standing: Group = {}
        self._questions: Group = {}

    def add(self, memory: Memory) -> None:
        for group in self._groups_of(memory):
            group[memory.path] = memory

    def remove(self, memory: Memory) -> None:
        for group in self._groups_of(memory):
            del group[memory.path]

    def _groups_of(self, memory: Memory) -> list[Group]:
        if memory.is_over and not memory.is_archived_only:
            return []
        groups = (
            (self._timed, any(True for _ in memory.boundaries())),
            (self._private, memory.private_to is not None or bool(memory.deny_agents)),
            (self._disputed, bool(memory.conflicts_with)),
            (self._standing, memory.is_standing),
            (self._questions, memory.kind == "open_question"),
        )
        home = self._archived if memory.is_over else self._by_scope[memory.scope]
        return [home, *(group for group, belongs in groups if belongs)]

    def choose(self, audience: Audience, now: float, find: Callable[[str], Memory | None]) -> VisibleMemories:
        """Return the memories that an audience may see at a given time."""
        found: Group = {}
        for group in self._by_scope.values():
            if group and next(iter(group.values())).is_within(audience.scope):
                found.update(group)
        if audience.archived:
            found.update({path: one for path, one in self._archived.items() if one.is_within(audience.scope)})
        for path, memory in self._timed.items():
            if not memory.is_valid(now):
                found.pop(path, None)
        for path, memory in self._private.items():
            if not (audience.all_private or memory.is_for(audience.client)):
                found.pop(path, None)
        conflicts = self._conflicts(found, find)
        for path in outdated_memories(conflicts):
            found.pop(path, None)
        times = chain.from_iterable(memory.boundaries() for memory in self._timed.values())
        until = min((time for time in times if time > now), default=float("inf"))
        standing = sorted((one for path, one in self._standing.items() if path in found), key=presence_key)
        questions = sorted((one for path, one in self._questions.items() if path in found), key=presence_key)
        askable = frozenset(found).difference(one.path for one in (*standing, *questions))
        return VisibleMemories(now, until, found, both_ways(conflicts), tuple(standing), tuple(questions), askable)

    def _conflicts(self, found: Group, find: Callable[[str], Memory | None]) -> list[tuple[Memory, Memory]]:
        def holds(memory: Memory) -> bool:
            return memory.path in found and not memory.is_over

        disputed = filter(holds, self._disputed.values())
        pairs = ((memory, other) for memory in disputed for other in filter(None, map(find, memory.conflicts_with)))
        return [(memory, other) for memory, other in pairs if holds(other) and other.path != memory.path]


def outdated_memories(conflicts: Iterable[tuple[Memory, Memory]]) -> set[VaultPath]:
    """Return the memories that a newer one contradicts; of two equally old ones, the other says so."""
    return {other.path if other.begins <= memory.begins else memory.path for memory, other in conflicts}


def both_ways(conflicts: Iterable[tuple[Memory, Memory]]) -> Mapping[VaultPath, frozenset[VaultPath]]:
    found: defaultdict[VaultPath, set[VaultPath]] = defaultdict(set)
    for memory, other in conflicts:
        found[memory.path].add(other.path)
        found[other.path].add(memory.path)
    return {path: frozenset(others) for path, others in found.items()}


def narrow_memories(visible: VisibleMemories, memories: Mapping[VaultPath, Memory]) -> VisibleMemories:
    holding = tuple(one for one in visible.standing if one.path in memories)
    open_ones = tuple(one for one in visible.questions if one.path in memories)
    askable = visible.askable & memories.keys()
    return replace(visible, memories=memories, standing=holding, questions=open_ones, askable=askable)


def withhold_memories(visible: VisibleMemories, withheld: frozenset[VaultPath]) -> VisibleMemories:
    if not withheld:
        return visible
    kept = narrow_memories(visible, {path: one for path, one in visible.memories.items() if path not in withheld})
    return replace(kept, conflicts={path: others - withheld for path, others in kept.conflicts.items()})


def presence_key(memory: Memory) -> tuple[bool, float, VaultPath]:
    return (not memory.pinned, -memory.updated, memory.path)
