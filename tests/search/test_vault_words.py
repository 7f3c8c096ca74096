"""Words of the vault and their forms, while notes come and go."""

import asyncio
import multiprocessing
from collections.abc import Collection
from pathlib import Path

import pytest

from bridge.index.index import Index
from bridge.index.word_file import FILE
from bridge.search.model import SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.search.query import parse_query
from bridge.search.read_query import correct_query
from bridge.search.vault_words import MAX_READ_NOTES, MAX_UNSAVED_NOTES, MIN_STORED_NOTES, QUICKLY_READ, VaultWords
from bridge.search.vocabulary import Vocabulary
from bridge.text.stems import stem_words
from bridge.types import VaultPath
from tests.index.made import DAMAGES, all_of, damage_file, opened
from tests.index.test_erasing import SECRET, TEXT, everything, private

pytestmark = pytest.mark.process

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
    _, known = words._words.snapshot()
    for word in known:
        stem = stem_words(language, [word])[0]
        # Of an elided word the parts are listed, too.
        same = {other for other in known if "'" not in other and stem_words(language, [other])[0] == stem}
        if stem[:2] == word[:2] and "'" not in word:
            assert {known[number] for number in words._words.forms_of(word, (language,))} == same


async def test_elided_words_and_dutch_participles_are_forms(tmp_path: Path) -> None:
    _, words = await known_words(tmp_path / "index")
    assert words.count("arca") == 1
    assert words.count("arca", ("italian",)) == 1
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
    notes = {f"{number}.md": f"word{number} of all" for number in range(QUICKLY_READ)}
    index = await opened(tmp_path / "index", notes)
    words = VaultWords()
    assert await words.follow(index)
    assert (words.count("all"), words.count("word256")) == (len(notes), 1)
    assert words.cover([VaultPath("7.md")], ["word7"], ()) is not None


def many(count: int) -> dict[str, str]:
    """Return notes of which the words are stored."""
    return {f"{at}.md": f"running{at} dogs, the häuser of word{at % 7}, l'arca\n" for at in range(count)}


async def stored(folder: Path, notes: dict[str, str]) -> tuple[Index, VaultWords]:
    """Open an index and store the words of its notes."""
    index = (await opened(folder, notes)).view("notes")
    words = VaultWords()
    await follow_and_store(words, index)
    assert (folder / FILE).exists()
    return index, words


async def follow_and_store(words: VaultWords, index: Index) -> None:
    while not await words.follow(index):
        await asyncio.sleep(0.01)
    await words.store(index)


def answers(words: VaultWords, index: Index) -> dict[str, object]:
    """Return what is known of words."""
    asked = ("running7", "running300", "dog", "haus", "arca", "word3", "kindling", "fresh", "late", "the", "gone")
    return {
        "counts": [words.count(word, languages) for word in asked for languages in ((), ("german",), ALL)],
        "says": [words.says(word, ALL) for word in asked],
        "begins": [words.begins(word) for word in ("running2", "kindl", "fres", "lat", "zz")],
        "alike": [sorted(words.alike(word, 2)) for word in ("runing17", "kindlin", "wrod3", "häusr")],
        "cover": words.cover(index.notes, ("running7", "dog", "kindling", "late"), ALL),
        "quiet": words.quiet(("dogs", "kindling", "word3"), ALL),
    }


async def test_stored_words_answer_as_those_that_are_read(tmp_path: Path) -> None:
    index, words = await stored(tmp_path / "index", many(MIN_STORED_NOTES + 50))
    await index.write(all_of({"fresh.md": "kindling fresh dog", "7.md": "late words, kindle"}), [VaultPath("8.md")])
    assert await words.follow(index)
    read = VaultWords()
    while not await read.follow(index):
        await asyncio.sleep(0.01)
    expected = answers(read, index)
    assert answers(words, index) == expected
    index.abandon()
    index = (await opened(tmp_path / "index")).view("notes")
    restarted = VaultWords()
    restarted.load(index)
    assert await restarted.follow(index)
    assert answers(restarted, index) == expected


