"""Names that several notes say and no note has."""

from bridge.linking import Prospect, prospects
from bridge.types import VaultPath


def found(*texts: str, known: tuple[str, ...] = (), stubs: dict[str, set[VaultPath]] | None = None) -> list[Prospect]:
    return prospects({VaultPath(f"{n}.md"): text for n, text in enumerate(texts)}, known, stubs or {}, 100)


def names(*texts: str, known: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(one.name, one.kind) for one in found(*texts, known=known)]


def test_names_of_several_notes_are_prospects_of_their_kind() -> None:
    said = "We met Grace Hopper in Lisbon about BridgeDeck, PKM and VB-12, and read 《解忧杂货店》.\n"
    assert sorted(names(said, said)) == [
        ("BridgeDeck", "camel case"),
        ("Grace Hopper", "name"),
        ("Lisbon", "name"),
        ("PKM", "acronym"),
        ("VB-12", "ticket"),
        ("解忧杂货店", "quoted"),
    ]


def test_a_name_of_one_note_or_of_a_note_that_exists_is_none() -> None:
    assert names("in Lisbon", "at home") == []
    assert names("in Lisbon", "in Lisbon", known=("lisbon",)) == []


def test_ordinary_words_sentence_starts_and_markup_are_none() -> None:
    said = "Bread rises. Slowly it does.\n- Milk\n# In Lisbon\n`in Porto` [[in Faro]] https://Madeira.pt on Monday\n"
    assert names(said, said) == []
    assert names("a Loaf", "a Loaf and a loaf", "the loaf") == []


def test_nouns_of_a_language_that_capitalises_them_are_none() -> None:
    said = "der Teig und die Hitze mit dem Salz und der Zeit, dazu Grace Hopper"
    assert names(said, said) == [("Grace Hopper", "name")]


def test_garbled_words_are_none() -> None:
    said = "see LWRhdGFiYXNlLWlt and " + "A" + "b" * 40
    assert names(said, said) == []


def test_stubs_lead_and_more_notes_make_surer() -> None:
    stubs = {"Bokashi": {VaultPath("0.md"), VaultPath("1.md"), VaultPath("2.md")}}
    first, second = found("in Lisbon", "in Lisbon", stubs=stubs)
    assert (first.name, first.kind, first.notes, first.examples) == ("Bokashi", "stub", 3, ("0.md", "1.md", "2.md"))
    assert first.confidence > second.confidence


def test_what_every_note_says_is_rather_a_template() -> None:
    many = found(*(["see Insert Footnotes"] * 60))
    few = found(*(["see Insert Footnotes"] * 6), *([""] * 60))
    assert many[0].confidence < few[0].confidence


def test_a_name_begins_where_a_word_does() -> None:
    said = "An iPhone Case, xPKM and aVB-12 but not the fooBarBaz of old.\n"
    assert names(said, said) == [("Case", "name")]


def test_a_word_without_end_takes_no_time() -> None:
    endless = "x" + "A" * 300_000 + "x" + "Aa" * 100_000
    assert names(endless, endless) == []
