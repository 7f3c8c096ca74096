"""What each kind of edit does to a note."""

import pytest

from bridge.errors import AmbiguousHeading, BlockNotFound, HeadingNotFound, InvalidArguments, TextNotFound
from bridge.markdown.edit.apply import apply_edits
from bridge.markdown.edit.requests import (
    AddItem,
    Append,
    Edit,
    InsertUnder,
    Prepend,
    ReplaceBlock,
    ReplaceLines,
    ReplaceSection,
    ReplaceText,
)
from bridge.types import VaultPath

NOTE = VaultPath("A.md")


def after(text: str, *edits: Edit) -> str:
    return apply_edits(NOTE, text.encode(), edits).decode()


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("a\n", "b", "a\n\nb\n"),
        ("a", "b\n", "a\n\nb"),
        ("", "b", "b\n"),
        ("a\n\n\n", "b", "a\n\n\nb\n"),
        ("a\r\nb\r\n", "x\ny", "a\r\nb\r\n\r\nx\r\ny\r\n"),
        ("a\nb\r\n", "\n\nx\r\ny\n\n", "a\nb\r\n\r\nx\r\ny\r\n"),
        ("# H\n", "b", "# H\nb\n"),
        ("- a\n- b\n", "- c", "- a\n- b\n- c\n"),
        ("- a\n\n- b", "- c", "- a\n\n- b\n\n- c"),
        ("- a\n", "b", "- a\n\nb\n"),
        ("- a\n", "  - b", "- a\n  - b\n"),
        ("|a|\n|-|\n|1|\n", "|2|", "|a|\n|-|\n|1|\n|2|\n"),
        ("|a|\n|-|\n|1|\n", "|b|\n|-|", "|a|\n|-|\n|1|\n\n|b|\n|-|\n"),
        ("|a|\n|-|\n|1|\n", "b", "|a|\n|-|\n|1|\n\nb\n"),
        ("> [!note]\n> a\n", "> b", "> [!note]\n> a\n\n> b\n"),
        ("<div>\na\n", "b", "<div>\na\n\nb\n"),
        ("```\na\n```\n", "b", "```\na\n```\n\nb\n"),
        ("a\n", "---", "a\n\n---\n"),
        ("a\n", "===", "a\n\n===\n"),
        ("[^1]: a\n", "b", "[^1]: a\n\nb\n"),
        ("%%\na\n%%\n", "b", "%%\na\n%%\n\nb\n"),
        ("---\na: b\n---", "c", "---\na: b\n---\nc"),
        ("", "---\na: b\n---\nc", "---\na: b\n---\nc\n"),
        ("100%% sure\n", "b", "100%% sure\n\nb\n"),
    ],
)
def test_appending_puts_text_on_lines_of_its_own(before: str, text: str, expected: str) -> None:
    assert after(before, Append(text=text)) == expected


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        ("a\n", "b", "b\n\na\n"),
        ("", "b", "b\n"),
        ("---\na: b\n---\n", "x", "---\na: b\n---\nx\n"),
        ("---\na: b\n---", "x", "---\na: b\n---\nx"),
        ("---\na: b\n---\n\n# T\nc\n", "x", "---\na: b\n---\n\nx\n\n# T\nc\n"),
        ("---\r\na: b\r\n---\r\nc\r\n", "x", "---\r\na: b\r\n---\r\nx\r\n\r\nc\r\n"),
        ("T\n===\n", "x", "x\n\nT\n===\n"),
        ("- a\n", "- x", "- x\n- a\n"),
        ("---\nno end\n", "x", "x\n\n---\nno end\n"),
    ],
)
def test_prepending_puts_text_below_the_properties(before: str, text: str, expected: str) -> None:
    assert after(before, Prepend(text=text)) == expected


PLAN = "# A\n\nintro\n\n## Log\n- x\n## Next\n\ntext\n\n### Deep\n\nq\n\nSet\n===\nz"


