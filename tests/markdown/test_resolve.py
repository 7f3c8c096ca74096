import pytest

from bridge.markdown.links import (
    ResolvedLink,
    Target,
    fold_name,
    is_external,
    name_key,
    resolve_relative,
    split_target,
)
from bridge.markdown.names import Names
from bridge.types import VaultPath
from tests.holding import while_a_thread_runs

HOME = VaultPath("Home.md")


def resolved(paths: list[str], target: str, source: str = "Home.md", kind: str = "wiki") -> str | None:
    names = Names(VaultPath(path) for path in paths)
    return names.resolve(target, VaultPath(source), kind).path  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("target", "parts"),
    [
        ("Note", Target("Note", None, None)),
        ("Note#A", Target("Note", "A", None)),
        ("Note#A#B", Target("Note", "A > B", None)),
        ("Note # A # B ", Target("Note", "A > B", None)),
        ("#A", Target("", "A", None)),
        ("Note#^id", Target("Note", None, "id")),
        ("Note^id", Target("Note", None, "id")),
        ("Note#A#^id", Target("Note", None, "id")),
        ("Note#2^10 grains", Target("Note", "2^10 grains", None)),
        ("Note#", Target("Note", None, None)),
        ("Note#^", Target("Note", None, None)),
    ],
)
def test_a_target_is_cut_at_its_first_mark(target: str, parts: Target) -> None:
    assert split_target(target) == parts


def test_only_markdown_links_are_percent_decoded() -> None:
    assert split_target("a%20b.md#c%20d", "markdown") == Target("a b.md", "c d", None)
    assert split_target("100%25") == Target("100%25", None, None)


def test_percent_signs_that_are_no_text_stay() -> None:
    assert split_target("a%FFb", "markdown") == Target("a%FFb", None, None)


@pytest.mark.parametrize(
    ("target", "external"),
    [
        ("https://example.org/a.md", True),
        ("mailto:a@example.org", True),
        ("obsidian://open?vault=a", True),
        ("//example.org/a", True),
        ("\\\\server\\a", True),
        ("Note.md", False),
        ("Plan: a.md", False),
        ("C:a", False),
    ],
)
def test_addresses_are_told_from_files(target: str, external: bool) -> None:
    assert is_external(target) is external


def test_an_address_leads_to_no_file() -> None:
    paths = ["example.org/a.md", "a.md"]
    assert resolved(paths, "https://example.org/a.md", kind="markdown") is None


def test_names_compare_composed_lower_and_with_plain_spaces() -> None:
    assert fold_name("Cafe\u0301\u00a0A\u202fB") == "café a b"


@pytest.mark.parametrize(
    ("folder", "target", "path"),
    [
        ("A/B", "./x.md", "A/B/x.md"),
        ("A/B", "../x.md", "A/x.md"),
        ("A/B", "../../x.md", "x.md"),
        ("A", "../../../x.md", "x.md"),
        ("", "./x.md", "x.md"),
        ("A/B", "./../x.md", "A/x.md"),
    ],
)
def test_relative_targets_start_at_the_notes_folder(folder: str, target: str, path: str) -> None:
    assert resolve_relative(folder, target) == path


def test_the_extension_of_notes_is_implied() -> None:
    assert resolved(["A/Note.md"], "note") == "A/Note.md"
    assert resolved(["A/Note.md"], "Note.md") == "A/Note.md"
    assert resolved(["A/plan.canvas"], "plan") is None
    assert resolved(["A/plan.canvas"], "plan.canvas") == "A/plan.canvas"
    assert resolved(["v1.2.md"], "v1.2") == "v1.2.md"
    assert resolved(["logo.png", "logo.png.md"], "logo.png") == "logo.png"


def test_a_target_matches_the_end_of_a_path() -> None:
    assert resolved(["X/a/b.md", "b.md"], "a/b") == "X/a/b.md"
    assert resolved(["X/c/b.md"], "a/b") is None


def test_the_whole_path_wins() -> None:
    assert resolved(["X/a/b.md", "a/b.md"], "a/b", "X/n.md") == "a/b.md"
    assert resolved(["X/n.md", "X/README.md", "README.md"], "README.md", "X/n.md", "markdown") == "README.md"


