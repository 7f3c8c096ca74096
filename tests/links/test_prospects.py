"""Names that several notes say and no note has."""

import re

from bridge.features.links.mentions import Name, NameFinder
from bridge.features.links.note_candidates import MeantNotes, NameProspect, drop_meant, find_candidates
from bridge.types import VaultPath
from tests.evaldata import EVAL, needs_eval

SMALL_WORD = re.compile(r"(\b[a-zà-ü]+,?) (?=[A-Z“《])")
"""The word before a name."""


def found(
    *texts: str,
    known: tuple[str, ...] = (),
    stubs: dict[str, set[VaultPath]] | None = None,
    language: str | None = None,
) -> list[NameProspect]:
    """Find the candidates in notes that say the same in other words: other ones stand before each name."""
    notes = {VaultPath(f"{n}.md"): SMALL_WORD.sub(rf"\1 x{'y' * n} ", text) for n, text in enumerate(texts)}
    return find_candidates(notes, known, stubs or {}, dict.fromkeys(notes, language))


def names(*texts: str, known: tuple[str, ...] = (), language: str | None = None) -> list[tuple[str, str]]:
    return [(one.name, one.kind) for one in found(*texts, known=known, language=language)]


def test_names_of_several_notes_are_prospects_of_their_kind() -> None:
    said = "We met Grace Hopper in Lisbon about BridgeDeck, on PKM and VB-12, and read 《解忧杂货店》.\n"
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


def test_what_notes_say_between_the_same_words_counts_once() -> None:
    source = "is taken from How to Take Smart Notes, One Simple Technique to Boost Writing"
    notes = {VaultPath(f"{n}.md"): f"Idea {n} {source}\n" for n in range(8)}
    assert find_candidates(notes, (), {}) == []
    notes[VaultPath("Other.md")] = "we talked of Take Smart Notes again"
    assert "Take Smart Notes" in {one.name for one in find_candidates(notes, (), {})}


def test_pieces_of_longer_names_are_none() -> None:
    said = [f"{word} The Golden Age of Bloodsports, Vol. {n}, {word}" for n, word in enumerate(("read", "after", "in"))]
    assert find_candidates({VaultPath(f"{n}.md"): text for n, text in enumerate(said)}, (), {}) == []
    said = [f"{word} The Golden Age by her" for word in ("read", "after", "in")]
    found = find_candidates({VaultPath(f"{n}.md"): text for n, text in enumerate(said)}, (), {})
    assert [one.name for one in found] == ["The Golden Age"]
    said = [f"{word} You Can't tell" for word in ("when", "so", "that")]
    assert find_candidates({VaultPath(f"{n}.md"): text for n, text in enumerate(said)}, (), {}) == []


def test_pieces_are_known_by_the_capitals_of_other_scripts_too() -> None:
    for longer, small in (("Лунный Свет над Окой", "у реки"), ("Blaue Stunde am Ätna", "bei uns")):
        said = [f"{word} {longer} {small} {word}" for word in ("читали", "слушали", "видели")]
        assert find_candidates({VaultPath(f"{n}.md"): text for n, text in enumerate(said)}, (), {}) == []


def test_what_only_titles_and_tables_say_is_none() -> None:
    concert = {VaultPath(f"{n} — Hall, London.md"): f"They played{' well' * n} in London that night" for n in range(4)}
    assert find_candidates(concert, (), {}) == []
    table = "| Kind | Studio Album |\n| --- | --- |\n| of | Studio Album |\n"
    assert names(table, table) == []


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
    assert names(said, said.replace("iPhone", "iPad")) == [("Case", "name")]


def test_a_word_without_end_takes_no_time() -> None:
    endless = "x" + "A" * 300_000 + "x" + "Aa" * 100_000
    assert names(endless, endless) == []


def test_what_callouts_and_templates_are_made_of_is_none() -> None:
    said = (
        "---\nstatus: see In Progress\n---\n> [!TIP] Use Tabs\n> as NOTE or WARNING say\n\n## Pros/Cons\n"
        "the Pros and the Cons\n\n**Next Step**\nthe Next Step\n\n__Next Version__: of the Next Version\n"
    )
    assert names(said, said) == []
    assert names("see Grace Hopper\n\n## Grace Hopper\n", *["see Grace Hopper"] * 3) == [("Grace Hopper", "name")]