@pytest.mark.parametrize(
    ("heading", "text", "old", "new"),
    [
        ("Log", "- y", "- x\n", "- x\n- y\n"),
        ("Log", "para", "- x\n", "- x\n\npara\n"),
        ("A", "end", "intro\n", "intro\n\nend\n"),
        ("A > Next", "more", "text\n", "text\n\nmore\n"),
        ("Set", "more", "z", "z\n\nmore"),
        ("A", "# New\nx\n## Sub", "q\n", "q\n\n## New\nx\n### Sub\n"),
        ("A", "#### New", "q\n", "q\n\n## New\n"),
        ("Log", "Under\n---\nx", "- x\n", "- x\n\n### Under\nx\n"),
        ("Deep", "p\n\n# Sub #\nx", "q\n", "q\n\np\n\n#### Sub #\nx\n"),
        ("A", "p\n\n###### Small\nx", "intro\n", "intro\n\np\n\n###### Small\nx\n"),
        ("Next", "## Next\n\nmore", "text\n", "text\n\nmore\n"),
        ("Next", "# next\n\nmore", "text\n", "text\n\nmore\n"),
        ("Next", "### Next\n\nmore", "q\n", "q\n\n### Next\n\nmore\n"),
    ],
)
def test_text_goes_to_the_end_of_what_stands_under_a_heading(heading: str, text: str, old: str, new: str) -> None:
    assert after(PLAN, InsertUnder(heading=heading, text=text)) == new.join(PLAN.rsplit(old, 1))


def test_an_empty_section_gets_its_first_text() -> None:
    assert after("## A\n\n## B\n", InsertUnder(heading="A", text="x")) == "## A\nx\n\n## B\n"
    assert after("## A\n## B\n", InsertUnder(heading="A", text="x")) == "## A\nx\n## B\n"
    assert after("## A", InsertUnder(heading="A", text="x")) == "## A\nx"
    assert after("## A\n\n", InsertUnder(heading="A", text="x")) == "## A\n\nx\n"
    assert after("## A\n\n\n## B\n", AddItem(heading="A", text="x")) == "## A\n\n- x\n\n## B\n"
    assert after("## A\n\n\n## B\n", ReplaceSection(heading="A", text="x")) == "## A\n\nx\n\n## B\n"
    assert after("## A\n\n\n## B\n", ReplaceSection(heading="A", text="")) == "## A\n\n\n## B\n"
    assert after("## A\nB\n===\n", InsertUnder(heading="A", text="x")) == "## A\nx\n\nB\n===\n"


@pytest.mark.parametrize(
    ("heading", "text", "old", "new"),
    [
        ("Next", "new", "text\n\n### Deep\n\nq\n", "new\n"),
        ("Next", "# Next\n\nnew\n## Sub", "text\n\n### Deep\n\nq\n", "new\n### Sub\n"),
        ("Next", "#### next\nnew\n##### Sub", "text\n\n### Deep\n\nq\n", "new\n### Sub\n"),
        ("Next", "## Other\nnew", "text\n\n### Deep\n\nq\n", "### Other\nnew\n"),
        ("Next", "", "text\n\n### Deep\n\nq\n\n", ""),
        ("Log", "", "- x\n", ""),
        ("Deep", "w", "q\n", "w\n"),
        ("Set", "# Set\n", "z", ""),
        ("Set", "w\n", "z", "w"),
    ],
)
def test_a_section_s_text_is_replaced_and_its_heading_stays(heading: str, text: str, old: str, new: str) -> None:
    assert after(PLAN, ReplaceSection(heading=heading, text=text)) == new.join(PLAN.rsplit(old, 1))


def test_a_heading_s_block_id_does_not_double_it() -> None:
    assert after("## A ^a\nx\n", ReplaceSection(heading="A ^a", text="## A\ny")) == "## A ^a\ny\n"


BLOCKS = """para one
two ^p1

- a
- [ ] b ^li
  - c ^ci
\t1. deep ^de
- d

|a|
|-|

^tab

> quote
> more ^qq

## H ^hh
"""


