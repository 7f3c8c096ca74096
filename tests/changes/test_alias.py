"""An alias is renamed where it is given and, if that is wished, where links show it."""

import pytest

from bridge.changes.heading import rename_alias
from bridge.changes.requests.many_notes import replace_values_everywhere
from bridge.errors import InvalidArguments, ProtectedPath, TextNotFound
from bridge.types import VaultPath
from tests.changes.vaults import Paper

RYE = VaultPath("Rye.md")
NOTE = "---\naliases:\n  - Dark\n  - Bread # c\n---\n[[Rye|Dark]]\n"
HERE = "[[Rye|Dark]] [[Rye#A|Dark]] ![[Rye|Dark]] [Dark](Rye.md) [[Rye|Bread]] [[Oat|Dark]] Dark\n"


def renamed(paper: Paper, *, links: bool) -> dict[str, str]:
    return paper.carry_out(rename_alias(RYE, "Dark", "Black", paper.view(), {}, links=links)).texts()


def test_the_property_alone_changes_unless_links_are_wished() -> None:
    paper = Paper.of({RYE: NOTE, "Here.md": HERE, "Oat.md": ""})
    assert renamed(paper, links=False) == {RYE: NOTE.replace("- Dark", "- Black"), "Here.md": HERE, "Oat.md": ""}


def test_links_that_show_it_follow() -> None:
    paper = Paper.of({RYE: NOTE, "Here.md": HERE, "Oat.md": ""})
    wanted = "[[Rye|Black]] [[Rye#A|Black]] ![[Rye|Black]] [Black](Rye.md) [[Rye|Bread]] [[Oat|Dark]] Dark\n"
    assert renamed(paper, links=True) == {RYE: NOTE.replace("Dark", "Black"), "Here.md": wanted, "Oat.md": ""}


def test_an_alias_in_a_line_of_several_is_found() -> None:
    paper = Paper.of({RYE: "---\nalias: Bread, Dark\n---\n"})
    assert renamed(paper, links=True) == {RYE: "---\nalias: Bread, Black\n---\n"}


@pytest.mark.parametrize("to", ["", " ", "a\nb", "a\x07", "\u2029a\u2028b", "\u200b", "<!-- x -->"])
@pytest.mark.parametrize("links", [True, False])
def test_an_alias_of_which_nobody_would_see_one_line_is_refused(to: str, links: bool) -> None:
    paper = Paper.of({RYE: NOTE, "Here.md": HERE})
    with pytest.raises(InvalidArguments, match="one line of text"):
        rename_alias(RYE, "Dark", to, paper.view(), {}, links=links)


@pytest.mark.parametrize("name", ["aliases", "Tags", "cssclasses"])
def test_no_value_that_obsidian_reads_becomes_nothing(name: str) -> None:
    paper = Paper.of({RYE: f"---\n{name}: [Dark]\nstatus: Dark\n---\n"})
    with pytest.raises(InvalidArguments, match="one line of text"):
        replace_values_everywhere(name, "Dark", " ", paper.view())
    assert paper.carry_out(replace_values_everywhere("status", "Dark", "", paper.view())).texts() == {
        RYE: f'---\n{name}: [Dark]\nstatus: ""\n---\n'
    }


def test_what_cannot_be_is_refused() -> None:
    paper = Paper.of({RYE: NOTE, "Kept.md": "[[Rye|Dark]]"}, readonly=("Kept.md",))
    with pytest.raises(TextNotFound):
        rename_alias(RYE, "None", "Black", paper.view(), {})
    with pytest.raises(InvalidArguments):
        rename_alias(RYE, "Dark", "Bl]ack", paper.view(), {}, links=True)
    with pytest.raises(ProtectedPath, match=r"`Kept\.md`"):
        renamed(paper, links=True)
    assert renamed(paper, links=False)[RYE] == NOTE.replace("- Dark", "- Black")