def test_the_word_that_begins_a_sentence_is_no_part_of_a_name() -> None:
    said = "The Idea is that the idea of Open Lisbon counts. Open Lisbon is open.\nOpen Lisbon"
    assert names(said, said) == [("Open Lisbon", "name")]
    assert names(*["to open it. Open Lisbon. If Lisbon, if only in Lisbon"] * 2) == [("Lisbon", "name")]
    assert names("she wrote. Grace Hopper did", "he wrote. Grace Hopper has") == [("Grace Hopper", "name")]


def test_german_nouns_are_none_however_few_there_are() -> None:
    said = (
        "Wir sehen uns nun an, was die Zahl hier soll und wie ein Knoten das ist, was er hier ist und war und wird.\n"
        "Die Idee ist alt. Weitere Zahlen gibt es nicht. Wir lasen Grace Hopper, und das auf GitHub.\n"
    )
    assert names(said, said, language="german") == [("GitHub", "camel case"), ("Grace Hopper", "name")]
    assert ("Zahl", "name") in names(said, said)


def test_what_german_notes_write_as_a_noun_is_none_in_a_note_too_short_to_tell_its_language() -> None:
    german = "Wir sehen uns an, was ein Knoten ist und wo wir in Lissabon den Knoten fanden."
    short = ("ein Knoten", "der Knoten", "kein Knoten")
    texts = {VaultPath(f"{n}.md"): text for n, text in enumerate([german, german, *short])}
    languages = {VaultPath(f"{n}.md"): "german" if n < 2 else "english" for n in range(5)}
    assert [one.name for one in find_candidates(texts, (), {}, languages)] == ["Knoten"]
    languages[VaultPath("2.md")] = "german"
    assert find_candidates(texts, (), {}, languages) == []


@needs_eval
def test_few_prospects_of_a_german_vault_are_nouns() -> None:
    root = EVAL / "vaults/obsidian-help/de"
    texts = {VaultPath(str(path.relative_to(root))): path.read_text("utf-8") for path in sorted(root.rglob("*.md"))}
    said = {one.name for one in find_candidates(texts, (), {}, dict.fromkeys(texts, "german"))}
    assert {"Google Drive", "GitHub", "Isaac Newton"} <= said
    assert said.isdisjoint({"Weitere Details", "Die Anzahl", "Diese Einstellung", "Im Gegensatz", "Vault", "Notiz"})


def test_initials_that_the_name_of_a_note_has_in_brackets_are_that_note() -> None:
    names = ("Proof of Stake (PoS)", "Ethereum Virtual Machine (EVM)", "Windowpane (Live)", "Songs (2)")
    finder = NameFinder(Name(VaultPath(f"{name}.md"), name) for name in names)
    said = "PoS and EVM and Live Aid"
    assert [one.name for one in drop_meant(finder, found(said, said))] == ["Live Aid"]
    meant = MeantNotes(finder)
    found_note = meant.find("pos")
    assert found_note is not None
    assert (found_note.path, found_note.why) == (
        "Proof of Stake (PoS).md",
        "these are the initials of “Proof of Stake (PoS)”",
    )
    assert meant.find("Live") is meant.find("2") is None


def test_pieces_of_the_names_of_notes_are_none() -> None:
    finder = NameFinder(Name(VaultPath(f"{name}.md"), name) for name in ("Love's Secret Domain", "Jhonn Balance"))
    said = "on Secret Domain, by Balance, in London, of Secret Service and the Balance Sheet"
    kept = [one.name for one in drop_meant(finder, found(said, f"They speak {said}"))]
    assert kept == ["Balance Sheet", "London", "Secret Service"]


def test_labels_of_a_template_and_days_are_none() -> None:
    assert names("> - ISBN：9787115331809\n", "> - ISBN：9787549501076\n") == []
    paths = {VaultPath("0.md"), VaultPath("1.md")}
    assert [one.name for one in found("", "", stubs={"2022-09-28": paths, "2023-W04": paths, "Lisbon": paths})] == [
        "Lisbon"
    ]
