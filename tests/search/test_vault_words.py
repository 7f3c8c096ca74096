"""Words of the vault and their forms, while notes come and go."""

from pathlib import Path

import pytest

from bridge.index.index import Index
from bridge.search.vault_words import AT_ONCE, VaultWords
from bridge.text.stems import stem_words
from bridge.types import VaultPath
from tests.index.made import all_of, opened

ALL = ("english", "german", "french", "italian", "dutch", "finnish")
NOTES = {
    "a.md": "running dogs, dying, skies and sky, häuser, gewerkt, gemaakt",
    "b.md": "the dog runs; un'arca, l'arca e l'eau; das Haus, werkt, maakt",
    "c.md": "a dogged runner in the sky",
}


async def known_words(folder: Path) -> tuple[Index, VaultWords]:
    index = await opened(folder, NOTES)
    words = VaultWords()
    assert await words.follow(index)
    return index, words


@pytest.mark.parametrize("language", ALL)
async def test_the_forms_of_a_word_are_the_words_of_its_stem(tmp_path: Path, language: str) -> None:
    _, words = await known_words(tmp_path / "index")
    numbers = words._numbers
    for word in numbers:
        stem = stem_words(language, [word])[0]
        same = {other for other in numbers if stem_words(language, [other])[0] == stem}
        if stem[:2] == word[:2]:
            assert {words._words[number] for number in words._forms_of(word, (language,))} == same


async def test_elided_words_and_dutch_participles_are_forms(tmp_path: Path) -> None:
    _, words = await known_words(tmp_path / "index")
    assert words.count("arca") == 0
    assert words.count("arca", ("italian",)) == 2
    assert words.count("werkt", ("dutch",)) == 2


async def test_forms_follow_the_notes(tmp_path: Path) -> None:
    index, words = await known_words(tmp_path / "index")
    assert (words.count("run"), words.count("run", ALL)) == (0, 2)
    await index.write(all_of({"d.md": "they run", "e.md": "runs"}), [VaultPath("a.md")])
    assert await words.follow(index)
    assert (words.count("run"), words.count("run", ALL)) == (1, 3)
    assert not words.says("running", ())
    assert words.says("running", ALL)
    await index.write([], [VaultPath("b.md"), VaultPath("d.md"), VaultPath("e.md")])
    assert await words.follow(index)
    assert not words.says("running", ALL)


async def test_beginnings_and_similar_words_are_those_of_the_vault(tmp_path: Path) -> None:
    index, words = await known_words(tmp_path / "index")
    assert words.begins("gewer")
    assert not words.begins("werks")
    assert words.alike("dyeing", 1) == [("dying", 1)]
    await index.write([], [VaultPath("a.md")])
    assert await words.follow(index)
    assert not words.begins("gewer")
    assert words.alike("dyeing", 1) == []


async def test_the_first_search_knows_the_words_of_some_hundred_notes(tmp_path: Path) -> None:
    notes = {f"{number}.md": f"word{number} of all" for number in range(AT_ONCE + 1)}
    index = await opened(tmp_path / "index", notes)
    words = VaultWords()
    assert await words.follow(index)
    assert (words.count("all"), words.count("word256")) == (len(notes), 1)
    assert words.cover([VaultPath("7.md")], ["word7"], ()) is not None