async def test_a_start_reads_only_the_texts_whose_words_are_not_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, _ = await stored(tmp_path / "index", many(MIN_STORED_NOTES + 50))
    await index.write(all_of({"late.md": "late"}), [VaultPath("3.md")])
    index.abandon()
    index = (await opened(tmp_path / "index")).view("notes")
    words, read = VaultWords(), list[VaultPath]()
    wholes = Index.wholes

    async def note_and_read(index: Index, paths: Collection[VaultPath]) -> dict[VaultPath, str]:
        read.extend(paths)
        return await wholes(index, paths)

    monkeypatch.setattr(Index, "wholes", note_and_read)
    words.load(index)
    assert await words.follow(index)
    assert read == ["late.md"]


async def test_the_words_of_many_changed_notes_are_stored_again(tmp_path: Path) -> None:
    notes = many(MIN_STORED_NOTES + 50)
    index, words = await stored(tmp_path / "index", notes)
    before = (tmp_path / "index" / FILE).read_bytes()
    changed = dict.fromkeys([*notes][: MAX_UNSAVED_NOTES + 1], "entirely different\n")
    await index.write(all_of(changed))
    await follow_and_store(words, index)
    assert (tmp_path / "index" / FILE).read_bytes() != before
    assert words.count("different") == len(changed)
    assert not words.says("running7", ())


async def test_words_that_came_and_went_leave_no_trace_in_the_list(tmp_path: Path) -> None:
    index, words = await stored(tmp_path / "index", many(MIN_STORED_NOTES + 50))
    for written, gone in (({"fresh.md": "kindling fresh dog"}, []), ({"late.md": "late"}, ["fresh.md"])):
        await index.write(all_of(written), [VaultPath(path) for path in gone])
        assert await words.follow(index)
    changed = dict.fromkeys([*many(MAX_UNSAVED_NOTES + 1)], "late and different\n")
    await index.write(all_of(changed))
    await follow_and_store(words, index)
    read = VaultWords()
    await follow_and_store(read, index)
    assert answers(words, index) == answers(read, index)


async def test_a_worker_that_is_killed_is_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridge.search.vault_words.QUICKLY_READ", 0)
    index = (await opened(tmp_path / "index", many(MIN_STORED_NOTES + 50))).view("notes")
    words, others = VaultWords(), multiprocessing.active_children()
    assert not await words.follow(index)
    while not (started := [each for each in multiprocessing.active_children() if each not in others]):
        await asyncio.sleep(0.01)
    started[0].kill()
    assert words._rebuilding is not None
    await words._rebuilding
    assert not words.says("running7", ())
    await follow_and_store(words, index)
    assert words.says("running7", ())
    assert (tmp_path / "index" / FILE).exists()


async def test_words_that_cannot_be_stored_are_used_and_stored_later(tmp_path: Path) -> None:
    index = (await opened(tmp_path / "index", many(MIN_STORED_NOTES + 50))).view("notes")
    (tmp_path / "index" / FILE).mkdir()
    words = VaultWords()
    await follow_and_store(words, index)
    assert words.says("running7", ())
    (tmp_path / "index" / FILE).rmdir()
    first = words._rebuilding
    assert await words.follow(index)
    assert words._rebuilding is first
    words._next_save = 0
    await follow_and_store(words, index)
    assert (tmp_path / "index" / FILE).is_file()


@pytest.mark.parametrize("damage", DAMAGES)
async def test_words_in_a_damaged_file_are_read_again(tmp_path: Path, damage: str) -> None:
    index, words = await stored(tmp_path / "index", many(MIN_STORED_NOTES + 50))
    expected = answers(words, index)
    index.abandon()
    content = damage_file(tmp_path / "index" / FILE, damage)
    index = (await opened(tmp_path / "index")).view("notes")
    words = VaultWords()
    words.load(index)
    await follow_and_store(words, index)
    assert answers(words, index) == expected
    assert (tmp_path / "index" / FILE).read_bytes() != content


async def test_words_of_erased_notes_are_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index, words = await stored(folder, many(MIN_STORED_NOTES + 50) | {SECRET: TEXT})
    assert b"marzipanskew" in (folder / FILE).read_bytes()
    (folder / f".{FILE}.left-by-a-crash").write_bytes(b"marzipanskew")
    await index.erase(private)
    assert b"marzipanskew" not in everything(folder)
    await follow_and_store(words, index)
    assert b"running7" in (folder / FILE).read_bytes()
    assert b"marzipanskew" not in everything(folder)
    assert not words.says("marzipanskew", ())


