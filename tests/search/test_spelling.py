"""Mistyped words are read as the words that the vault says."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.index.prepare import prepare
from bridge.search.model import SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.search.query import MAX_TERMS, parse_query
from bridge.search.read_query import correct_spelling, find_corrections, read_question
from tests.search.vaults import opened, write_vault
from tests.steps import count_calls

FILES = {
    "Hotkeys.md": "Hotkeys are set in the settings. Every shortcut can be changed.\n",
    "Garden.md": "Water the ferns in the evening. The templates for plant labels are here.\n",
    "Label.md": "A template for labels, with the Überschrift on top.\n",
    "Password.md": "The password protects the account, wherever somebody attends to it.\n",
    "Weather.md": "It is better tomorrow.\n",
    "Übung.md": "会议讨论了预算。 Приветствие\n",
}


@pytest.fixture
async def sources(tmp_path: Path) -> AsyncIterator[Sources]:
    write_vault(tmp_path / "vault", FILES)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        yield found


def read(sources: Sources, typed: str) -> tuple[str, tuple[str, ...]]:
    query = parse_query(typed)
    mended = correct_spelling(query, find_corrections(query, sources.index))
    return mended.text, mended.notices


async def test_a_word_like_those_of_the_vault_stays_in_a_question(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {"Tören.md": "Bayram kutlandı, para kullanıldı, ağaç sallandı. Hotkeys."})
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        assert read(found, "okulda yeni yöntem kullandı")[0] == "okulda yeni yöntem kullanildi"
        assert read(found, "okulda yeni yöntem salındı")[1] == ()
        assert read(found, "kullandı")[0] == "kutlandi"
        assert read(found, "okulda yeni yöntem hotkyes")[0] == "okulda yeni yöntem hotkeys"


async def test_a_right_word_of_a_short_question_stays_too(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {"Now.md": "At present the resident is away."})
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        assert read(found, "Who is the president of France?")[1] == ()
        assert read(found, "presemt")[0] == "present"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (
            "Il passato non è più reale del futuro, ma una gamma di colori è per sempre.",
            "Come si rinnova il passaporto?",
        ),
        ("Il passato non è più reale, ma una gamma di colori è per sempre.", "Come si cambia una gomma?"),
        ("Strona jest gotowa, ale nie jest to swoja lea, a dowody są na dole.", "Gdzie leżą książki i jak się stoją?"),
        ("Ich habe damit gerechnet, dass es nicht die Farmen sind.", "Welche Farben haben die Dächer und was dämmt?"),
    ],
)
async def test_a_word_of_a_question_is_not_read_as_another(tmp_path: Path, text: str, question: str) -> None:
    more = {f"{number}.md": f"{text} {number}" for number in range(50)}
    write_vault(tmp_path / "vault", more)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        assert read(found, question) == (question, ())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("hotkyes", "hotkeys"),
        ("hotkeeys", "hotkeys"),
        ("hotkys", "hotkeys"),
        ("hoskeys", "hotkeys"),
        ("tempaltes", "templates"),
        ("Hotkyes", "hotkeys"),
        ("uberschirft", "uberschrift"),
        ("приветсвтие", "приветствие"),
    ],
)
async def test_a_mistyped_word_inside_a_question_is_mended_and_told(sources: Sources, typed: str, meant: str) -> None:
    text, notices = read(sources, f"how do I change {typed} here")
    assert text == f"how do I change {meant} here"
    assert notices == (f"`{typed}` is read as `{meant}`; `+{typed}` asks for it as typed.",)


@pytest.mark.parametrize(
    "typed",
    [
        "hotkeys template watering ",  # said, in this form or another
        "fenr ",  # short words are too many to be told apart
        "passport ",  # two letters off, in a word of eight
        "wetter ",  # another first letter
        "attendance ",  # another ending
        "zzzzzzz ",
        "会议讨沦 ",
        "templat",  # not yet finished
        "-hotkyes garden ",
        '"hotkyes" ',
        "hotkyes OR garden ",
    ],
)
async def test_other_words_stay_as_they_were_typed(sources: Sources, typed: str) -> None:
    query = parse_query(typed)
    assert find_corrections(query, sources.index) == {}


async def test_a_mistyped_word_finds_what_it_means_by_every_lane(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("change hotkyes", mode="keyword"))
    assert answer.hits[0].path == "Hotkeys.md"
    assert answer.notices == ("`hotkyes` is read as `hotkeys`; `+hotkyes` asks for it as typed.",)
    assert "==Hotkeys==" in answer.hits[0].snippet


async def test_words_are_known_from_the_moment_a_note_says_them_until_none_does(
    sources: Sources, tmp_path: Path
) -> None:
    from bridge.index.boilerplate import Boilerplate
    from bridge.markdown.documents import read_document
    from bridge.types import VaultPath
    from bridge.vault.rules import Rules
    from bridge.vault.vault import Vault

    async def write(path: str, text: str) -> None:
        write_vault(tmp_path / "vault", {path: text})
        vault = Vault(tmp_path / "vault", Rules(exclude=(), max_file_bytes=10_000_000, ignored=()))
        data, stat = vault.read(VaultPath(path))
        await sources.index.write([prepare(read_document(VaultPath(path), data), stat, Boilerplate())])

    assert read(sources, "change hotkyes now")[1]
    await write("Odd.md", "They call them hotkyes.\n")
    assert not read(sources, "change hotkyes now")[1]
    await write("Odd.md", "They call them shortcuts.\n")
    assert read(sources, "change hotkyes now")[1]
    await sources.index.write([], [VaultPath("Hotkeys.md")])
    assert not read(sources, "change hotkyes now")[1]
    assert not sources.index.document_frequency("hotkeys")


async def test_reading_a_long_word_costs_no_more_than_its_length(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {f"{n}.md": "abab " * n for n in range(1, 9)})
    async with opened(tmp_path / "vault", tmp_path / "index") as found:

        def calls(letters: int) -> int:
            with count_calls() as counted:
                read(found, f"was {'ab' * (letters // 2)} seen by the old gardener")
            return counted[0]

        calls(24)
        assert calls(96) < 8 * calls(24)
        assert calls(200) <= calls(24)


async def test_a_question_is_read_by_a_bounded_number_of_words(sources: Sources) -> None:
    strange = [f"{chr(97 + n % 26)}{chr(97 + n // 26)}qzx" for n in range(400)]
    with count_calls() as few:
        read_question(" ".join(strange[:MAX_TERMS]), sources.index)
    with count_calls() as many:
        assert read_question(" ".join(strange), sources.index) == " ".join(strange)
    assert many[0] < 1.5 * few[0]
