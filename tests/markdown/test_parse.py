"""A Markdown file as a note."""

from hashlib import sha256

import pytest

from bridge.markdown.note import BlockId, Callout, Heading, InlineField, Note, Piece, Task
from bridge.markdown.parse import MAX_CHARACTERS, parse
from bridge.markdown.prose import protected_spans
from bridge.markdown.structure import CHARACTERS_PER_PART, MIN_PARTS
from bridge.types import VaultPath


def note(text: str | bytes) -> Note:
    return parse(VaultPath("Bread/Rye.md"), text.encode() if isinstance(text, str) else text)


def pieces(text: str) -> list[tuple[str, str]]:
    read = note(text)
    return [(piece.kind, read.text[slice(*piece.span)]) for piece in read.pieces]


def test_a_note_is_called_as_its_file() -> None:
    data = b"# Other\n"
    read = parse(VaultPath("A b/1.5 loaves.md"), data)
    assert (read.title, read.kind, read.digest) == ("1.5 loaves", "note", sha256(data).hexdigest())


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    read = note(b"\xef\xbb\xbf---\ntags: rye\n---\n# A\n")
    assert read.text.startswith("---")
    assert [tag.name for tag in read.tags] == ["rye"]


def test_bytes_that_are_no_utf8_are_replaced_and_said() -> None:
    read = note(b"# A\nb \xff c\n")
    assert read.text == "# A\nb \N{REPLACEMENT CHARACTER} c\n"
    assert read.problems == ("Line 2 contains bytes that are not UTF-8; they are shown as \N{REPLACEMENT CHARACTER}.",)


def test_lines_are_counted_at_line_feeds_whatever_ends_them() -> None:
    read = note("# A\r\n\r\n## B\r\nold mac\r## no\r\n- [ ] task\r\n")
    assert [(heading.text, heading.line) for heading in read.headings] == [("A", 1), ("B", 3), ("no", 4)]
    assert read.tasks == (Task(" ", "task", 5),)


@pytest.mark.parametrize(
    ("source", "text", "level"),
    [
        ("# Plain", "Plain", 1),
        ("###### Six ######", "Six", 6),
        ("## C#", "C#", 2),
        ("# Raw *marks* [[link|x]] `code` #tag ^id", "Raw *marks* [[link|x]] `code` #tag ^id", 1),
        ("#", "", 1),
        ("## ##", "", 2),
        ("Underlined\n===", "Underlined", 1),
        ("Underlined #\n---", "Underlined #", 2),
        ("#\tTab\u3000", "Tab", 1),
    ],
)
def test_headings_keep_their_markup(source: str, text: str, level: int) -> None:
    assert note(source).headings == (
        Heading(text, level, 1, (0, len(source.rstrip(" \u3000")) + source.count("\u3000"))),
    )


@pytest.mark.parametrize(
    "source", ["####### seven", "#tag", "> # quoted", "- # listed", "two\nlines\n===", "    # code", "```\n# code\n```"]
)
def test_what_looks_like_a_heading_may_be_none(source: str) -> None:
    assert note(source).headings == ()


def test_tasks_have_any_status_in_any_list() -> None:
    source = """- [ ] open
* [x] done
+ [🥖] bread
1. [/] half
2) [>] moved
> - [!] quoted
>   - [?] below
\t- no
- [xx] none
- [ ]no
- []
- [ ]
    - [-] by four
"""
    found = [(task.status, task.text, task.line) for task in note(source).tasks]
    assert found == [
        (" ", "open", 1),
        ("x", "done", 2),
        ("🥖", "bread", 3),
        ("/", "half", 4),
        (">", "moved", 5),
        ("!", "quoted", 6),
        ("?", "below", 7),
        (" ", "", 12),
        ("-", "by four", 13),
    ]


def test_items_below_a_tab_are_items() -> None:
    assert note("- one\n\t- [ ] two\n\t\t- [x] three\n").tasks == (Task(" ", "two", 2), Task("x", "three", 3, 2))


def test_a_task_knows_the_task_that_it_is_nested_in() -> None:
    read = note("- [ ] one\n  - [ ] two\n    - plain\n      - [ ] four\n  - [ ] five\n- [ ] six\n\n> - [ ] quoted\n")
    assert [(task.text, task.parent) for task in read.tasks] == [
        ("one", None),
        ("two", 1),
        ("four", 2),
        ("five", 1),
        ("six", None),
        ("quoted", None),
    ]


