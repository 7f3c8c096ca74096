"""Every part of a link is found where it stands, whatever it stands in."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.markdown.embedded_text import json_strings, read_json_string, read_quoted_text
from bridge.markdown.link_spans import LinkSpan, read_link_spans
from bridge.markdown.prose import find_queries, has_asides
from bridge.types import VaultPath


def parts(text: str, path: str = "N.md") -> list[tuple[str | None, str | None, str | None]]:
    """Return file, place and words of each link as they stand in a text."""

    def stands(spot: LinkSpan, name: str) -> str | None:
        slot = getattr(spot, name)
        return text[slice(*slot.span)] if slot else None

    found = read_link_spans(VaultPath(path), text.encode()).links
    return [(stands(spot, "file"), stands(spot, "place"), stands(spot, "shown")) for spot in found]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[[ a b #c | d ]]", ("a b", "#c", "d")),
        ("[[#c]]", (None, "#c", None)),
        ("[[a [b]#c [d]|e [f]]]", ("a [b]", "#c [d]", "e [f]")),
        ("[[a#^b|]]", ("a", "#^b", None)),
        ("![x](a.png)", ("a.png", None, "x")),
        ("[x](<a b.md#c d> 't')", ("a b.md", "#c d", "x")),
        ('[x]( a(1).md "t" )', ("a(1).md", None, "x")),
        ("[x](#c)", (None, "#c", "x")),
        ("[](a.md)", ("a.md", None, None)),
        ('---\na: "[[b\\u00e9#c|d]]"\n---\n', ("b\\u00e9", "#c", "d")),
        ("---\na: '[[it''s|''x'']]'\n---\n", ("it''s", None, "''x''")),
        ('---\na: "[x](b%20c.md)"\n---\n', ("b%20c.md", None, "x")),
        ("[x]: a.md 't'\n", ("a.md", None, None)),
    ],
)
def test_the_parts_of_a_link_are_told_apart(text: str, wanted: tuple[str | None, ...]) -> None:
    assert parts(text) == [wanted]


def test_the_last_of_two_equal_names_in_a_canvas_counts() -> None:
    text = '{"nodes":[{"file":"a.md","type":"file","file":"b.md","subpath":1}]}'
    assert parts(text, "C.canvas") == [("b.md", None, None)]
    assert text.index("b.md") == read_link_spans(VaultPath("C.canvas"), text.encode()).links[0].file.span[0]  # type: ignore[union-attr]


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_the_strings_of_json_are_where_they_are_said_to_be(value: object) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
        for path, span in json_strings(text).items():
            held = value
            for key in path:
                held = held[key]  # type: ignore[index]
            passage = read_json_string(text, span)
            assert passage.text == held
            whole = "".join(text[slice(*passage.span((at, at + 1)))] for at in range(len(passage.text)))
            assert whole == text[slice(*span)]
            assert json.loads(f'"{passage.ink(passage.text)}"') == held


@pytest.mark.parametrize("text", ["x", "'a\nb'", '"', "'a\"", ""])
def test_what_is_no_quoted_text_on_one_line_is_none(text: str) -> None:
    assert read_quoted_text(text, (0, len(text))) is None


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("```dataview\nLIST\n```\n[x]: y", ["```dataview\nLIST\n```"]),
        ("> ~~~query\n> a\n> ~~~\n", ["> ~~~query\n> a\n> ~~~"]),
        ("so `= this.x` and `$= dv` and `=`", ["`= this.x`", "`$= dv`"]),
        ("```base\nopen", ["```base\nopen"]),
        ("```python\nx\n```\n`x`", []),
    ],
)
def test_queries_are_told_from_other_code(text: str, asked: list[str]) -> None:
    assert list(find_queries(text)) == asked
    assert has_asides(text) == (bool(asked) or "]:" in text)