@pytest.mark.parametrize(
    ("block", "text", "old", "new"),
    [
        ("p1", "new", "para one\ntwo ^p1\n", "new ^p1\n"),
        ("^P1", "x\ny", "para one\ntwo ^p1\n", "x\ny ^p1\n"),
        ("p1", "new ^p1\nmore", "para one\ntwo ^p1\n", "new ^p1\nmore\n"),
        ("p1", "|b|\n|-|", "para one\ntwo ^p1\n", "|b|\n|-|\n\n^p1\n"),
        ("p1", "- x\n- y", "para one\ntwo ^p1\n", "- x ^p1\n- y\n"),
        ("li", "new", "- [ ] b ^li\n  - c ^ci\n\t1. deep ^de\n", "- [ ] new ^li\n"),
        ("li", "- [x] new\n  - sub", "- [ ] b ^li\n  - c ^ci\n\t1. deep ^de\n", "- [x] new ^li\n  - sub\n"),
        ("li", "[x] new", "- [ ] b ^li\n  - c ^ci\n\t1. deep ^de\n", "- [x] new ^li\n"),
        ("de", "new\nmore", "\t1. deep ^de\n", "\t1. new\n\t   more ^de\n"),
        ("de", "\t1. new", "\t1. deep ^de\n", "\t1. new ^de\n"),
        ("ci", "```\nx\n```", "  - c ^ci\n\t1. deep ^de\n", "  - ```\n    x\n    ```\n\n    ^ci\n"),
        ("p1", "```\n```\n- x", "para one\ntwo ^p1\n", "```\n```\n- x\n\n^p1\n"),
        ("p1", "- ```\n  x\n  ```", "para one\ntwo ^p1\n", "- ```\n  x\n  ```\n\n^p1\n"),
        ("tab", "|b|\n|-|\n|1|", "|a|\n|-|\n", "|b|\n|-|\n|1|\n"),
        ("tab", "|b|\n|-|\n\n^tab", "|a|\n|-|\n", "|b|\n|-|\n"),
        ("qq", "new\nx", "> quote\n> more ^qq\n", "> new\n> x ^qq\n"),
        ("hh", "### H", "## H ^hh\n", "### H ^hh\n"),
        ("hh", "<div>\n## B ^hh", "## H ^hh\n", "<div>\n## B ^hh\n\n^hh\n"),
    ],
)
def test_a_block_is_replaced_and_keeps_its_id(block: str, text: str, old: str, new: str) -> None:
    assert after(BLOCKS, ReplaceBlock(block=block, text=text)) == BLOCKS.replace(old, new)


@pytest.mark.parametrize(
    ("before", "lines", "text", "expected"),
    [
        ("a\r\nb\r\nc", (2, 2), "x\ny", "a\r\nx\r\ny\r\nc"),
        ("a\nb\nc", (3, 3), "x\n", "a\nb\nx"),
        ("a\nb\n", (1, 1), "", "b\n"),
        ("a\nb\n", (1, 2), "x", "x\n"),
        ("a\nb\n", (2, 2), "\n", "a\n\n"),
        ("", (1, 1), "x", "x"),
        ("```\na\n```\n", (1, 3), "a", "a\n"),
    ],
)
def test_lines_are_replaced_by_exactly_the_text(before: str, lines: tuple[int, int], text: str, expected: str) -> None:
    assert after(before, ReplaceLines(lines=lines, text=text)) == expected


@pytest.mark.parametrize(
    ("before", "old", "new", "expected"),
    [
        ("a b c", "b", "x\ny", "a x\ny c"),
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", "x\r\ny\r\nz\r\nc\r\n"),
        ("a\r\nb\r\nc\r\n", "\nb\n", "\n", "a\r\nc\r\n"),
        ("a\nb\n", "a\r\nb", "c", "c\n"),
        ("é e\u0301", "e\u0301", "x", "é x"),
    ],
)
def test_text_that_stands_once_is_replaced(before: str, old: str, new: str, expected: str) -> None:
    assert after(before, ReplaceText(old=old, new=new)) == expected


def test_text_is_replaced_wherever_it_stands_when_asked() -> None:
    assert after("aa\r\naa\r\naaa", ReplaceText(old="aa", new="b", all=True)) == "b\r\nb\r\nba"


