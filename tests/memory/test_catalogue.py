"""Which memories an audience may see follows the clock both ways, and a conflict is known from both sides."""

from collections.abc import Mapping
from typing import Any

from bridge.features.memory.catalogue import Audience, MemoryCatalogue, withhold_memories
from bridge.index.note import IndexedNote
from bridge.markdown.kinds import title_of
from bridge.types import Digest, VaultPath

NOON = 1_800_000_000.0
"""A day in January 2027."""


def note(name: str, created: float = NOON, **properties: Any) -> IndexedNote:
    path = VaultPath(f"Agents/Memory/{name}.md")
    facts = {"type": "memory", **properties}
    return IndexedNote(path, title_of(path), "note", (), (), facts, Digest(""), int(created * 1e9), 1, 1)


def catalogue(*notes: IndexedNote) -> MemoryCatalogue:
    found = MemoryCatalogue()
    found.follow({one.path: one for one in notes})
    return found


def seen(memories: MemoryCatalogue, now: float, audience: Audience | None = None) -> set[str]:
    return set(map(title_of, memories.visible(audience or Audience(), now).memories))


def conflicts(memories: MemoryCatalogue, audience: Audience | None = None) -> Mapping[str, tuple[str, ...]]:
    visible = memories.visible(audience or Audience(), NOON)
    return {title_of(path): names for path in visible.memories if (names := visible.conflict_names(path))}


def test_validity_follows_a_clock_that_is_set_back() -> None:
    memories = catalogue(note("Short", expires="2028-01-01"), note("Later", valid_from="2029-01-01"), note("Always"))
    assert seen(memories, NOON) == {"Short", "Always"}
    assert seen(memories, NOON + 9e7) == {"Later", "Always"}
    assert seen(memories, NOON) == {"Short", "Always"}


def test_a_conflict_is_known_at_the_side_that_is_shown() -> None:
    newer = catalogue(note("Old", NOON - 9), note("New", NOON, conflicts_with=["[[Old]]"]))
    assert conflicts(newer) == {"New": ("Old",)}
    older = catalogue(note("Old", NOON, conflicts_with="[[New]]"), note("New", NOON + 9))
    assert conflicts(older) == {"New": ("Old",)}


def test_a_conflict_ends_with_either_memory_and_for_those_who_may_not_know_the_other() -> None:
    new = note("New", conflicts_with=["[[Old]]", "[[Nothing]]", "[[New]]"])
    for over in ({"tier": "archived"}, {"expires": "2020-01-01"}, {"superseded_by": "[[New]]"}, {"resolved": True}):
        memories = catalogue(note("Old", NOON - 9, **over), new)
        assert conflicts(memories) == {}
        assert conflicts(memories, Audience(archived=True)) == {}
    private = catalogue(note("Old", NOON - 9, private_to="quill"), new)
    assert conflicts(private) == {}
    assert conflicts(private, Audience(client="Quill")) == {"New": ("Old",)}
    withheld = withhold_memories(private.visible(Audience(client="quill"), NOON), frozenset({note("Old").path}))
    assert withheld.conflict_names(new.path) == ()


def test_what_is_archived_contradicts_nothing() -> None:
    memories = catalogue(note("Old", NOON - 9), note("New", conflicts_with="[[Old]]", tier="archived"))
    assert seen(memories, NOON, Audience(archived=True)) == {"Old", "New"}


def test_copies_are_known_by_their_id() -> None:
    memories = catalogue(note("A", id="m-1-77"), note("A 1", id="m-1-77"), note("B", id="m-2-77"), note("C"), note("D"))
    found = {
        title_of(path): [title_of(one.path) for one in memories.with_id(memory)]
        for path, memory in memories.memories.items()
    }
    assert found == {"A": ["A 1"], "A 1": ["A"], "B": [], "C": [], "D": []}


def test_any_change_of_the_notes_is_followed() -> None:
    memories = catalogue(*map(note, "ABC"))
    for names in ("ABCD", "BCD", "BC", "DE", "", "ABC"):
        memories.follow({one.path: one for one in (note(name, aliases=[names]) for name in names)})
        assert set(map(title_of, memories.memories)) == seen(memories, NOON) == set(names)
        kept = {one.path: one for one in (note(name) for name in names)}
        memories.follow(kept)
        memories.follow({**kept, note("F").path: note("F", type="note")})
        assert seen(memories, NOON) == set(names)


def test_journals_follow_the_notes() -> None:
    memories, journal = catalogue(note("A"), one := note("Day", type="journal")), note("A", type="journal")
    assert memories.journals == {one.path}
    memories.follow({journal.path: journal})
    assert memories.journals == {journal.path}
