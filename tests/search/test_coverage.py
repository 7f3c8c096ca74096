"""How many notes contain a word, and how much of a query a note contains, while notes come and go."""

from pathlib import Path

from bridge.index.apart import KeptFolder
from bridge.index.index import Index
from bridge.search.coverage import common_words, idf, score_coverage
from bridge.types import VaultPath
from tests.index.made import all_of, opened

NOTES = {
    "English.md": "# Birds\n\nThe dogs were running in the sky when they saw that this was not the end of it.",
    "German.md": "Das ist nicht der Hund, und die Häuser sind auf dem Berg. Er hat gearbeitet.",
    "Italian.md": "Questo è il libro della casa, non l'arca che è di mia sorella.",
    "Dutch.md": "Dat is niet het huis van de man, hij heeft gewerkt en het is een mooie dag.",
    "French.md": "Les eaux de la mer ne sont pas les siennes, et il n'est pas élevé dans cette ville.",
}


async def known(folder: Path) -> Index:
    index = await opened(folder, NOTES)
    assert {"english", "german", "italian", "dutch", "french"} <= {*index.languages}
    return index


async def test_a_word_counts_in_every_form_of_each_language(tmp_path: Path) -> None:
    index = await known(tmp_path / "index")
    asked = ("dog", "run", "Haus", "häusern", "arca", "l'arca", "werkt", "élevée", "eleve", "birds", "cat")
    assert [index.document_frequency(word) for word in asked] == [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]
    assert index.document_frequencies(["dog", "dogs", "hauser"]) == [0, 1, 1]


async def test_counts_follow_the_notes(tmp_path: Path) -> None:
    index = await known(tmp_path / "index")
    await index.write(all_of({"d.md": "They run to the end of it.", "e.md": "It runs."}), [VaultPath("English.md")])
    assert (index.document_frequency("running"), index.document_frequencies(["running"])) == (2, [0])
    rare = idf(index, "running")
    await index.write([], [VaultPath("d.md"), VaultPath("e.md")])
    assert index.document_frequency("run") == 0
    assert idf(index, "running") > rare


async def test_words_of_a_folder_that_is_kept_apart_do_not_count_outside(tmp_path: Path) -> None:
    index = await known(tmp_path / "index")
    await index.write(all_of({"Agents/a.md": "The dogs remember marzipan.", "Agents/b.md": "They remember it."}))
    index.keep_apart(KeptFolder("Agents", VaultPath("Agents/a.md")))
    words = ["dogs", "remember", "marzipan"]
    for among, counts in (("all", [2, 2, 1]), ("agents", [1, 2, 1]), ("notes", [1, 0, 0])):
        view = index.view(among)  # type: ignore[arg-type]  # a literal
        assert view.document_frequencies(words) == [*map(view.document_frequency, words)] == counts


async def test_common_words_are_those_of_many_notes_and_never_all(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", {f"{at}.md": f"The Cafés of word{at}." for at in range(100)})
    assert common_words(index, ("Café", "word7")) == {"cafe"}
    assert common_words(index, ("Café",)) == frozenset()
    assert common_words(index, ("word7",)) == frozenset()


async def test_what_a_note_contains_in_another_form_is_covered(tmp_path: Path) -> None:
    index = await known(tmp_path / "index")
    english, german, gone = (VaultPath(path) for path in ("English.md", "German.md", "Gone.md"))
    cover = score_coverage(index, [english, german, gone], ("dog", "l'arca", "bird"))
    assert cover is not None
    assert cover.keys() == {english, german}
    assert 0 < cover[english] < 1
    assert cover[german] == 0
    assert score_coverage(index, [english], ("会议",)) is None
    assert score_coverage(await opened(tmp_path / "empty"), [english], ("dog",)) == {}
