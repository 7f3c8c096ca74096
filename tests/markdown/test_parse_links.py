"""Links as they are written in a note."""

import pytest

from bridge.markdown.note import Link
from bridge.markdown.parse import parse
from bridge.types import VaultPath


def links(text: str) -> tuple[Link, ...]:
    return parse(VaultPath("A.md"), text.encode()).links


def targets(text: str) -> list[str]:
    return [link.target for link in links(text)]


@pytest.mark.parametrize(
    ("markup", "target", "shown"),
    [
        ("[[a]]", "a", None),
        ("[[a|b]]", "a", "b"),
        ("[[a#b#c|d]]", "a#b#c", "d"),
        ("[[#^id]]", "#^id", None),
        ("[[a||b]]", "a", "|b"),
        ("[[|]]", "|", None),
        ("[[|b]]", "|b", None),
        ("[[ a | b ]]", "a", "b"),
        ("[[Sq]uare]]", "Sq]uare", None),
        ("[[wiki [link]]]", "wiki [link]", None),
        ("[[T#Done [2026]]]", "T#Done [2026]", None),
        ("[[T#[1.0] बदलाव [x]|v [1]]]", "T#[1.0] बदलाव [x]", "v [1]"),
        ("[[T#[wiki](https //wikipedia.org)]]", "T#[wiki](https //wikipedia.org)", None),
        ("[[T#[a](b.md) c]]", "T#[a](b.md) c", None),
        ("[[日本語/漢字 🥖]]", "日本語/漢字 🥖", None),
        ("[[https://example.org]]", "https://example.org", None),
    ],
)
def test_wiki_links_and_embeds(markup: str, target: str, shown: str | None) -> None:
    text = f"漢 🥖\n x {markup} !{markup}"
    start = text.index("[")
    assert links(text) == (
        Link(target, shown, "wiki", 2, (start, start + len(markup))),
        Link(target, shown, "embed", 2, (start + len(markup) + 1, len(text)), embed=True),
    )


@pytest.mark.parametrize(
    ("markup", "target", "shown"),
    [
        ("[b](a.md)", "a.md", "b"),
        ("[b](../My%20Notes/a.md#Head)", "../My%20Notes/a.md#Head", "b"),
        ("[b](<my note.md> 'title')", "my note.md", "b"),
        ('[漢](漢字/日本.md "題")', "漢字/日本.md", "漢"),
        ("[漢](<日本 語.md>)", "日本 語.md", "漢"),
        ("[b](a\\(1\\).md)", "a(1).md", "b"),
        ("[日](日\\(1\\)&amp;.md)", "日(1)&.md", "日"),
        ("[](#head)", "#head", ""),
        ("[[c] d](a.md)", "a.md", "[c] d"),
        ("[`]` x](a.md)", "a.md", "`]` x"),
    ],
)
def test_markdown_links_and_images(markup: str, target: str, shown: str) -> None:
    text = f"漢 🥖\n x {markup} !{markup}"
    start = text.index("[")
    assert links(text) == (
        Link(target, shown, "markdown", 2, (start, start + len(markup))),
        Link(target, shown, "markdown", 2, (start + len(markup) + 1, len(text)), embed=True),
    )