@pytest.mark.parametrize(
    ("before", "heading", "text", "task", "expected"),
    [
        ("# L\n- a\n\n# M\n- b\n", "L", "c", False, "# L\n- a\n- c\n\n# M\n- b\n"),
        ("# L\n- a\n\n# M\n- b\n", None, "c", True, "# L\n- a\n\n# M\n- b\n- [ ] c\n"),
        ("# L\n- a\n## M\n* b", "L", "c", False, "# L\n- a\n- c\n## M\n* b"),
        ("* a\n  - nested\n", None, "c", False, "* a\n  - nested\n* c\n"),
        ("1. a\n2. b\n", None, "c", False, "1. a\n2. b\n3. c\n"),
        ("9) a", None, "c", False, "9) a\n10) c"),
        ("1. a\n1. b\n", None, "c", False, "1. a\n1. b\n1. c\n"),
        ("  + a\n\n  + b\n\nx", None, "c", False, "  + a\n\n  + b\n\n  + c\n\nx"),
        ("- a\n", None, "- c\n  - d", False, "- a\n- c\n    - d\n"),
        ("- a\n", None, "* [x] c", True, "- a\n- [x] c\n"),
        ("-   a\r\n", None, "c\nmore", True, "-   a\r\n-   [ ] c\r\n    more\r\n"),
        ("- a\nlazy\n", None, "c", False, "- a\nlazy\n- c\n"),
        ("x\n## H\n\n", "H", "c", True, "x\n## H\n\n- [ ] c\n"),
        ("text\n", None, "c", False, "text\n\n- c\n"),
        ("* a\n\n## H\ntext\n", "H", "c", False, "* a\n\n## H\ntext\n\n* c\n"),
        ("1. a\n\n## H\n", "H", "c", False, "1. a\n\n## H\n- c\n"),
        ("", None, "c", True, "- [ ] c\n"),
    ],
)
def test_an_item_looks_like_the_one_before_it(
    before: str, heading: str | None, text: str, task: bool, expected: str
) -> None:
    assert after(before, AddItem(heading=heading, text=text, task=task)) == expected


def test_edits_speak_of_the_note_as_it_was_read() -> None:
    edits = (
        ReplaceLines(lines=(1, 1), text="x\nx"),
        ReplaceText(old="c", new="d"),
        Append(text="- e"),
        Append(text="- f"),
        Append(text="g"),
        Prepend(text="0"),
    )
    assert after("a\nb\nc\n", *edits) == "0\n\nx\nx\nb\nd\n\n- e\n- f\n\ng\n"


def test_an_edit_of_the_text_can_make_room_for_another() -> None:
    assert after("```\na\n", ReplaceText(old="a", new="a\n```"), Append(text="b")) == "```\na\n```\n\nb\n"


def test_a_lone_carriage_return_ends_a_line_to_markdown() -> None:
    text = "# A\rx\r# B\ry\r"
    assert after(text, InsertUnder(heading="A", text="z")) == "# A\rx\r\rz\r# B\ry\r"
    assert after(text, ReplaceSection(heading="A", text="z")) == "# A\rz\r# B\ry\r"


def test_many_edits_of_one_note_are_made_at_once() -> None:
    edits = [ReplaceLines(lines=(at, at), text=f"{at}") for at in range(1, 2000, 2)]
    edits_below = [Append(text="- x")] * 500
    expected = "".join(f"{at}\na\n" for at in range(1, 2000, 2)) + "\n" + "- x\n" * 500
    assert after("a\n" * 2000, *edits, *edits_below) == expected


@pytest.mark.parametrize("end", ["", "\n"])
def test_an_item_stays_in_its_list_whatever_else_goes_to_the_end(end: str) -> None:
    edits = Append(text="Below."), AddItem(text="two"), AddItem(text="three")
    assert after(f"- one{end}", *edits) == f"- one\n- two\n- three\n\nBelow.{end}"


def test_no_edit_leaves_a_note_as_it_is() -> None:
    assert after("a\r\n\x00b") == "a\r\n\x00b"


def test_a_byte_order_mark_stays_at_the_start() -> None:
    assert apply_edits(NOTE, b"\xef\xbb\xbf# A\n", (Prepend(text="x"),)) == b"\xef\xbb\xbfx\n\n# A\n"