def test_code_and_html_hold_no_tasks() -> None:
    assert note("```\n- [ ] a\n```\n\n<!--\n- [ ] b\n-->\n\n    - [ ] c\n").tasks == ()


@pytest.mark.parametrize(
    ("source", "block"),
    [
        ("a\nb ^id", BlockId("id", (1, 2))),
        ("a\nb\n^id", BlockId("id", (1, 3))),
        ("# A ^id", BlockId("id", (1, 1))),
        ("- a\n- b ^id\n  - c\n- d", BlockId("id", (2, 3))),
        ("- a\n- b\n\n^id\n", BlockId("id", (1, 2))),
        ("para\n\n> a\n> b\n\n^id", BlockId("id", (3, 4))),
        ("```\ncode\n```\n^id", BlockId("id", (1, 3))),
        ("| a |\n| - |\n| b |\n^id", BlockId("id", (1, 4))),
        ("| a |\n| - |\n| b |\n\n^id", BlockId("id", (1, 3))),
        ("> quoted ^id", BlockId("id", (1, 1))),
        ("# A\n\n^id", BlockId("id", (3, 3))),
        ("x ^Mixed-1 ", BlockId("Mixed-1", (1, 1))),
    ],
)
def test_a_block_id_names_the_lines_of_its_block(source: str, block: BlockId) -> None:
    assert note(source).blocks == (block,)


@pytest.mark.parametrize("source", ["a^id", "a ^id b", "a ^ü", "`a ^id`", "```\na ^id\n```", "$x ^2$", "[^1]"])
def test_what_looks_like_a_block_id_may_be_none(source: str) -> None:
    assert note(source).blocks == ()


def test_callouts_have_type_title_and_lines() -> None:
    source = "> [!Note]- A *title*\n> text\n>> [!tip|left]\n>> inner\n\n> [!FAQ]\n\n> no [!callout]\n"
    assert note(source).callouts == (
        Callout("note", "A *title*", (1, 4)),
        Callout("tip", "", (3, 4)),
        Callout("faq", "", (6, 6)),
    )


def test_inline_fields_stand_on_lines_and_in_brackets() -> None:
    source = """rating:: 4
- **last fed**:: [[2026-01-01]]
- [ ] bake [due:: 2026-01-03] and (for:: guests)
> in quote::
[with:: [[link|x]] and more]
url:: https://example.org/a::b
`code:: no` text
no field here:
"""
    assert note(source).fields == (
        InlineField("rating", "4", 1),
        InlineField("last fed", "[[2026-01-01]]", 2),
        InlineField("due", "2026-01-03", 3),
        InlineField("for", "guests", 3),
        InlineField("in quote", "", 4),
        InlineField("with", "[[link|x]] and more", 5),
        InlineField("url", "https://example.org/a::b", 6),
    )


def test_pieces_are_the_top_level_parts() -> None:
    source = """---
tags: a
---
# Head
text
more

- one
  - inner
- two
1. number

> quote

> [!note] callout
> > deep

```py
code
```

| a |
| - |
| b |

$$
x
$$

<div>html</div>

---
<!-- comment -->

[^1]: foot

    indented
"""
    assert pieces(source) == [
        ("heading", "# Head"),
        ("paragraph", "text\nmore"),
        ("list_item", "- one\n  - inner"),
        ("list_item", "- two"),
        ("list_item", "1. number"),
        ("quote", "> quote"),
        ("callout", "> [!note] callout\n> > deep"),
        ("fence", "```py\ncode\n```"),
        ("table", "| a |\n| - |\n| b |"),
        ("math", "$$\nx\n$$"),
        ("html", "<div>html</div>"),
        ("rule", "---"),
        ("paragraph", "[^1]: foot\n\n    indented"),
    ]


def test_a_piece_knows_its_lines() -> None:
    assert note("\n\na\nb\n\n\n- c\n\n  d\n").pieces == (
        Piece("paragraph", (2, 5), (3, 4)),
        Piece("list_item", (8, 16), (7, 9)),
    )


def test_an_indented_block_starts_with_its_line() -> None:
    assert pieces("a\n\n    b\n    c\n") == [("paragraph", "a"), ("fence", "    b\n    c")]


