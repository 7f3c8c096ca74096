"""A section becomes a note: every link leads on, footnotes go along, and nothing is lost."""

from typing import Any

import pytest

from bridge.changes.requests.split_note import name_of_section, split
from bridge.errors import (
    AmbiguousHeading,
    BridgeError,
    HeadingNotFound,
    InvalidArguments,
    NoteExists,
    NoteNotFound,
    PathKept,
    ProtectedPath,
)
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings
from tests.changes.vaults import Paper

NOTE = VaultPath("Bread/Rye.md")


def split_off(files: dict[str, str], heading: str = "Dough", **options: Any) -> dict[str, str]:
    paper = Paper.of(files)
    return paper.carry_out(split(NOTE, heading, paper.view(), ObsidianSettings(), **options)).texts()


def test_a_section_becomes_a_note_and_a_link_stays() -> None:
    found = split_off({NOTE: "# Rye\n\nDark.\n\n## Dough\n\nWet.\n\n### Salt\n\nLate.\n\n## Oven\n\nHot.\n"})
    assert found == {
        NOTE: "# Rye\n\nDark.\n\n[[Dough]]\n\n## Oven\n\nHot.\n",
        "Bread/Dough.md": "# Dough\n\nWet.\n\n## Salt\n\nLate.\n",
    }


@pytest.mark.parametrize(
    ("leave", "rest"),
    [("embed", "Dark.\n\n![[Dough]]\n"), ("nothing", "Dark.\n")],
)
def test_what_stands_in_place_of_the_last_section(leave: str, rest: str) -> None:
    assert split_off({NOTE: "Dark.\n\n## Dough\n\nWet."}, leave=leave)[NOTE] == rest


def test_nothing_left_keeps_the_next_heading_apart_from_the_text_above() -> None:
    found = split_off({NOTE: "Dark.\n## Dough\nWet.\n\nOven\n====\nHot.\n"}, leave="nothing")
    assert found == {NOTE: "Dark.\n\nOven\n====\nHot.\n", "Bread/Dough.md": "# Dough\nWet.\n"}


def test_every_link_to_the_section_follows_in_its_own_style() -> None:
    found = split_off(
        {
            NOTE: "Top [[#Dough]] [[#Salt|s]] [m](#Dough) [[#^b]] [[#Oven]]\n\n"
            "## Dough\n\nSee [[#Oven]], [[#Dough#Salt]], [[#^b]], [o](#Oven) and [[Rye]].\n\n### Salt\n\nLate. ^b\n\n"
            "## Oven\n\nHot.\n",
            "A.md": "[[Rye#Dough]] ![[Rye#Dough#Salt|x]] [y](Bread/Rye.md#Salt) [[Rye#^b]] [[Rye]] [[Rye#Oven]]\n",
            "P.md": '---\nup: "[[Bread/Rye#Dough]]"\n---\n`[[Rye#Dough]]`\n',
            "C.canvas": '{"nodes":[{"type":"file","file":"Bread/Rye.md","subpath":"#Dough"}]}',
        }
    )
    assert found[NOTE] == (
        "Top [[Dough#Dough]] [[Dough#Salt|s]] [m](Dough.md#Dough) [[Dough#^b]] [[#Oven]]\n\n[[Dough]]\n\n"
        "## Oven\n\nHot.\n"
    )
    assert found["Bread/Dough.md"] == (
        "# Dough\n\nSee [[Rye#Oven]], [[#Dough#Salt]], [[#^b]], [o](Rye.md#Oven) and [[Rye]].\n\n## Salt\n\nLate. ^b\n"
    )
    assert found["A.md"] == (
        "[[Dough#Dough]] ![[Dough#Dough#Salt|x]] [y](Bread/Dough.md#Salt) [[Dough#^b]] [[Rye]] [[Rye#Oven]]\n"
    )
    assert found["P.md"] == '---\nup: "[[Bread/Dough#Dough]]"\n---\n`[[Rye#Dough]]`\n'
    assert found["C.canvas"] == '{"nodes":[{"type":"file","file":"Bread/Dough.md","subpath":"#Dough"}]}'


def test_links_named_by_parents_outside_of_the_section_are_shortened() -> None:
    found = split_off(
        {
            NOTE: "# Rye\n\n## Dough\n\n### Salt\n\nLate.\n",
            "A.md": "[[Rye#Rye#Dough#Salt]] [z](Bread/Rye.md#Rye#Salt)\n",
        }
    )
    assert found["A.md"] == "[[Dough#Salt]] [z](Bread/Dough.md#Salt)\n"


