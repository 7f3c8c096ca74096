"""Of two notes one is made: every link leads on, and nothing is lost."""

from typing import Any

import pytest

from bridge.changes.requests.merge_notes import merge
from bridge.errors import BridgeError, InvalidArguments, NoteNotFound, PathKept, ProtectedPath
from bridge.types import VaultPath
from tests.changes.vaults import Paper

OLD, NEW = VaultPath("Old.md"), VaultPath("Bread/New.md")


def merged(files: dict[str, str], **options: Any) -> dict[str, str]:
    paper = Paper.of(files)
    return paper.carry_out(merge(OLD, NEW, paper.view(), {}, **options)).texts()


def test_text_goes_below_a_heading_and_its_title_is_not_repeated() -> None:
    found = merged({OLD: "# Old\n\nRye.\n\n## Dough\n\nWet.\n", NEW: "# New\n\nSpelt.\n"}, alias=False)
    assert found == {NEW: "# New\n\nSpelt.\n\n## From Old\n\nRye.\n\n### Dough\n\nWet.\n"}


def test_every_link_follows_in_its_own_style() -> None:
    found = merged(
        {
            OLD: "Text of [[Old]] and [[#Part]].\n\n# Part\n\nEnd\n",
            NEW: "See [[Old]].\n",
            "A.md": "[[Old]] [[Old|Old]] [[Old#Part|p]] [x](Old.md) ![[Old#Part]] [y](Old.md#Part)\n",
            "P.md": '---\nup: "[[Old]]"\n---\n[[Nothing]]\n',
            "C.canvas": '{"nodes":[{"type":"file","file":"Old.md"}]}',
        },
        alias=False,
    )
    assert found["A.md"] == (
        "[[New]] [[New|New]] [[New#Part|p]] [x](New.md) ![[New#Part]] [y](New.md#Part)\n".replace(
            "(New.md", "(Bread/New.md"
        )
    )
    assert found["P.md"] == '---\nup: "[[New]]"\n---\n[[Nothing]]\n'
    assert found["C.canvas"] == '{"nodes":[{"type":"file","file":"Bread/New.md"}]}'
    assert found[NEW] == ("See [[New]].\n\n## From Old\n\nText of [[New]] and [[#Part]].\n\n### Part\n\nEnd\n")


def test_links_to_a_heading_that_both_have_lead_to_that_of_the_note_that_went() -> None:
    found = merged(
        {
            OLD: "# Old\n\n## Part\n\nof old [[#Part]]\n",
            NEW: "## Part\n\nof new\n",
            "A.md": "[[Old#Part]] [[New#Part]] [[Old#Old]] [z](Old.md#Part)\n",
        },
        alias=False,
    )
    assert found[NEW] == "## Part\n\nof new\n\n## From Old\n\n### Part\n\nof old [[#From Old#Part]]\n"
    assert found["A.md"] == "[[New#From Old#Part]] [[New#Part]] [[New#From Old]] [z](Bread/New.md#From%20Old#Part)\n"


def test_blocks_and_footnotes_that_both_have_get_new_names() -> None:
    found = merged(
        {
            OLD: "Rye.[^1] ^one\n\n```\n[^1]\n```\n\n[^1]: A book.\n",
            NEW: "Spelt.[^1] ^one\n\n[^1]: Another.\n",
            "A.md": "[[Old#^one]] [[New#^one]]\n",
        },
        alias=False,
    )
    assert "Rye.[^1-2] ^one-2\n\n```\n[^1]\n```\n\n[^1-2]: A book.\n" in found[NEW]
    assert found[NEW].startswith("Spelt.[^1] ^one\n\n[^1]: Another.\n")
    assert found["A.md"] == "[[New#^one-2]] [[New#^one]]\n"


def test_properties_are_united_and_what_is_lost_is_told() -> None:
    paper = Paper.of(
        {
            OLD: "---\ntags: [a, b]\nrating: 3\nsource: book\naliases: Elder\n---\nRye.\n",
            NEW: "---\ntags: b, c # mine\nrating: 5\n---\nSpelt.\n",
        }
    )
    planned = merge(OLD, NEW, paper.view(), {})
    text = paper.carry_out(planned).texts()[NEW]
    assert "rating: 5\n" in text
    assert "source: book\n" in text
    assert "%% rating: 3 %%\n\nRye.\n" in text
    for item in ("b", "c", "a", "Elder", "Old"):
        assert f"- {item}\n" in text, text
    assert planned.effect.warnings == ("`Bread/New.md` keeps its own value where `Old.md` said `rating: 3`.",)


def test_without_the_text_links_and_properties_go_over() -> None:
    found = merged({OLD: "Rye.\n", NEW: "Spelt.\n", "A.md": "[[Old]]\n"}, keep="into")
    assert found == {NEW: "---\naliases:\n  - Old\n---\nSpelt.\n", "A.md": "[[New]]\n"}


def test_the_text_of_a_copy_is_not_repeated() -> None:
    text = "---\ntags: [a]\n---\n# Bread\n\nSee [[Old]].\n"
    found = merged({OLD: text, NEW: f"{text}\n", "A.md": "[[Old#Bread]]"}, alias=False)
    assert found == {NEW: text.replace("Old", "New") + "\n", "A.md": "[[New#Bread]]"}
    other = merged({OLD: text.replace("[a]", "[b]\nx: 1"), NEW: text.replace("[a]", "[a]\nx: 2")}, alias=False)
    assert "From Old" in other[NEW]  # another value of a property would be lost


def test_an_empty_note_leaves_no_heading() -> None:
    assert merged({OLD: "# Old\n", NEW: "Spelt.\n"}, alias=False) == {NEW: "Spelt.\n"}


def test_a_second_merge_has_a_heading_of_its_own() -> None:
    found = merged({OLD: "Rye.\n", NEW: "## From Old\n\nOats.\n"}, alias=False)
    assert found[NEW] == "## From Old\n\nOats.\n\n## From Old 2\n\nRye.\n"


@pytest.mark.parametrize(
    ("path", "into", "error"),
    [
        (OLD, OLD, InvalidArguments),
        (OLD, "None.md", NoteNotFound),
        ("None.md", NEW, NoteNotFound),
        (OLD, "C.canvas", InvalidArguments),
        ("Kept/K.md", NEW, PathKept),
        (OLD, "Kept/K.md", ProtectedPath),
        ("Embeds.md", NEW, InvalidArguments),
        (NEW, "Embeds.md", InvalidArguments),
        ("Linked.md", NEW, ProtectedPath),
        ("Unreadable.md", NEW, BridgeError),
        ("Latin.md", NEW, ProtectedPath),
        (OLD, "Latin.md", ProtectedPath),
    ],
)
def test_what_cannot_be_merged_is_refused(path: str, into: str, error: type[Exception]) -> None:
    paper = Paper.of(
        {
            OLD: "Rye.\n",
            NEW: "Spelt.\n",
            "C.canvas": "{}",
            "Kept/K.md": "[[Linked]]",
            "Embeds.md": "![[New]]",
            "Linked.md": "",
            "Unreadable.md": "---\na: [\n---\n",
            "Latin.md": b"Caf\xe9\n",
        },
        readonly=("Kept",),
    )
    with pytest.raises(error):
        merge(VaultPath(path), VaultPath(into), paper.view(), {})
