import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.text.fold import nfc
from bridge.vault.rules import compile_glob, find_mistake

PATHS = (
    *("Archive", "Archive/a.md", "Archive/deep/b.md", "archive/x.md", "Archive2/x.md", "Old/Archive/y.md"),
    *("note.tmp", "A/note.tmp", "x.md", "A/x.md", "A/B/x.md", "ax.md", "bx.md", "été/1.md", "{a,b}.md"),
)


@pytest.mark.parametrize(
    ("glob", "found"),
    [
        ("Archive/**", {"Archive", "Archive/a.md", "Archive/deep/b.md", "archive/x.md"}),
        ("/Archive", {"Archive", "Archive/a.md", "Archive/deep/b.md", "archive/x.md"}),
        ("Archive", {"Archive", "Archive/a.md", "Archive/deep/b.md", "archive/x.md", "Old/Archive/y.md"}),
        ("Archive/", {"Archive", "Archive/a.md", "Archive/deep/b.md", "archive/x.md", "Old/Archive/y.md"}),
        ("Archive\\deep", {"Archive/deep/b.md"}),
        ("Archive/*.md", {"Archive/a.md", "archive/x.md"}),
        ("*.tmp", {"note.tmp", "A/note.tmp"}),
        ("**/x.md", {"archive/x.md", "Archive2/x.md", "x.md", "A/x.md", "A/B/x.md"}),
        ("A/**/x.md", {"A/x.md", "A/B/x.md"}),
        ("[a-b]x.md", {"ax.md", "bx.md"}),
        ("[!a]x.md", {"bx.md"}),
        ("[z-a]x.md", set()),
        ("?x.md", {"ax.md", "bx.md"}),
        ("e\u0301te\u0301/*", {"été/1.md"}),
        ("{a,b}.md", {"{a,b}.md"}),
        ("[", set()),
        ("**", set(PATHS)),
    ],
)
def test_a_glob_matches(glob: str, found: set[str]) -> None:
    assert {path for path in PATHS if compile_glob(glob).fullmatch(path)} == found


@given(st.text("*?[]!-/ab\\^", max_size=12))
def test_any_glob_compiles(glob: str) -> None:
    assert isinstance(compile_glob(glob), re.Pattern)


@given(st.text(st.characters(exclude_characters="*?[]/\\", codec="utf-8"), min_size=1))
def test_a_plain_name_matches_itself_in_every_folder(text: str) -> None:
    name = nfc(text).strip()
    if name:
        assert compile_glob(text).fullmatch(name)
        assert compile_glob(text).fullmatch(f"A/{name}")
        assert compile_glob(text).fullmatch(f"A/{name}/b.md")
        assert not compile_glob(text).fullmatch(f"{name}.")


@pytest.mark.parametrize("glob", ["Private/**", "/A", "*.secret.md", "[a-z]*", "[[]Old]/**", "[!b]", "Été/a b", "a]"])
def test_a_glob_that_can_be_used_has_no_fault(glob: str) -> None:
    assert find_mistake(glob) is None


@pytest.mark.parametrize(
    ("glob", "sentence"),
    [
        ("", "names nothing"),
        (" / ", "names nothing"),
        ("../Notes", "inside the vault"),
        ("A/./b", "inside the vault"),
        ("~/Notes", "inside the vault"),
        ("C:\\Notes", "inside the vault"),
        ("Old/[a", "without its `]`"),
        ("[]", "without its `]`"),
        ("A/[z-a]*", "runs backwards"),
    ],
)
def test_a_glob_that_means_something_else_than_it_seems_has_a_fault(glob: str, sentence: str) -> None:
    found = find_mistake(glob)
    assert found is not None
    assert sentence in found


@pytest.mark.parametrize(
    ("glob", "path"),
    [("*a" * 40 + "b", "a" * 250), ("**/a/" * 40 + "b", "a/" * 120 + "c"), ("*a*/**/" * 20 + "b", "aa/" * 80 + "c")],
)
def test_a_glob_of_many_stars_ends(glob: str, path: str) -> None:
    pattern = compile_glob(glob)
    assert pattern.fullmatch(path) is None
    assert pattern.fullmatch(f"{path[:-1]}b")