def test_then_the_folder_of_the_linking_note_wins() -> None:
    assert resolved(["A/x.md", "Long folder/x.md"], "x", "Long folder/n.md") == "Long folder/x.md"
    assert resolved(["A/x.md", "Long folder/deep/x.md"], "x", "Long folder/n.md") == "Long folder/deep/x.md"


def test_then_the_shortest_path_wins() -> None:
    assert resolved(["Aaaa/x.md", "B/C/x.md", "Bb/x.md"], "x", "Home.md") == "Bb/x.md"


def test_length_is_counted_in_utf16_units() -> None:
    assert resolved(["📁📁/x.md", "abc/x.md"], "x") == "abc/x.md"


def test_a_leading_slash_means_the_root() -> None:
    assert resolved(["A/x.md", "x.md"], "/x", "A/n.md") == "x.md"
    assert resolved(["A/x.md"], "/x", "A/n.md") is None


def test_relative_targets_find_neighbours() -> None:
    paths = ["A/x.md", "A/B/x.md", "x.md"]
    assert resolved(paths, "./x", "A/B/n.md") == "A/B/x.md"
    assert resolved(paths, "../x", "A/B/n.md") == "A/x.md"
    assert resolved(paths, "../../x", "A/B/n.md") == "x.md"
    assert resolved(paths, "../x.md#h", "A/B/n.md", "markdown") == "A/x.md"
    assert resolved(paths, "../Q/x", "A/B/n.md") is None


def test_a_bare_heading_means_the_note_itself() -> None:
    names = Names([HOME])
    assert names.resolve("#A", HOME) == ResolvedLink(HOME, "A", None)
    assert names.resolve("^b", HOME) == ResolvedLink(HOME, None, "b")
    assert names.resolve("", HOME) == ResolvedLink(None, None, None)


def test_an_unresolved_link_keeps_its_place() -> None:
    assert Names().resolve("Nowhere#A", HOME) == ResolvedLink(None, "A", None)


def test_names_written_in_other_unicode_forms_meet() -> None:
    assert resolved(["Café.md"], "cafe\u0301") == "Café.md"
    assert resolved(["A B.md"], "a\u00a0b") == "A B.md"


def test_a_canvas_names_files_by_their_whole_path() -> None:
    assert resolved(["A/x.md"], "A/x.md#h", kind="canvas") == "A/x.md"
    assert resolved(["A/x.md"], "x.md", kind="canvas") is None


def test_of_names_that_differ_in_case_the_one_as_written_wins() -> None:
    assert resolved(["note.md", "Note.md"], "Note") == "Note.md"
    assert resolved(["note.md", "Note.md"], "note") == "note.md"
    assert resolved(["note.md", "Note.md"], "NOTE") == "Note.md"


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("ΟΔΟΣ", "ΟΔΟΣ.md"),
        ("ΟΔΟΣ.md", "ΟΔΟΣ.md"),
        ("Οδοσ", "ΟΔΟΣ.md"),
        ("οδος", "οδός/οδος.md"),
        ("Οδος", "οδός/οδος.md"),
        ("ΟΔΌΣ/οδος", "οδός/οδος.md"),
        ("İSTANBUL", "İstanbul.md"),
    ],
)
def test_a_link_is_folded_with_the_ending_of_a_note(target: str, path: str) -> None:
    # As JavaScript does: `"ΟΔΟΣ".toLowerCase()` ends with another letter than the word in `"ΟΔΟΣ.md".toLowerCase()`.
    assert resolved(["ΟΔΟΣ.md", "οδός/οδος.md", "İstanbul.md"], target) == path
    assert resolved([path], target) == path


@pytest.mark.parametrize("name", ["ΟΔΟΣ", "οδος", "Οδοσ"])
def test_the_key_of_a_link_is_that_of_its_file(name: str) -> None:
    assert name_key(name) == name_key(f"a/{name}.md") == name_key(f"{name}.md")


def test_who_copies_in_a_thread_is_not_disturbed_by_who_adds_and_discards() -> None:
    kept = [VaultPath(f"Kept/{number}.md") for number in range(300)]
    names, passing = Names(kept), VaultPath("Passing.md")

    def change() -> None:
        for _ in range(3_000):
            names.add(passing)
            names.discard(passing)

    for _ in while_a_thread_runs(change):
        copy = names.copy()
        assert copy.with_name(passing) == copy.find_path(passing) == ((passing,) if passing in copy else ())
        copy.discard(passing)
        assert [*copy] == kept
