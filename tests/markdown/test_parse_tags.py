"""Tags in running text."""

import pytest

from bridge.markdown.note import Tag
from bridge.markdown.parse import parse
from bridge.types import VaultPath


def tags(text: str) -> list[str]:
    return [tag.name for tag in parse(VaultPath("A.md"), text.encode()).tags]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#a b #c/d-e_f", ["a", "c/d-e_f"]),
        ("#日本語 #тег #🥖 #é1", ["日本語", "тег", "🥖", "é1"]),
        ("\u3000#a\u00a0#b\t#c", ["a", "b", "c"]),
        ("#y1984 #1984 #1/2 #12a", ["y1984", "1/2", "12a"]),
        ("#a. #b, #c! (d) #e)", ["a", "b", "c", "e"]),
        ("# head #a\n- #b\n> #c\n>#d\n\n| #e |#f|\n|-|-|\n", ["a", "b", "c", "d", "e", "f"]),
        ("**#a** *#b* _#c_ ~~#d~~ ==#e==", ["a", "b", "c", "d", "e"]),
        ("#a#b #c/#d", ["a", "b", "c/", "d"]),
        ("snake_case_#a", ["a"]),
        ("[see #a](https://example.org)", ["a"]),
        ("[[x]]#a `y`#b <br>#c", ["a", "b", "c"]),
        (r"\[\[#Escaped Links\]\]", ["Escaped"]),
        ("x %% #a %%\n\n%%\n#b\n%%\n", ["a", "b"]),
        ("- [ ] #task do", ["task"]),
    ],
)
def test_tags_follow_a_space_or_start_a_run_of_text(text: str, expected: list[str]) -> None:
    assert tags(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'x#a (#b) "#c" .#d —#e',
        "## # #!",
        "https://example.org/#a [x](#b) [y](<c #d>)",
        "[[#a]] [[b #c]] ![[d|#e]]",
        "`#a` ``#b\n#c``",
        "```\n#a\n```\n\n    #b",
        "m $a #b c$ $$\n#d\n$$",
        "<!-- #a --> <p>x #b</p>",
        "<div>\n#a\n</div>",
        "\\#a",
        "---\ncolour: '#ff0000'\n---\n",
        "#\x00",
        "_#_ a",
    ],
)
def test_what_looks_like_a_tag_may_be_none(text: str) -> None:
    assert tags(text) == []


def test_a_tag_knows_its_line() -> None:
    assert parse(VaultPath("A.md"), b"---\ntags:\n  - a\n  - b\n---\n\nx #c\n").tags == (
        Tag("a", 3),
        Tag("b", 4),
        Tag("c", 7),
    )
