"""Links are written as Obsidian would write new ones, and lead where they should."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.changes.link_text import write_link
from bridge.features.links.apply import find_tables
from bridge.markdown.names import Names
from bridge.markdown.parse import parse
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings

SOURCE = VaultPath("Travels/Lisbon.md")
FILES = (
    "Travels/Lisbon.md", "Travels/Port.md", "Rye.md", "Bread/Spelt.md", "a/Index.md", "b/Index.md", "logo.png",
    "logo.png.md", "C# [draft].md", "Old Rye.md", "100%.md", "Travels/Rye.md", "ひらがな.md",
)  # fmt: skip
NAMES = Names(map(VaultPath, FILES))
PLAIN, RELATIVE, ABSOLUTE = (
    ObsidianSettings(),
    ObsidianSettings(new_link_format="relative"),
    ObsidianSettings(new_link_format="absolute"),
)
MARKDOWN = ObsidianSettings(markdown_links=True)


@pytest.mark.parametrize(
    ("target", "shown", "style", "link"),
    [
        ("Bread/Spelt.md", "Spelt", PLAIN, "[[Spelt]]"),
        ("Bread/Spelt.md", "spelt", PLAIN, "[[Spelt|spelt]]"),
        ("a/Index.md", "Index", PLAIN, "[[a/Index|Index]]"),
        ("Rye.md", "Rye", PLAIN, "[[Rye]]"),
        ("logo.png.md", "logo.png", PLAIN, "[[logo.png.md|logo.png]]"),
        ("Bread/Spelt.md", "Spelt", ABSOLUTE, "[[Bread/Spelt|Spelt]]"),
        ("Bread/Spelt.md", "Spelt", RELATIVE, "[[../Bread/Spelt|Spelt]]"),
        ("Travels/Port.md", "Port", RELATIVE, "[[Port]]"),
        ("Travels/Rye.md", "Rye", RELATIVE, "[[./Rye|Rye]]"),
        ("Bread/Spelt.md", "Spelt", MARKDOWN, "[Spelt](Spelt.md)"),
        ("Old Rye.md", "old rye", MARKDOWN, "[old rye](Old%20Rye.md)"),
        ("C# [draft].md", "C# [draft]", PLAIN, r"[C# \[draft\]](C%23%20%5Bdraft%5D.md)"),
        ("100%.md", "100%", MARKDOWN, "[100%](100%25.md)"),
        ("Bread/Spelt.md", "[spelt]", PLAIN, r"[\[spelt\]](Spelt.md)"),
        ("ひらがな.md", "ひらがな", MARKDOWN, "[ひらがな](ひらがな.md)"),
    ],
)
def test_a_link_is_as_short_as_the_settings_want(
    target: VaultPath, shown: str, style: ObsidianSettings, link: str
) -> None:
    assert write_link(shown, target, SOURCE, NAMES, style) == link


def test_in_a_table_no_bar_ends_the_cell() -> None:
    assert write_link("spelt", VaultPath("Bread/Spelt.md"), SOURCE, NAMES, PLAIN, table=True) == r"[[Spelt\|spelt]]"
    text = "| a | b |\n| - | - |\n| c | d |\n\n- item\n\n  | a |\n  | - |\n"
    first, second = find_tables(parse(SOURCE, text.encode()))
    assert (text[slice(*first)], text[slice(*second)]) == (
        "| a | b |\n| - | - |\n| c | d |",
        "| a |\n  | - |",
    )


def test_no_link_names_a_file_that_is_not_there() -> None:
    assert write_link("x", VaultPath("gone.md"), SOURCE, NAMES, PLAIN) is None


@given(
    st.text(alphabet="ab[]|#^%\\ .()<é", min_size=1, max_size=6).filter(lambda name: not name.startswith(".")),
    st.sampled_from([PLAIN, RELATIVE, ABSOLUTE, MARKDOWN]),
)
def test_whatever_a_note_is_called_a_link_to_it_is_read_back(name: str, style: ObsidianSettings) -> None:
    target = VaultPath(f"x/{name}.md")
    names = Names([SOURCE, target])
    link = write_link("words", target, SOURCE, names, style)
    if link is None:
        return
    note = parse(SOURCE, f"see {link} there".encode())
    assert [names.resolve(one.target, SOURCE, one.kind).path for one in note.links] == [target]