def test_block_comments_are_no_pieces_and_hide_their_markdown() -> None:
    source = "before\n%%\n# hidden\n```\n- [ ] no\n%%\nafter %%inline%% end\n\n%% one line %%\n"
    read = note(source)
    assert pieces(source) == [("paragraph", "before"), ("paragraph", "after %%inline%% end")]
    assert (read.headings, read.tasks) == ((), ())
    assert [source[slice(*span)] for span in read.comments] == [
        "%%\n# hidden\n```\n- [ ] no\n%%",
        "%%inline%%",
        "%% one line %%",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "%%\nnever closed\n\n# A",
        "```\n%%\n```\n# A\n```\n%%\n```",
        "`%%` x `%%`",
        "$$ %% $$ %%",
        "<!-- %% --> %%",
        "100 %% sure\n\nand 50 %% more",
        "- ~~~\n  %%\n  ~~~\n- %%",
    ],
)
def test_percent_signs_may_be_no_comment(source: str) -> None:
    assert note(source).comments == ()


def test_a_comment_ends_before_what_follows_it_on_the_line() -> None:
    assert pieces("%%\na\n%% b\n") == [("paragraph", "b")]
    assert pieces("%% a %% b\n") == [("paragraph", "%% a %% b")]


@pytest.mark.parametrize(
    "source", ["", "\n\n", " \t ", "\0", "---\n---\n", "---\n", "-", "[[", "![](", "%%", "^", "> [!"]
)
def test_scraps_are_notes_too(source: str) -> None:
    assert note(source).text == source


@pytest.mark.parametrize(
    "source",
    [
        ">" * 50_000,
        "- " * 25_000,
        "".join("  " * depth + "- x\n" for depth in range(400)),
        "![a" * 5_000 + "](x)" * 5_000,
        "- [ ] x ^a\n\n^b\n\n" * 3_000,
        "".join("`" * length + " " for length in range(1, 300)) + "%%a%%",
        "|a" * 1_000 + "\n" + "|-" * 1_000 + "\n" + "x\n" * 10_000,
        "%% x\n\n" * 10_000,
        " #a [[b]]" * 10_000,
    ],
    ids=[
        "quotes",
        "items on a line",
        "nested items",
        "nested images",
        "block ids",
        "ticks",
        "table",
        "comments",
        "tags",
    ],
)
def test_hostile_repetition_is_only_text(source: str) -> None:
    assert note(source).text == source


PARAGRAPH = "The loaf [[Rye|is]] in the oven, said the #baker 漢字.\n\n- [ ] turn it\n  - [x] twice\n\n## Later\n\n"


@pytest.mark.no_cover  # a big input runs the lines of a small one, only more often
def test_a_note_of_two_megabytes_is_read_whole() -> None:
    count = 1_900_000 // len(PARAGRAPH)
    read = note(PARAGRAPH * count)
    assert not read.problems
    assert (len(read.headings), len(read.links), len(read.tags), len(read.tasks)) == (count, count, count, 2 * count)
    assert read.headings[-1].line == 7 * (count - 1) + 6
    assert read.text[slice(*read.links[-1].span)] == "[[Rye|is]]"


@pytest.mark.no_cover  # a big input runs the lines of a small one, only more often
def test_what_is_longer_than_one_note_may_be_is_plain_text_from_there_on_and_told() -> None:
    count = 2_500_000 // len(PARAGRAPH)
    read = note(PARAGRAPH * count)
    known = len(read.headings)
    assert MAX_CHARACTERS // len(PARAGRAPH) - 1 <= known < count
    assert len(read.links) - known in {0, 1}
    assert len(read.tags) - known in {0, 1}
    [problem] = read.problems
    line = int(problem.partition("from line ")[2].split()[0])
    assert 7 * known < line <= 7 * (known + 1)
    assert protected_spans(read)[-1][1] == len(read.text)
    assert not any(span[0] > MAX_CHARACTERS for span in (each.span for each in read.pieces))


@pytest.mark.no_cover  # a big input runs the lines of a small one, only more often
@pytest.mark.parametrize("unit", ["# a\n", "***\n", "- [ ] a\n", "> - a\n"])
def test_of_countless_blocks_only_so_many_are_kept_and_told(unit: str) -> None:
    read = note(unit * 50_000)
    assert len(read.pieces) <= max(MIN_PARTS, len(read.text) // CHARACTERS_PER_PART) + 1
    assert "is plain text" in read.problems[0]
    previous = 0
    for piece in read.pieces:
        assert previous <= piece.span[0] < piece.span[1]
        previous = piece.span[1]


def test_one_line_that_is_too_long_is_told_too() -> None:
    read = note("word " * (MAX_CHARACTERS // 4))
    assert [piece.span[1] - piece.span[0] for piece in read.pieces] in ([MAX_CHARACTERS], [MAX_CHARACTERS - 1])
    assert "from line 1 on" in read.problems[0]
