"""A heading's new text is followed by every link that names it, in its own style."""

import pytest

from bridge.changes.heading import rename_heading
from bridge.errors import HeadingNotFound, InvalidArguments, ProtectedPath
from bridge.types import VaultPath
from tests.changes.vaults import Paper

RYE = VaultPath("Bread/Rye.md")
CANVAS = '{"nodes":[{"type":"text","text":"[[Rye#Old]]"}]}'
TEXT = "# Dough\n## Old way\ntext [[#Old way]] ^b\n## Other\n### Old way\n"


def after(text: str, to: str = "New: way", heading: str = "Dough > Old way", path: str = "Here.md") -> str:
    paper = Paper.of({RYE: TEXT, path: text})
    return paper.carry_out(rename_heading(RYE, heading, to, paper.view())).texts()[path]


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("[[Rye#Old way]]", "[[Rye#New way]]"),
        ("[[rye#old WAY|x]]", "[[rye#New way|x]]"),
        ("![[Bread/Rye#Dough#Old way]]", "![[Bread/Rye#Dough#New way]]"),
        ("[x](Bread/Rye.md#Old%20way)", "[x](Bread/Rye.md#New%20way)"),
        ("[x](<Bread/Rye.md#Old way>)", "[x](<Bread/Rye.md#New way>)"),
        ("[x]: Bread/Rye.md#Old%20way", "[x]: Bread/Rye.md#New%20way"),
        ("---\nup: '[[Rye#Old way]]'\n---\n", "---\nup: '[[Rye#New way]]'\n---\n"),
        ("| a |\n|---|\n| [[Rye#Old way\\|x]] |\n", "| a |\n|---|\n| [[Rye#New way\\|x]] |\n"),
        ("[[Rye#Other]] [[Rye#Dough]] [[Rye]] [[Rye#^b]] [[#Old way]]", None),
        ("[[Rye#Other#Old way]] [[Rye#None]] `[[Rye#Old way]]`", None),
    ],
)
def test_a_place_follows_in_its_own_style(before: str, wanted: str | None) -> None:
    assert after(before) == (wanted or before)


@pytest.mark.parametrize(
    ("to", "wanted"),
    [
        ("Done [2026]", "Done [2026]"),
        ("[1.0] تغييرات", "[1.0] تغييرات"),
        ("[wiki](https://a.org)", "[wiki](https //a.org)"),
        ("a [b", "a b"),
        ("[a [b]](c)", "a b (c)"),
        ("see [[Rye]]", "see Rye"),
    ],
)
def test_a_heading_with_brackets_is_followed_and_found_again(to: str, wanted: str) -> None:
    paper = Paper.of({RYE: "# Old\n", "H.md": "[[Rye#Old]] [[Rye#Old|x]]", "C.canvas": CANVAS})
    paper = paper.carry_out(rename_heading(RYE, "Old", to, paper.view()))
    assert paper.texts()["H.md"] == f"[[Rye#{wanted}]] [[Rye#{wanted}|x]]"
    assert paper.texts()["C.canvas"] == CANVAS.replace("Old", wanted)
    paper = paper.carry_out(rename_heading(RYE, to, "Old", paper.view()))
    assert paper.texts() == {RYE: "# Old\n", "H.md": "[[Rye#Old]] [[Rye#Old|x]]", "C.canvas": CANVAS}


def test_the_note_itself_follows_and_the_other_heading_of_the_name_is_left_alone() -> None:
    paper = Paper.of({RYE: TEXT.replace("\n", "\r\n")})
    planned = rename_heading(RYE, "Dough > Old way", "New", paper.view())
    wanted = "# Dough\n## New\ntext [[#New]] ^b\n## Other\n### Old way\n".replace("\n", "\r\n")
    assert paper.carry_out(planned).texts() == {RYE: wanted}
    assert (planned.effect.links_rewritten, planned.effect.files) == (1, (RYE,))


def test_a_heading_above_is_renamed_in_the_paths_that_name_it() -> None:
    assert after("[[Rye#Dough#Old way]] [[Rye#Old way]]", "Paste", "Dough") == "[[Rye#Paste#Old way]] [[Rye#Old way]]"


def test_a_canvas_changes_in_the_place_alone() -> None:
    node = '{"nodes":[ {"type":"file","file":"Bread/Rye.md","subpath":"#Old way"}]}'
    assert after(node, path="C.canvas") == node.replace("#Old", "#New")


@pytest.mark.parametrize("to", ["", "  ", "a\nb", "a\x07b", "a\u2028b", "\u200b", "\u202e", "<!-- x -->"])
def test_a_text_of_which_nobody_would_see_one_line_is_refused(to: str) -> None:
    with pytest.raises(InvalidArguments, match="one line of text"):
        after("[[Rye#Old way]]", to)


def test_a_link_to_another_heading_that_would_be_captured_gets_the_path_of_it() -> None:
    text = "# A\n## Old\n# B\n## New\n"
    paper = Paper.of({RYE: text, "H.md": "[[Rye#New]] [[Rye#Old]]"})
    planned = rename_heading(RYE, "Old", "New", paper.view())
    assert paper.carry_out(planned).texts()["H.md"] == "[[Rye#B#New]] [[Rye#New]]"


def test_a_link_that_could_not_follow_stops_it() -> None:
    paper = Paper.of({RYE: "# New\n# Old\n", "H.md": "[[Rye#Old]]"})
    with pytest.raises(InvalidArguments, match=r"`H\.md`"):
        rename_heading(RYE, "Old", "New", paper.view())


def test_what_must_stay_as_it_is_stops_it_and_what_is_denied_is_not_known_of() -> None:
    files = {RYE: TEXT, "Kept/N.md": "[[Rye#Old way]]"}
    with pytest.raises(ProtectedPath, match=r"`Kept/N\.md`"):
        rename_heading(RYE, "Dough > Old way", "New", Paper.of(files, readonly=("Kept",)).view())
    planned = rename_heading(RYE, "Dough > Old way", "New", Paper.of(files, deny=("Kept",)).view())
    assert planned.effect.files == (RYE,)


def test_a_heading_that_is_not_there_is_refused() -> None:
    with pytest.raises(HeadingNotFound):
        rename_heading(RYE, "None", "New", Paper.of({RYE: TEXT}).view())


def test_a_heading_that_links_to_the_renamed_one_is_followed_too() -> None:
    texts = {RYE: "# Old\n\n## See [[#Old]]\n", "Here.md": "[[Rye#See Old]] [[Rye#Old#See Old]]\n"}
    paper = Paper.of(texts)
    renamed = paper.carry_out(rename_heading(RYE, "Old", "New", paper.view()))
    assert renamed.texts() == {RYE: "# New\n\n## See [[#New]]\n", "Here.md": "[[Rye#See New]] [[Rye#New#See New]]\n"}
    assert renamed.carry_out(rename_heading(RYE, "New", "Old", renamed.view())).texts() == texts