@pytest.mark.parametrize(
    ("before", "edit", "sentence"),
    [
        ("```\na\n", Append(text="x"), "Line 1 opens a code block that is never closed"),
        ("a\n\n%%\nb\n", Append(text="x"), "Line 3 opens a comment that is never closed"),
        ("<!--\na\n", Append(text="x"), "Line 1 opens an HTML comment that is never closed"),
        ("<script>\na\n", Append(text="x"), "Line 1 opens HTML that is never closed"),
        ("# B ^b", ReplaceBlock(block="b", text="x\n<PRE>"), "The text opens HTML that it does not close"),
        ("a ^b", ReplaceBlock(block="b", text="<?x"), "The text opens HTML that it does not close"),
        ("a ^b", ReplaceBlock(block="b", text="<![CDATA[\nx"), "The text opens HTML that it does not close"),
        (
            "# A\na\n# B\n",
            InsertUnder(heading="A", text="```\nx"),
            "The text opens a code block that it does not close",
        ),
        ("a\n", Append(text="~~~"), "The text opens a code block that it does not close"),
        ("a\n%%b%%\n", Prepend(text="%%\nx"), "The text opens a comment that it does not close"),
        ("- a ^b", ReplaceBlock(block="b", text="x\n\n~~~"), "The text opens a code block that it does not close"),
        ("a\n---\nb\n", Prepend(text="---\nx: y"), "The text would be read as the note's properties"),
        ("    code\n", Prepend(text="- a"), "line 1 of `A.md` would change its meaning"),
        ("# A\n###### B\n", InsertUnder(heading="B", text="# C"), "`C` would be a heading of level 7"),
        ("# A\n### B\n## C\n", InsertUnder(heading="A", text="x\n## D"), "would move `B` out of `A`"),
        ("a", Append(text=" \n\t"), "`append` needs text"),
        ("# A", InsertUnder(heading="A", text="# A"), "`insert_under` needs text"),
        ("a ^b", ReplaceBlock(block="b", text=""), "`replace_block` needs text"),
        (
            "a ^b\n\nc ^b\n",
            ReplaceBlock(block="b", text="x"),
            r"names more than one block of `A.md`, in lines 1 and 3\.",
        ),
        ("a\nb\n", ReplaceLines(lines=(2, 3), text=""), "from 1 to 2, the lines of `A.md`, not 2 to 3"),
        ("a\nb\n", ReplaceLines(lines=(2, 1), text=""), "not 2 to 1"),
        ("", ReplaceLines(lines=(0, 1), text=""), "from 1 to 1"),
        ("a", ReplaceText(old="", new="b"), "needs an `old` text"),
        ("a", ReplaceText(old="a", new="a"), "nothing to change"),
        ("a", Append(text="\ud800"), "lone surrogate"),
    ],
)
def test_an_edit_that_would_do_harm_is_refused(before: str, edit: Edit, sentence: str) -> None:
    with pytest.raises(InvalidArguments, match=sentence):
        after(before, edit)


@pytest.mark.parametrize(
    ("edits", "numbers", "line"),
    [
        ((ReplaceLines(lines=(1, 2), text="x"), ReplaceText(old="b", new="c")), (1, 2), 2),
        ((ReplaceText(old="b", new="c"), Append(text="x"), ReplaceLines(lines=(1, 2), text="x")), (1, 3), 2),
        ((ReplaceSection(heading="H", text=""), InsertUnder(heading="I", text="x")), (1, 2), 7),
    ],
)
def test_edits_that_overlap_are_refused(edits: tuple[Edit, ...], numbers: tuple[int, int], line: int) -> None:
    with pytest.raises(InvalidArguments) as raised:
        after("a\nb\n# H\n## I\ny\nz\n\n## J\n", *edits)
    assert raised.value.message == (
        f"Edits {numbers[0]} and {numbers[1]} both change line {line}; edits must not overlap."
    )