@pytest.mark.parametrize(
    "text",
    [
        "[[]] [[ ]] ![[]]",
        "[]() [a]() [a](<>)",
        "[a](https://example.org) [a](mailto:b@example.org) [a](obsidian://open?vault=x) [a](//host/x)",
        "<https://example.org> https://example.org",
        "[[a\nb]]",
        "[[a [b]]",
        "[[a [b]] c]]",
        "[[a.md][b]]",
        "[[2, 3], [4, 5]]",
        "[[[Untitled] song]]",
        r"\[[a]] \[a](b)",
        "`[[a]]` ``[[b]] ` ``",
        "```\n[[a]] [b](c.md)\n```",
        "    [[a]]",
        "$[[a]]$ $$\n[[b]]\n$$",
        "<!-- [[a]] --> x",
        "<div>\n[[a]]\n</div>",
        "%%\n[[a]] [b](c.md)\n%%",
        "%% [[a]] %%",
        "[a]: b.md",
        "[a][b]\n\n[b]: c.md",
        "---\nkey: [[a]]\n---\n",
    ],
)
def test_what_looks_like_a_link_may_be_none(text: str) -> None:
    assert links(text) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x %% [[a]] %%", ["a"]),
        ("<br>[[a]]<br>", ["a"]),
        ("# [[a]]\n> [[b]]\n> - [[c]]\n\n| [[d\\|e]] | [[f]] |\n| - | - |\n", ["a", "b", "c", "d", "f"]),
        ("**[[a]]** ==[[b]]== ~~[[c]]~~ _[[d_e_]]_", ["a", "b", "c", "d_e_"]),
        ("[[a]](b.md)", ["a"]),
        ("[[a]]([[b]])", ["a", "b"]),
        ("[x [[a]] y](b.md)", ["b.md", "a"]),
        ("[![a](b.png)](c.md)", ["c.md", "b.png"]),
        ("[[a]][[b]]![[c]]", ["a", "b", "c"]),
        ("[[[a]]]", ["a"]),
        ("[[[a [b] c]]]", ["a [b] c"]),
        ("[[a]]] [x]]", ["a"]),
        ("[[a [[b]]?]]", ["b"]),
        ("[[a [b]]] [[c]] [d](e.md)", ["a [b]", "c", "e.md"]),
        ("| [[a [b]\\|c]] | [[d [e]]] |\n| - | - |\n", ["a [b]", "d [e]"]),
        ("[^1]\n\n[^1]: see [[T#a [b]]]", ["T#a [b]"]),
        ("$5 for [[a]], $6 for [[b]]", ["a", "b"]),
        ("a $5 [[b]]$6", ["b"]),
        ("[^1]\n\n[^1]: see [[a]]", ["a"]),
        ("`` ` `` [[a]] `", ["a"]),
        (r"\\[[a]]", ["a"]),
    ],
)
def test_links_stand_anywhere_in_text(text: str, expected: list[str]) -> None:
    assert targets(text) == expected


def test_an_escaped_exclamation_mark_makes_no_embed() -> None:
    assert links(r"\![[a]]") == (Link("a", None, "wiki", 1, (2, 7)),)


def test_properties_that_are_a_link_are_links() -> None:
    text = """---
up: "[[Bread|the bread]]"
list:
  - '[[漢字 [1]]]'
  - "[shown](My%20note.md)"
  - text with [[no]] link
  - "[web](https://example.org)"
nested: {deep: ["![[Picture.png]]"]}
---
"""
    found = links(text)
    assert [(link.target, link.shown, link.line, link.embed) for link in found] == [
        ("Bread", "the bread", 2, False),
        ("漢字 [1]", None, 4, False),
        ("My note.md", "shown", 5, False),
        ("Picture.png", None, 8, True),
    ]
    assert {link.kind for link in found} == {"property"}
    assert [text[slice(*link.span)] for link in found] == [
        "[[Bread|the bread]]",
        "[[漢字 [1]]]",
        "[shown](My%20note.md)",
        "![[Picture.png]]",
    ]


def test_a_link_that_is_escaped_in_its_property_has_the_span_of_the_value() -> None:
    text = '---\nup: "[[C:\\u0041]]"\n---\n'
    assert links(text) == (Link("C:A", None, "property", 2, (8, 22)),)
    assert text[8:22] == '"[[C:\\u0041]]"'


def test_images_nested_too_deep_are_no_links() -> None:
    note = parse(VaultPath("A.md"), ("![a" * 150 + "](x.png)" * 150).encode())
    assert [link.span[0] for link in note.links] == [3 * depth for depth in range(100)]