async def test_words_of_a_note_that_is_erased_while_they_are_read_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridge.search.vault_words.QUICKLY_READ", 0)
    folder = tmp_path / "index"
    index = (await opened(folder, many(MIN_STORED_NOTES + 50) | {SECRET: TEXT})).view("notes")
    words = VaultWords()
    assert not await words.follow(index)
    reading = words._rebuilding
    assert reading is not None
    await index.erase(private)
    await reading
    assert b"marzipanskew" not in everything(folder)
    assert await words.follow(index)
    assert not words.says("marzipanskew", ())
    assert words.says("running7", ())


async def test_while_many_changed_notes_are_read_their_words_before_the_change_count(tmp_path: Path) -> None:
    notes = many(MIN_STORED_NOTES + 50)
    index, words = await stored(tmp_path / "index", notes)
    asked = index.notes, ("running7", "dog", "word3"), ALL
    expected = words.cover(*asked)
    await index.write(all_of({path: f"{text} A line more.\n" for path, text in notes.items()}))
    assert not await words.follow(index)
    assert words.cover(*asked) == expected
    reading = words._rebuilding
    assert reading is not None
    # Changed again while they are read.
    await index.write(all_of(notes))
    await reading
    assert not await words.follow(index)
    assert words.cover(*asked) is not None
    await follow_and_store(words, index)
    assert words.cover(*asked) == expected
    await index.write(all_of({f"new {number}.md": "new" for number in range(MAX_READ_NOTES + 1)}))
    assert not await words.follow(index)
    assert words.cover(*asked) is None


@pytest.fixture
def may_read(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Let many notes be read in the background only when this is set."""
    may_read, rebuild = asyncio.Event(), VaultWords._rebuild_in_worker

    async def rebuild_later(words: VaultWords, index: Index) -> None:
        await may_read.wait()
        await rebuild(words, index)

    monkeypatch.setattr(VaultWords, "_rebuild_in_worker", rebuild_later)
    return may_read


async def test_while_many_changed_notes_are_read_only_what_looks_mistyped_has_a_notice(
    tmp_path: Path, may_read: asyncio.Event
) -> None:
    may_read.set()
    notes = many(MIN_STORED_NOTES + 50)
    index, words = await stored(tmp_path / "index", notes)
    sources = sources_of(index, words)
    may_read.clear()
    await index.write(all_of({path: f"{text} A kindlier line.\n" for path, text in notes.items()}))
    notices = {
        text: (await correct_query(sources, parse_query(text), by_meaning=False)).notices
        for text in ("dogs", "hauuser dogs")
    }
    assert notices["dogs"] == ()
    assert "still being read" in notices["hauuser dogs"][0]
    may_read.set()
    await follow_and_store(words, index)
    assert "is read as" in (await correct_query(sources, parse_query("hauuser dogs"), by_meaning=False)).notices[0]


async def test_a_word_that_many_notes_got_is_found_before_these_are_read(
    tmp_path: Path, may_read: asyncio.Event
) -> None:
    may_read.set()
    notes = many(MIN_STORED_NOTES + 50)
    index, words = await stored(tmp_path / "index", notes)
    sources = sources_of(index, words)
    may_read.clear()
    await index.write(all_of({path: f"---\nkindling: yes\n---\n{text}" for path, text in notes.items()}))
    answer = await search(sources, SearchRequest("kindling", mode="keyword"))
    first = await search(sources, SearchRequest("kindling running7", mode="keyword"))
    assert not await words.follow(index)
    assert (len(answer.hits), first.hits[0].path) == (10, "7.md")


def sources_of(index: Index, words: VaultWords) -> Sources:
    """Return what a search by words needs."""
    vocabulary = Vocabulary()
    vocabulary.words = words
    return Sources(index, no_vector, vocabulary=vocabulary)


async def no_vector(_: str) -> None:
    """Embed nothing."""
