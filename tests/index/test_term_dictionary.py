"""The words of the notes, by beginning and spelling, while notes come and go."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.errors import ReadOnly
from bridge.index.index import Index
from bridge.index.postings import FILE, TermDictionary
from bridge.index.tokens import hash_tokens
from bridge.types import VaultPath
from tests.index.made import DAMAGES, all_of, damage_file, opened
from tests.index.test_erasing import SECRET, TEXT, everything, private

WORDS = st.text("abcé会\ud800'", min_size=1, max_size=5)


@given(st.lists(WORDS), st.lists(WORDS), st.lists(WORDS), WORDS)
def test_packed_and_new_words_answer_alike(packed: list[str], during: list[str], new: list[str], part: str) -> None:
    words = TermDictionary(Path("nowhere"))
    words.add([*packed, "gone"])
    words.begin_packing()
    words.add(during)
    words.replace(words.pack([hash_tokens(packed)]))
    words.add(new)
    known = {*packed, *during, *new}
    assert sorted(words.words_beginning("")) == sorted(known)
    assert sorted(words.words_beginning(part)) == sorted(word for word in known if word.startswith(part))
    for piece in (part, f"\n{part}", f"{part}\n"):
        assert {*words.words_containing(piece)} == {word for word in known if piece in f"\n{word}\n"}
    assert dict(words.similar_words(part, 1)).get(part, None) == (0 if part in known else None)


async def stored(folder: Path, notes: dict[str, str]) -> Index:
    index = await opened(folder, notes)
    await index.optimise()
    assert (folder / FILE).exists()
    return index


def many(count: int = 300) -> dict[str, str]:
    return {f"{at}.md": f"running{at} dogs, the häuser of word{at % 7}, l'arca\n" for at in range(count)}


def answers(index: Index) -> dict[str, object]:
    """Return what is known of words."""
    asked = ("running7", "running300", "dog", "haus", "arca", "word3", "kindling", "fresh", "late", "the", "gone")
    words = sorted(index.dictionary.words_beginning(""))
    live = [word for word, count in zip(words, index.document_frequencies(words), strict=True) if count]
    return {
        "counts": [index.document_frequency(word) for word in asked],
        "live": live,
        "similar": [[*filter(live.__contains__, similar(index, word))] for word in ("runing17", "kindlin", "wrod3")],
    }


def similar(index: Index, word: str) -> Sequence[str]:
    return sorted(other for other, _ in index.dictionary.similar_words(word, 2))


async def test_stored_words_answer_as_those_that_were_just_read(tmp_path: Path) -> None:
    index = await stored(tmp_path / "index", many())
    changed = {"fresh.md": "kindling fresh dog", "7.md": "late words, kindle"}
    await index.write(all_of(changed), [VaultPath("8.md")])
    expected = answers(await opened(tmp_path / "read", {**many(), **changed} | {"8.md": "the dogs"}))
    await index.write(all_of({"8.md": "the dogs"}))
    assert answers(index) == expected
    await index.close()
    assert answers(await opened(tmp_path / "index")) == expected


async def test_words_after_a_crash_are_those_of_the_notes(tmp_path: Path) -> None:
    index = await stored(tmp_path / "index", many())
    await index.write(all_of({"late.md": "late kindling"}), [VaultPath("3.md")])
    expected = answers(index)
    index.abandon()
    assert answers(await opened(tmp_path / "index")) == expected


@pytest.mark.parametrize("damage", DAMAGES)
async def test_words_in_a_damaged_file_are_read_again(tmp_path: Path, damage: str) -> None:
    index = await stored(tmp_path / "index", many())
    expected = answers(index)
    await index.close()
    content = damage_file(tmp_path / "index" / FILE, damage)
    index = await opened(tmp_path / "index")
    assert answers(index) == expected
    await index.close()
    assert (tmp_path / "index" / FILE).read_bytes() != content


async def test_words_that_no_note_contains_any_more_are_not_stored(tmp_path: Path) -> None:
    index = await stored(tmp_path / "index", many())
    await index.write(all_of({"fresh.md": "kindling"}))
    await index.write(all_of({"fresh.md": "late"}))
    assert answers(index)["live"] == answers(await opened(tmp_path / "read", {**many(), "fresh.md": "late"}))["live"]
    await index.optimise(at_once=True)
    content = (tmp_path / "index" / FILE).read_bytes()
    assert (b"\nkindling\n" in content, b"\nlate\n" in content) == (False, True)


async def test_words_that_cannot_be_stored_are_kept(tmp_path: Path) -> None:
    index = await opened(tmp_path / "index", many())
    (tmp_path / "index" / FILE).mkdir()
    expected = answers(index)
    with pytest.raises(ReadOnly):
        await index.optimise()
    assert answers(index) == expected
    (tmp_path / "index" / FILE).rmdir()
    await index.optimise()
    assert answers(index) == expected
    assert (tmp_path / "index" / FILE).is_file()


async def test_words_of_erased_notes_are_in_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = await stored(folder, many() | {SECRET: TEXT})
    assert b"marzipanskew" in (folder / FILE).read_bytes()
    (folder / f".{FILE}.left-by-a-crash").write_bytes(b"marzipanskew")
    index.hide(private)
    assert not index.document_frequency("marzipanskew")
    assert index.document_frequencies(["marzipanskew"]) == [0]
    await index.erase(private)
    assert b"marzipanskew" not in everything(folder)
    assert b"running7" in (folder / FILE).read_bytes()
    (folder / f".{FILE}.left-by-a-crash").write_bytes(b"marzipanskew")
    await index.erase(private)
    assert b"marzipanskew" not in everything(folder)
    assert index.dictionary.words_beginning("marzi") == []