@pytest.mark.parametrize(
    ("old", "message", "facts"),
    [
        ("it", "The text occurs 3 times in A.md, in lines 1, 3.", {"count": 3, "lines": [1, 1, 3]}),
        ("l", "The text occurs 2 times in A.md, in line 2.", {"count": 2, "lines": [2, 2]}),
        (
            "HELLO  there",
            "Line 2 differs from it in spaces, quotes or letters: “Hello there”.",
            {"count": 0, "near": [2]},
        ),
        (
            "hello there\nyou",
            "Line 2 starts like it, but it goes on differently: “Hello there”.",
            {"count": 0, "near": [2]},
        ),
        ("it's a sentense about it", "Most like it is line 3: ““it’s a sentence about””.", {"count": 0, "near": [3]}),
        ("Hullo, is there somebody?", "Most like it is line 2: “Hello there”.", {"count": 0, "near": [2]}),
        ("zzzzzzz", "The text is not in A.md.", {"count": 0, "near": []}),
        ("\n\n\n", "The text is not in A.md.", {"count": 0, "near": []}),
    ],
)
def test_text_that_is_not_there_once_is_told_with_what_is_near(
    old: str, message: str, facts: dict[str, object]
) -> None:
    with pytest.raises(TextNotFound) as raised:
        after("it is it\nHello there\n“it’s a sentence about”\n", ReplaceText(old=old, new="x"))
    assert raised.value.message.endswith(message)
    assert raised.value.facts == facts


def test_places_that_overlap_are_two() -> None:
    with pytest.raises(TextNotFound, match="occurs 2 times"):
        after("aaa", ReplaceText(old="aa", new="b"))


def test_missing_and_ambiguous_headings_and_blocks_name_what_there_is() -> None:
    text = "# A\n## X\n# B\n## X\n\nc ^c1\n"
    with pytest.raises(HeadingNotFound) as missing:
        after(text, InsertUnder(heading="Y", text="x"))
    assert missing.value.facts == {"headings": ["A", "A > X", "B", "B > X"]}
    with pytest.raises(AmbiguousHeading) as ambiguous:
        after(text, AddItem(heading="X", text="x"))
    assert ambiguous.value.facts == {"headings": ["A > X", "B > X"]}
    with pytest.raises(BlockNotFound) as block:
        after(text, ReplaceBlock(block="^c2", text="x"))
    assert block.value.facts == {"blocks": ["^c1"]}
    with pytest.raises(BlockNotFound, match="it has none"):
        after("a", ReplaceBlock(block="c2", text="x"))


@pytest.mark.parametrize("path", ["A.canvas", "A.pdf", "A.excalidraw", "A.png"])
def test_only_markdown_is_edited(path: str) -> None:
    with pytest.raises(InvalidArguments, match="Only Markdown notes"):
        apply_edits(VaultPath(path), b"{}", (Append(text="x"),))


def test_bytes_that_are_not_utf_8_are_not_guessed() -> None:
    with pytest.raises(InvalidArguments, match="first in line 2"):
        apply_edits(NOTE, b"a\n\xff\n", (Append(text="x"),))


DRAWING = """---
excalidraw-plugin: parsed
---
==⚠  Switch to EXCALIDRAW VIEW ⚠==

Back of the note.

%%
# Excalidraw Data
## Text Elements
A text ^abcdefgh

## Drawing
```json
{}
```
%%
"""


def test_a_drawing_takes_text_above_itself_only() -> None:
    assert after(DRAWING, Append(text="more")) == DRAWING.replace("\n\n%%\n#", "\n\nmore\n\n%%\n#")
    assert after(DRAWING, ReplaceText(old="Back", new="Front")) == DRAWING.replace("Back", "Front")
    for edit in (
        ReplaceText(old="A text", new="B"),
        InsertUnder(heading="Text Elements", text="x"),
        ReplaceLines(lines=(8, 8), text=""),
        AddItem(heading="Drawing", text="x"),
    ):
        with pytest.raises(InvalidArguments, match=r"From line \d+ on `A\.md` belongs to Excalidraw"):
            after(DRAWING.replace("%%\n", ""), edit)


BOARD = "---\nkanban-plugin: board\n---\n\n## Done\n\n- [x] a\n\n\n%% kanban:settings\n```\n{}\n```\n%%"


def test_a_board_keeps_its_settings_at_the_end() -> None:
    assert after(BOARD, InsertUnder(heading="Done", text="- b")) == BOARD.replace("a\n", "a\n- b\n")
    assert after(BOARD, ReplaceSection(heading="Done", text="- b")) == BOARD.replace("[x] a", "b")
    assert after(BOARD, Append(text="## New")) == BOARD.replace("%% k", "## New\n\n%% k")
    with pytest.raises(InvalidArguments):
        after(BOARD, ReplaceText(old="{}", new="{ }"))