def test_the_first_of_two_headings_keeps_its_links() -> None:
    text = "## Dough\n\nfirst\n\n### Salt\n\none\n\n## Other\n\n### Salt\n\ntwo\n"
    found = split_off({NOTE: text, "A.md": "[[Rye#Salt]] [[Rye#Other#Salt]]\n"}, "Other")
    assert found["A.md"] == "[[Rye#Salt]] [[Other#Other#Salt]]\n"
    found = split_off({NOTE: text, "A.md": "[[Rye#Salt]] [[Rye#Other#Salt]]\n"})
    assert found["A.md"] == "[[Dough#Salt]] [[Rye#Other#Salt]]\n"


def test_one_of_several_headings_of_a_name_is_chosen_by_its_line() -> None:
    text = "Top\n\n## Dough\n\none\n\n## Dough\n\ntwo\n"
    assert split_off({NOTE: text}, "Dough (line 7)")["Bread/Dough.md"] == "# Dough\n\ntwo\n"
    with pytest.raises(AmbiguousHeading):
        split_off({NOTE: text})


def test_a_heading_in_code_is_none() -> None:
    text = "Top\n\n```\n## Dough\n```\n"
    with pytest.raises(HeadingNotFound):
        split_off({NOTE: text})
    found = split_off({NOTE: "Top\n\n## Dough\n\n```md\n## Oven\n```\n\nlast\n\n## Oven\n"})
    assert found["Bread/Dough.md"] == "# Dough\n\n```md\n## Oven\n```\n\nlast\n"


def test_footnotes_go_along_stay_or_are_in_both() -> None:
    text = (
        "Top.[^a] [^both]\n\n## Dough\n\nWet.[^1] [^both] [^a-in]\n\n[^a]: Kept.\n[^a-in]: Inside.\n\n"
        "## Oven\n\nHot.\n\n[^1]: A book,\n    in two lines, see [^deep].\n[^both]: Of both, [[#Dough]].\n"
        "[^deep]: Deep.\n"
    )
    found = split_off({NOTE: text})
    assert found["Bread/Dough.md"] == (
        "# Dough\n\nWet.[^1] [^both] [^a-in]\n\n[^a-in]: Inside.\n\n[^1]: A book,\n    in two lines, see [^deep].\n\n"
        "[^both]: Of both, [[#Dough]].\n\n[^deep]: Deep.\n"
    )
    assert found[NOTE] == (
        "Top.[^a] [^both]\n\n[[Dough]]\n\n[^a]: Kept.\n\n## Oven\n\nHot.\n\n[^both]: Of both, [[Dough#Dough]].\n"
    )


def test_definitions_of_reference_links_go_along_and_lead_on_from_another_folder() -> None:
    text = "Top\n\n## Dough\n\n[A book][b]\n\n## Oven\n\n[b]: Book.md\n"
    found = split_off({NOTE: text, "Bread/Book.md": "", "New/Book.md": ""}, to=VaultPath("New"))
    assert found["New/Dough.md"] == "# Dough\n\n[A book][b]\n\n[b]: ../Bread/Book.md\n"
    assert found[NOTE] == "Top\n\n[[Dough]]\n\n## Oven\n\n"


def test_line_endings_and_the_byte_order_mark_stay() -> None:
    paper = Paper.of({NOTE: b"\xef\xbb\xbfTop\r\n\r\n## Dough\r\n\r\nWet.\r\n\r\n### Salt\r\n## Oven\r\n"})
    found = paper.carry_out(split(NOTE, "Dough", paper.view(), ObsidianSettings())).files
    assert found[NOTE] == b"\xef\xbb\xbfTop\r\n\r\n[[Dough]]\r\n\r\n## Oven\r\n"
    assert found[VaultPath("Bread/Dough.md")] == b"# Dough\r\n\r\nWet.\r\n\r\n## Salt\r\n"


def test_lists_and_callouts_stay_as_they_are() -> None:
    body = "- a\n  - b\n    - c ^c\n\n> [!note] Box\n> ## Not a heading of the note\n> - [ ] task\n"
    found = split_off({NOTE: f"- before\n## Dough\n{body}## Oven\n", "A.md": "[[Rye#^c]]"})
    assert found["Bread/Dough.md"] == f"# Dough\n{body}"
    assert found[NOTE] == "- before\n\n[[Dough]]\n\n## Oven\n"
    assert found["A.md"] == "[[Dough#^c]]"


