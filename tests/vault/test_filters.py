import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.vault.rules import Rules, filter_pattern, may_backtrack


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        ("Templates/", "Templates/a.md", True),
        ("templates/", "Templates/a.md", True),
        ("Templates/", "A/Templates/a.md", False),
        ("A.md", "Axmd", False),
        ("*.md", "a.md", False),
        ("e\u0301/", "é/a.md", True),
        (r"/\.excalidraw\.md$/", "A/b.excalidraw.md", True),
        (r"/^(Daily|Weekly)\//", "Weekly/a.md", True),
        (r"/^(Daily|Weekly)\//", "A/Weekly/a.md", False),
        (r"/(draft )+x/", "a draft draft x.md", True),
    ],
)
def test_a_filter_matches(text: str, path: str, found: bool) -> None:
    pattern = filter_pattern(text)
    assert pattern is not None
    assert bool(pattern.search(path)) is found


@pytest.mark.parametrize(
    "text", ["", "  ", "/(/", r"/(?<=a*)b/", "/a{99999999999}/", "/(a+)+$/", "/" + "(" * 5000 + "/"]
)
def test_a_filter_that_cannot_be_used_is_none(text: str) -> None:
    assert filter_pattern(text) is None


@pytest.mark.parametrize(
    "expression",
    ["(a+)+$", "(a|a)*$", "((a+)b?)*$", "(?:a*)*", "(a?){30}", ".*.*.*.*.*x", "((a|b)c)+", "(x(y(z*)))+"],
)
def test_what_may_run_for_hours_is_noticed(expression: str) -> None:
    assert may_backtrack(expression)


@pytest.mark.parametrize(
    "expression", [r"^.*/draft.*\.md$", r"(a\+)+", "[*+|]+", "(abc)+", "(a|b)", "(?:abc)*", "a{2}"]
)
def test_what_is_harmless_is_let_through(expression: str) -> None:
    assert not may_backtrack(expression)


def test_a_hostile_filter_stops_nothing() -> None:
    rules = Rules(ignored=("/(a+)+$/", "A/", "/(a|aa)*b/"))
    assert rules.reason("a" * 60 + "!.md") is None
    assert rules.unusable_filters == ("/(a+)+$/", "/(a|aa)*b/")


@settings(deadline=None)
@given(st.text("()[]{}*+?|^$a", max_size=15), st.text("a!", min_size=30, max_size=60))
def test_any_filter_that_is_taken_comes_to_an_end(expression: str, path: str) -> None:
    pattern = filter_pattern(f"/{expression}/")
    if pattern:
        found = pattern.search(path)
        assert found is None or found.group() in path
