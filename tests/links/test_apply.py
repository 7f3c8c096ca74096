"""Words become links exactly where they should, and nothing else changes."""

import pytest

from bridge.features.links.apply import LinkedText, LinkPlace, find_places, insert_links
from bridge.features.links.link_candidates import SourceText
from bridge.features.links.mentions import Corpus, NoteName
from bridge.features.links.mentions import NameFinder as Spoken
from bridge.markdown.names import Names
from bridge.markdown.parse import parse
from bridge.markdown.prose import protected_spans
from bridge.types import VaultPath
from bridge.vault.obsidian_settings import ObsidianSettings
from tests.links.test_suggest import Around

HERE, RYE, SPELT, STRANGE = map(VaultPath, ("Here.md", "Old Rye.md", "Spelt.md", "C# [x].md"))
FILES = Names([HERE, RYE, SPELT, STRANGE])
SPOKEN = Spoken(
    [
        NoteName(RYE, "Old Rye"),
        NoteName(SPELT, "Spelt"),
        NoteName(SPELT, "[dinkel]", alias=True),
        NoteName(STRANGE, "C# [x]"),
    ]
)


def link(text: str, *, every: bool = False, targets: tuple[VaultPath, ...] = (RYE, SPELT, STRANGE)) -> LinkedText:
    note = parse(HERE, text.encode())
    already = {path for one in note.links if (path := FILES.resolve(one.target, HERE).path) is not None}
    source = SourceText(note.text, protected_spans(note), HERE, already)
    found = find_places(source, Corpus.of(SPOKEN, {HERE: text}), Around(), targets=targets, every=every)
    return insert_links(note, found, FILES, ObsidianSettings())


def choose(text: str, *chosen: tuple[VaultPath, int, int]) -> LinkedText:
    wanted = [LinkPlace(target, (start, end)) for target, start, end in chosen]
    return insert_links(parse(HERE, text.encode()), wanted, FILES, ObsidianSettings())


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("Spelt, spelt and old rye.\n", "[[Spelt]], spelt and [[Old Rye|old rye]].\n"),
        ("`Spelt` in code\r\n\r\nSpelt\r\n", "`Spelt` in code\r\n\r\n[[Spelt]]\r\n"),
        ("---\na: Spelt\n---\n# Spelt\n\n<b title=Spelt>x</b>\n", None),
        ("[[Spelt]] and Spelt\n", None),
        ("| a | b |\n| - | - |\n| spelt | x |\n", "| a | b |\n| - | - |\n| [[Spelt\\|spelt]] | x |\n"),
        (
            "| a | old rye \\| x           | b |\n| - | - | - |\n",
            "| a | [[Old Rye\\|old rye]] \\| x | b |\n| - | - | - |\n",
        ),
        ("| Spelt           | b |\n| --------------- | - |\n", "| [[Spelt]]       | b |\n| --------------- | - |\n"),
        ("a | Old Rye, Spelt            \n- | -\n", "a | [[Old Rye]], [[Spelt]]            \n- | -\n"),
        (
            "| Spelt, Old Rye       | b |\n| -------------------- | - |\n",
            "| [[Spelt]], [[Old Rye]] | b |\n| -------------------- | - |\n",
        ),
        ("in C# [x] here\n", "in [C# \\[x\\]](C%23%20%5Bx%5D.md) here\n"),
        ("the [dinkel] here\n", "the [\\[dinkel\\]](Spelt.md) here\n"),
        ("> [!note] On\n> Spelt\n", "> [!note] On\n> [[Spelt]]\n"),
        ("**Spelt**_Spelt_\n", "**[[Spelt]]**_Spelt_\n"),
        ("(see [Spelt])\n", "(see [[[Spelt]]])\n"),
        ("من Spelt إلى\n", "من [[Spelt]] إلى\n"),
    ],
)
def test_the_first_place_becomes_a_link_and_the_rest_stays(text: str, after: str | None) -> None:
    assert link(text).text == (after or text)


def test_every_place_becomes_one_when_wanted() -> None:
    assert link("Spelt\n[[Spelt]] spelt\n", every=True).text == "[[Spelt]]\n[[Spelt]] [[Spelt|spelt]]\n"


def test_only_the_targets_are_linked_when_some_are_named() -> None:
    assert link("Spelt and Old Rye\n", targets=(RYE,)).text == "Spelt and [[Old Rye]]\n"


def test_what_is_unlikely_is_left_alone_when_none_are_named() -> None:
    assert link("a grain like spelt that everybody knows\n", targets=()).links == ()
    assert len(link("a grain like spelt that everybody knows\n").links) == 1


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("!Spelt", 1, 6),
        ("\\Spelt", 1, 6),
        ("`Spelt`", 1, 6),
        ("[[Spelt]]", 2, 7),
        ("Spelt", 3, 3),
        ("Spelt", 3, 9),
        ("Spelt", -5, 5),
        ("# Spelt", 2, 7),
    ],
)
def test_where_no_link_can_stand_none_is_made(text: str, start: int, end: int) -> None:
    after = choose(text, (SPELT, start, end))
    assert (after.text, after.links, len(after.refused)) == (text, (), 1)


def test_of_two_places_that_overlap_the_first_is_linked() -> None:
    after = choose("Old Rye", (RYE, 0, 7), (RYE, 4, 7))
    assert (after.text, len(after.refused)) == ("[[Old Rye]]", 1)


def test_one_place_that_cannot_be_a_link_does_not_spoil_the_others() -> None:
    after = choose("!Spelt Old Rye", (SPELT, 1, 6), (RYE, 7, 14))
    assert after.text == "!Spelt [[Old Rye]]"
    assert [one.place.target for one in after.refused] == [SPELT]


def test_a_note_that_is_gone_cannot_be_linked() -> None:
    after = choose("Gone", (VaultPath("Gone.md"), 0, 4))
    assert (after.text, after.refused[0].why) == ("Gone", "no link can name this note")


def test_thousands_of_places_are_linked_in_one_go() -> None:
    text = "Spelt [[Old Rye]]\n" * 10_000
    after = link(text, every=True)
    assert after.text == "[[Spelt]] [[Old Rye]]\n" * 10_000