def test_properties_go_along_when_asked_and_their_links_lead_on() -> None:
    text = '---\ntags: [a, b]\nUp: "[[Near]]"\nrating: 5\n---\nTop\n\n## Dough\n\nWet.\n'
    files = {NOTE: text, "Bread/Near.md": "", "A/Near.md": ""}
    found = split_off(files, properties=("Tags", "up"), to=VaultPath("New/Wet dough.md"))
    new = found["New/Wet dough.md"]
    assert new.startswith("---\n")
    assert "- a\n" in new
    assert '"[[Bread/Near]]"' in new
    assert "rating" not in new
    assert new.endswith("---\n# Dough\n\nWet.\n")
    assert found[NOTE].startswith('---\ntags: [a, b]\nUp: "[[Near]]"\nrating: 5\n---\n')
    with pytest.raises(InvalidArguments, match="has no property `colour`"):
        split_off(files, properties=("colour",))


def test_links_that_the_new_name_would_take_stay_with_their_file() -> None:
    found = split_off({NOTE: "Top\n\n## Dough\n", "Bread/A.md": "[[Dough]]", "Old/Dough.md": ""})
    assert found["Bread/A.md"] == "[[Old/Dough]]"


def test_a_link_that_led_nowhere_may_find_the_new_note() -> None:
    paper = Paper.of({NOTE: "Top\n\n## Dough\n", "A.md": "[[Dough]]"})
    effect = split(NOTE, "Dough", paper.view(), ObsidianSettings()).effect
    assert [(one.path, one.to) for one in effect.mended] == [("A.md", "Bread/Dough.md")]
    assert effect.files == ("Bread/Dough.md", NOTE)


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("**Wet** dough", "Wet dough"),
        ("[[Rye|The rye]]: 1/2", "The rye 1 2"),
        ("A [link](x.md) `code`", "A link code"),
        ("snake_case", "snake_case"),
        ("Salt ^id", "Salt"),
        ("?", ""),
        ("面团", "面团"),
    ],
)
def test_the_name_is_the_heading_as_a_file_can_have_it(heading: str, name: str) -> None:
    assert name_of_section(heading) == name


@pytest.mark.parametrize(
    ("path", "heading", "options", "error"),
    [
        (NOTE, "None", {}, HeadingNotFound),
        ("None.md", "Dough", {}, NoteNotFound),
        ("C.canvas", "Dough", {}, InvalidArguments),
        (NOTE, "Dough", {"to": "a#b.md"}, InvalidArguments),
        (NOTE, "?", {}, InvalidArguments),
        (NOTE, "Dough", {"to": "Bread/TAKEN.md"}, NoteExists),
        (NOTE, "Dough", {"to": "Kept"}, PathKept),
        ("Kept/K.md", "Dough", {}, ProtectedPath),
        ("Linked.md", "Dough", {}, ProtectedPath),
        ("Whole.md", "Dough", {}, InvalidArguments),
        ("Latin.md", "Dough", {}, BridgeError),
        ("Formula.md", "Dough", {}, InvalidArguments),
        ("Embeds.md", "Dough", {"leave": "embed"}, InvalidArguments),
        ("Board.md", "Settings", {}, BridgeError),
    ],
)
def test_what_cannot_be_split_is_refused(
    path: str, heading: str, options: dict[str, Any], error: type[Exception]
) -> None:
    paper = Paper.of(
        {
            NOTE: "Top\n\n## Dough\n\n## ?\n",
            "C.canvas": "{}",
            "Bread/Taken.md": "",
            "Kept/K.md": "Top [[Linked#Dough]]\n\n## Dough\n",
            "Linked.md": "Top\n\n## Dough\n",
            "Whole.md": "---\na: 1\n---\n\n# Dough\n\nWet.\n\n## Salt\n",
            "Latin.md": b"Caf\xe9\n\n## Dough\n",
            "Formula.md": "$$\nx\n\n## Dough\n\ny\n$$\n\n## Oven\n",
            "Embeds.md": "Top\n\n## Dough\n\n![[Embeds]]\n",
            "Board.md": "---\nkanban-plugin: board\n---\n## Done\n\n%% kanban:settings\n## Settings\n%%\n",
        },
        readonly=("Kept",),
    )
    with pytest.raises(error):
        split(VaultPath(path), heading, paper.view(), ObsidianSettings(), **options)
