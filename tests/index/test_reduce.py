import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.index.prepare import drop_programs, strip_html_tags, strip_markdown


@pytest.mark.parametrize(
    ("markup", "said"),
    [
        ("[[Note]] and [[Note#Part|shown]]", "Note and shown"),
        ("[[Log#[1.0] 发布]] [[T#x [y]|[z]]] ![[a [b].png]]", "Log#[1.0] 发布 [z] a [b].png"),
        ("![[image.png]] ![alt](pic.png)", "image.png alt"),
        ('[text](https://example.com/a(b)c?d=e "title")', "text"),
        ("see https://www.example.com/path/page?q=1#x now", "see example.com now"),
        ("**bold** _slanted_ ~~gone~~ ==marked== `code`", "bold slanted gone marked code"),
        ("snake_case stays_so 2*3", "snake_case stays_so 23"),
        ("# Heading\n\ntext", "Heading\ntext"),
        ("- [ ] task\n- [x] done\n1. one\n* two", "task\ndone\none\ntwo"),
        ("> [!note]- Title\n> body", "Title\nbody"),
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", "a b\n1 2"),
        ("| -- " + "|    " * 40 + "| total |", "-- total"),
        (" " * 2_000 + "- far to the right", "far to the right"),
        ("text ^block-id", "text"),
        ("claim[^1]\n\n[^1]: source", "claim\nsource"),
        ("before %%hidden%% after <!-- gone --> end", "before after end"),
        ('<div class="x">inside</div> a < b', "inside a < b"),
        ("above\n\n---\n\nbelow", "above\nbelow"),
        ("data:image/png;base64," + "A" * 500, ""),
        ("word " * 19 + "A+" * 60 + " end", "word " * 19 + "end"),
        ("研究 **生命**", "研究 生命"),
        ("  spaced\t\tout  ", "spaced out"),
    ],
)  # fmt: skip
def test_markup_is_taken_away(markup: str, said: str) -> None:
    assert strip_markdown(markup) == said


@given(st.text())
def test_any_text_can_be_reduced(text: str) -> None:
    assert strip_markdown(text).strip() == strip_markdown(text)


@pytest.mark.parametrize(
    ("text", "rest", "dropped"),
    [
        ("a\n```dataview\nLIST\n```\nb", "a\n\nb", ["a `dataview` block"]),
        ("a\n```python\nx\n```\nb", "a\n```python\nx\n```\nb", []),
        ("```dataviewjs\nnever closed", "", ["a `dataviewjs` block"]),
        ("````md\n```dataview\n```\n````", "````md\n```dataview\n```\n````", []),
        ("no fence", "no fence", []),
    ],
)
def test_programs_are_dropped_and_named(text: str, rest: str, dropped: list[str]) -> None:
    assert drop_programs(text) == (rest, dropped)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ('<iframe width="100%" src="https://x.net/?a=b&c=d" title="A\nB"></iframe> after', "   after"),
        ("API==&nbsp;key", "API== key"),
        ("<b class=y>bold</b><br/>", " bold  "),
        ('`<b class="x">` is <b>code</b>', '`<b class="x">` is  code '),
        ("``a ` <b>`` and ` <b>", "``a ` <b>`` and `  "),
        ('```html\n<div id="a">\n```\n<div id="b">x</div>', '```html\n<div id="a">\n```\n x '),
        ("~~~\n<p open", "~~~\n<p open"),
        ("a < b, c > d, <https://x.y/z>", "a < b, c > d, <https://x.y/z>"),
        ('<a href="cut', '<a href="cut'),
    ],
)
def test_tags_are_not_read_but_in_code(text: str, read: str) -> None:
    assert strip_html_tags(text) == read


@pytest.mark.parametrize("part", ["<a ", '<a b="', "<a b ", "`", "`a", "```\n", "~~~\n`", " b", ' b="c"', " "])
def test_looking_for_tags_takes_time_in_proportion(part: str) -> None:
    # What grows with the square of the length would take minutes.
    text = "<a" + part * 200_000
    assert len(strip_html_tags(text)) <= len(text)
