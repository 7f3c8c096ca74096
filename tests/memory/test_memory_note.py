"""A memory is read from any note that says it is one, whatever else the note holds."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.features.memory.memory_note import Memory, link_name, link_to, read_memory
from bridge.markdown.note import Value
from bridge.types import VaultPath

PATH = VaultPath("Agents/Memory/Clay.md")
NOW = datetime(2026, 6, 1).astimezone().timestamp()

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
VALUES: st.SearchStrategy[Value] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
NAMES = st.sampled_from(
    [
        *("type", "kind", "title", "id", "created", "updated", "scope", "about", "agent", "tier", "confidence"),
        *("pinned", "private_to", "expires", "valid_from", "valid_until", "superseded_by", "conflicts_with"),
        *("status", "resolved", "Type", "KIND"),
    ]
)


def memory(**properties: Value) -> Memory:
    found = read_memory(PATH, {"type": "memory", **properties}, title="Clay", modified=NOW)
    assert found is not None
    return found


@given(st.dictionaries(NAMES | st.text(max_size=8), VALUES, max_size=12))
def test_any_properties_are_read(properties: dict[str, Value]) -> None:
    read_memory(PATH, properties, title="Clay")
    found = read_memory(PATH, {**properties, "type": "memory"}, title="Clay")
    if "Type" not in properties:
        assert found is not None
        assert found.title
        assert 0 <= found.confidence <= 1
        found.is_valid(NOW)


def test_other_notes_are_no_memories() -> None:
    assert read_memory(PATH, {}, title="Clay") is None
    assert read_memory(PATH, {"type": "journal"}, title="Clay") is None
    assert read_memory(PATH, {"type": ["memory", "journal"]}, title="Clay") is None


def test_missing_fields_have_defaults() -> None:
    found = memory()
    assert (found.title, found.kind, found.confidence, found.created) == ("Clay", "raw", 1.0, NOW)
    assert found.is_global
    assert not found.is_over
    assert found.is_valid(NOW)
    assert found.problems == ()


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("kind", "thought", "`kind` must be one of raw, learning,"),
        ("confidence", 7, "`confidence` must be a number from 0 to 1."),
        ("expires", "soon", "`expires` must be a date such as 2027-02-01."),
        ("pinned", "yes", "`pinned` must be true or false."),
        ("scope", {"a": 1}, "`scope` must be a text or a list of texts."),
        ("tier", "lukewarm", "`tier` must be one of hot, warm, cold, archived."),
    ],
)
def test_a_wrong_field_is_named_and_counts_as_missing(name: str, value: Value, problem: str) -> None:
    found = memory(**{name: value})
    assert len(found.problems) == 1
    assert found.problems[0].startswith(problem)
    assert found.is_valid(NOW)


@pytest.mark.parametrize(
    ("properties", "over"),
    [
        ({"status": "resolved"}, True),
        ({"status": "open"}, False),
        ({"resolved": True}, True),
        ({"resolved": "2026-01-01"}, True),
        ({"resolved": False}, False),
        ({"tier": "archived"}, True),
        ({"tier": "cold"}, False),
        ({"superseded_by": "[[Straw]]"}, True),
        ({"superseded_by": None}, False),
    ],
)
def test_what_is_over_is_known(properties: dict[str, Value], over: bool) -> None:
    assert memory(**properties).is_over == over


@pytest.mark.parametrize(
    ("properties", "valid"),
    [
        ({"expires": "2026-05-31"}, False),
        ({"expires": "2026-06-02"}, True),
        ({"valid_from": "2026-06-02"}, False),
        ({"valid_from": "2026-01-01", "valid_until": "2027-01-01"}, True),
        ({"valid_until": "2026-05-31T23:59"}, False),
    ],
)
def test_validity_has_a_beginning_and_an_end(properties: dict[str, Value], valid: bool) -> None:
    assert memory(**properties).is_valid(NOW) == valid


def test_a_scope_holds_for_its_words_and_a_global_one_everywhere() -> None:
    code = memory(scope=["domain:code"])
    assert code.is_within(())
    assert code.is_within(("domain:code", "domain:art"))
    assert not code.is_within(("domain:art",))
    assert memory().is_within(("domain:art",))
    assert memory(scope=["user:universal"]).is_within(("domain:art",))


def test_a_private_memory_is_for_its_client_only() -> None:
    private = memory(private_to="quill")
    assert private.is_for("Quill")
    assert not private.is_for("pen")
    assert not private.is_for(None)


def test_the_tier_follows_the_last_use() -> None:
    day = 86_400
    old = memory(updated="2025-01-01")
    assert old.tier_at(NOW) == "cold"
    assert old.tier_at(NOW, NOW - 30 * day) == "warm"
    assert old.tier_at(NOW, NOW - day) == "hot"
    assert memory(updated="2025-01-01", tier="hot").tier_at(NOW) == "hot"


@pytest.mark.parametrize("written", ["Clay", "[[Clay]]", "[[Clay|the clay]]", "[[Clay#Use]]", "Clay.md", " [[Clay]] "])
def test_the_name_in_a_link_is_read(written: str) -> None:
    assert link_name(written) == "Clay"
    assert link_to(written) == "[[Clay]]"
