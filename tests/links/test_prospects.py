"""Names that several notes link to and no note has."""

from bridge.features.links.mentions import NameFinder, NoteName
from bridge.features.links.note_candidates import DOUBTFUL_CONFIDENCE, MeantNotes, NameProspect, find_candidates
from bridge.features.links.report import wishes_of
from bridge.markdown.note import Link
from bridge.types import VaultPath


def known(*names: str) -> NameFinder:
    return NameFinder(NoteName(VaultPath(f"{name}.md"), name) for name in names)


def wanted(**notes: int) -> dict[str, set[VaultPath]]:
    return {name: {VaultPath(f"{n}.md") for n in range(count)} for name, count in notes.items()}


def test_a_name_that_two_notes_link_to_is_a_prospect_and_more_make_it_surer() -> None:
    assert find_candidates(wanted(Lisbon=2, Bokashi=4, Faro=1), known()) == [
        NameProspect("Bokashi", 4, 0.8, (VaultPath("0.md"), VaultPath("1.md"), VaultPath("2.md"))),
        NameProspect("Lisbon", 2, 0.6, (VaultPath("0.md"), VaultPath("1.md"))),
    ]


def test_a_day_or_another_spelling_of_a_note_is_none() -> None:
    asked = wanted(**{"2022-09-28": 2, "2023-W04": 2, "Ape of Naples": 2, "pos": 2, "Demo #1": 3, "Demo #2": 3})
    finder = known("The Ape of Naples", "Proof of Stake (PoS)", "Demo ＃1")
    assert [one.name for one in find_candidates(asked, finder)] == ["Demo #2"]


def test_a_link_that_shows_the_name_of_another_note_wishes_for_none() -> None:
    shown = {"Marker": "highlight", "Lisbon": None, "Ada Lovelace": "Ada", "Nowhere": "not yet"}
    links = [Link(name, text, "wiki", 1, (0, 1)) for name, text in shown.items()]
    found = wishes_of([(VaultPath("A.md"), link) for link in links], known("Highlight", "Ada"))
    assert [*found] == ["Lisbon", "Ada Lovelace", "Nowhere"]


def test_an_alias_is_doubtful_where_another_title_says_it_in_full() -> None:
    finder = NameFinder([
        NoteName(VaultPath("Album.md"), "Album"),
        NoteName(VaultPath("Album.md"), "The Dark Age", alias=True),
        NoteName(VaultPath("Song.md"), "The Dark Age (Demo)"),
        NoteName(VaultPath("Album.md"), "Working Title", alias=True),
    ])  # fmt: skip
    meant = MeantNotes(finder)
    found = [meant.find(name) for name in ("The Dark Age", "Working Title")]
    assert [(one.path, one.confidence > DOUBTFUL_CONFIDENCE) for one in found if one] == [
        ("Album.md", False),
        ("Album.md", True),
    ]


def test_initials_that_the_name_of_a_note_has_in_brackets_are_that_note() -> None:
    finder = known("Proof of Stake (PoS)", "Ethereum Virtual Machine (EVM)", "Windowpane (Live)", "Songs (2)")
    meant = MeantNotes(finder)
    found = meant.find("pos")
    assert found is not None
    assert (found.path, found.why) == ("Proof of Stake (PoS).md", "these are the initials of “Proof of Stake (PoS)”")
    assert meant.find("Live") is meant.find("2") is None
