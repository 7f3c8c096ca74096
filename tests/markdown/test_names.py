import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bridge.markdown.names import Names
from bridge.types import VaultPath

PART = st.text("aAbé́/.# 中", min_size=1, max_size=8)
PATHS = st.lists(PART.map(VaultPath), max_size=12)
KINDS = st.sampled_from(["wiki", "embed", "markdown", "property", "canvas"])


def test_names_are_a_set_in_order_of_adding() -> None:
    names = Names([VaultPath("b.md"), VaultPath("a.md")])
    names.add(VaultPath("b.md"))
    assert list(names) == ["b.md", "a.md"]
    assert len(names) == 2
    assert "a.md" in names
    assert "c.md" not in names


def test_a_discarded_name_is_no_longer_meant() -> None:
    names = Names([VaultPath("x.md"), VaultPath("A/x.md")])
    names.discard(VaultPath("x.md"))
    assert names.resolve("x", VaultPath("n.md")).path == "A/x.md"
    names.discard(VaultPath("A/x.md"))
    names.discard(VaultPath("A/x.md"))
    assert names.resolve("x", VaultPath("n.md")).path is None


@given(PATHS, PATHS, st.text("aAbé/.#^%20 中", max_size=12), KINDS)
def test_discarding_undoes_adding(kept: list[VaultPath], passing: list[VaultPath], target: str, kind: str) -> None:
    plain, changed = Names(kept), Names(kept)
    for path in passing:
        changed.add(path)
    for path in set(passing) - set(kept):
        changed.discard(path)
    assert set(changed) == set(plain)
    source = VaultPath("a/n.md")
    assert changed.resolve(target, source, kind) == plain.resolve(target, source, kind)  # type: ignore[arg-type]


@given(st.lists(st.lists(st.text("aAbé中", min_size=1, max_size=3), min_size=1, max_size=3), min_size=1, max_size=12))
def test_every_note_is_what_its_whole_path_means(notes: list[list[str]]) -> None:
    names = Names(VaultPath("/".join(parts) + ".md") for parts in notes)
    for path in names:
        assert names.resolve(path, VaultPath("a/b/n.md")).path == path
        assert names.resolve(path.removesuffix(".md"), VaultPath("n.md")).path == path


@given(PATHS, st.text(), st.text(), KINDS)
@example([], "\x00", "", "wiki")
@example([], "\ud800%ff", "", "markdown")
@example([VaultPath("a.md")], "../../../../a", "", "markdown")
def test_resolving_is_total(paths: list[VaultPath], target: str, source: str, kind: str) -> None:
    names = Names(paths)
    found = names.resolve(target, VaultPath(source), kind).path  # type: ignore[arg-type]
    assert found is None or found in names or found == source


def test_closest_finds_slips_of_the_finger() -> None:
    names = Names(
        VaultPath(p)
        for p in ("Projects/Meeting notes.md", "Projects/Plan.md", "Archive/Plan.md", "Zebra.md", "Plan.png")
    )
    assert names.closest("Projects/Meetng notes.md")[0] == "Projects/Meeting notes.md"
    assert names.closest("Projcts/Plan.md")[0] == "Projects/Plan.md"
    assert names.closest("meeting notes")[0] == "Projects/Meeting notes.md"
    assert names.closest("Wrong folder/Zebra.md")[0] == "Zebra.md"


def test_closest_prefers_notes_when_a_note_was_meant() -> None:
    names = Names([VaultPath("Plan.png"), VaultPath("Plan.md")])
    assert names.closest("Plam") == ["Plan.md", "Plan.png"]


def test_closest_offers_nothing_far_fetched_and_at_most_its_limit() -> None:
    names = Names(VaultPath(f"Note {n}.md") for n in range(20))
    assert names.closest("Note 3x.md") == ["Note 3.md"]
    assert len(names.closest("Note.md", limit=2)) == 2
    assert names.closest("qqqqqqqq") == []
    assert Names([VaultPath("Kombucha.md"), VaultPath("Index.md")]).closest("nosuch.md") == []
    assert Names([VaultPath("Kombucha.md"), VaultPath("Index.md")]).closest("nul.md") == []
    assert Names().closest("a.md") == []


@pytest.mark.parametrize(
    ("path", "message", "hint"),
    [
        ("Plam", "There is no note `Plam`; the closest is `Work/Plan.md`.", "Use one "),
        (
            "Work/Sw",
            "There is no note `Work/Sw`; the closest is `Work/Sow.md`.",
            "Use one of these, or ",
        ),
        ("zzzzzz", "There is no note `zzzzzz`.", "`find_notes` lists notes, `search` finds them."),
        ("Work", "`Work` is a folder, not a note.", "`find_notes` lists the notes in a `folder`."),
    ],
)
def test_a_missing_note_is_told_with_a_way_out(path: str, message: str, hint: str) -> None:
    names = Names([VaultPath("Work/Plan.md"), VaultPath("Work/Sow.md")])
    told = names.missing_error(VaultPath(path))
    assert (told.message, told.hint.startswith(hint)) == (message, True)


def test_names_may_be_added_while_they_are_looked_through() -> None:
    # The event loop does so while a thread plans a change.
    names = Names(VaultPath(path) for path in ("Bread/Rye.md", "Bread/Oat.md"))
    for seen in (iter(names), names.below("Bread")):
        first = next(seen)
        names.add(VaultPath(f"Bread/New {first.rpartition('/')[2]}"))
        names.discard(first)
        assert len([first, *seen]) >= 2
