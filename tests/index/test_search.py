"""Words of every script, and anything else that may be typed."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridge.index.index import Index
from bridge.index.inverted_index import TextQuery
from bridge.types import VaultPath
from tests.index.made import all_of, opened, paths, words

NOTES = {
    "zh.md": "# 会议\n\n我们在研究人工智能的发展。关于机器学习的笔记。\n",
    "ja.md": "# 会議メモ\n\n東京で新しい計画を話し合った。\n",
    "ko.md": "# 회의록\n\n오늘 회의를 했다. 인공지능은 어렵다.\n",
    "th.md": "# บันทึกการประชุม\n\nวันนี้เราประชุมเรื่องโครงการใหม่\n",
    "ru.md": "# Встреча\n\nСегодня обсуждали новый проект.\n",
    "ar.md": "# اجتماع\n\nناقشنا المشروع الجديد اليوم.\n",
    "vi.md": "# Cuộc họp\n\nHôm nay chúng tôi bàn về dự án mới.\n",
    "de.md": "# Besprechung\n\nDie Bäume und Häuser sind groß. Wir sprechen über Übungen.\n",
    "fr.md": "# Réunion\n\nLes enfants mangeaient des pommes dans le café.\n",
    "en.md": "# Meeting\n\nThe children were running. See world's foo_bar and C3PO at e-mail.\n",
    "quote.md": "She said ' OR 1=1 -- and left; \"quoted\" 100% sure.\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("search") / "index"

    async def write() -> None:
        await (await opened(folder, NOTES)).close()

    asyncio.run(write())
    return Index.open(folder)


@pytest.mark.parametrize(
    ("word", "path"),
    [
        ("研究", "zh.md"), ("人工智能", "zh.md"), ("笔记", "zh.md"), ("東京", "ja.md"), ("計画", "ja.md"),
        ("회의록", "ko.md"),
        ("メモ", "ja.md"), ("회의", "ko.md"), ("회의를", "ko.md"), ("인공지능", "ko.md"), ("ประชุม", "th.md"),
        ("โครงการ", "th.md"), ("встреча", "ru.md"), ("ПРОЕКТ", "ru.md"), ("المشروع", "ar.md"), ("cuộc", "vi.md"),
        ("cuoc", "vi.md"), ("häuser", "de.md"), ("hauser", "de.md"), ("CAFÉ", "fr.md"), ("cafe", "fr.md"),
        ("running", "en.md"), ("world", "en.md"), ("foo", "en.md"), ("c3po", "en.md"), ("mail", "en.md"),
    ],
)  # fmt: skip
async def test_a_word_of_any_script_is_found(index: Index, word: str, path: str) -> None:
    assert await paths(index.passages(words(word), 3)) == [path]
    assert await paths(index.search_notes(words(word), 3)) == [path]
    assert await paths(index.passages(words(must=[word]), 3)) == [path]


@pytest.mark.parametrize(
    ("word", "path"), [("Haus", "de.md"), ("Baum", "de.md"), ("pomme", "fr.md"), ("runs", "en.md")]
)
async def test_another_form_of_a_word_is_found_by_its_stem(index: Index, word: str, path: str) -> None:
    assert path in await paths(index.stems(words(word), 3))


async def test_what_must_be_there_is_heeded(index: Index) -> None:
    assert await paths(index.passages(words("meeting", must=["children"]), 5)) == ["en.md"]
    assert await paths(index.passages(words(must=["children running"]), 5)) == ["en.md"]
    assert await paths(index.stems(words(must=["meetings runs"]), 5)) == ["en.md"]
    assert await paths(index.passages(words(must=["children", "absent"]), 5)) == []


VOCABULARY = ("apple", "birch", "cedar", "daisy", "elder")
EVERY = [{word for at, word in enumerate(VOCABULARY) if number >> at & 1} for number in range(32)]


@pytest.fixture(scope="module")
def combined(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("combined") / "index"

    async def write() -> None:
        notes = {f"n{number}.md": " ".join(["common", *sorted(said)]) for number, said in enumerate(EVERY)}
        await (await opened(folder, notes)).close()

    asyncio.run(write())
    return Index.open(folder)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(*[st.frozensets(st.sampled_from(VOCABULARY), max_size=2) for _ in range(2)])
async def test_words_that_should_and_must_be_there_combine(
    combined: Index, should: frozenset[str], must: frozenset[str]
) -> None:
    asked = TextQuery(tuple(should), tuple(must))
    wanted = {f"n{number}.md" for number, said in enumerate(EVERY) if said >= must and (must or said & should)}
    hits = await combined.passages(asked, 100)
    assert {hit.path for hit in hits} == wanted
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert {hit.path for hit in await combined.search_notes(asked, 100)} == wanted
    if must and should - must:
        assert EVERY[int(hits[0].path[1:-3])] >= must | should


async def test_what_says_nothing_finds_nothing(index: Index) -> None:
    for nothing in (TextQuery(), words(""), words("   ", "!!", "…"), words(must=["?"])):
        assert await index.passages(nothing, 5) == []
        assert await index.stems(nothing, 5) == []
        assert await index.search_notes(nothing, 5) == []
    assert await index.search_names(" - ", 5) == []
    assert await index.passages(words("meeting"), 0) == []


async def test_a_page_of_text_is_searched_by_its_first_words(index: Index) -> None:
    page = words(*("children " + " ".join(f"w{at}" for at in range(20_000))).split())
    assert await paths(index.passages(page, 1)) == ["en.md"]
    assert await paths(index.search_notes(words("running" * 20_000, "children"), 1)) == ["en.md"]


TYPED = st.text(max_size=60) | st.sampled_from(
    [
        "' OR 1=1 --",
        '"',
        "\\",
        "%",
        "_",
        "*",
        "children'",
        "a\x00b",
        "\ud800",
        "🙂",
        "AND OR NOT",
        "words:children",
        "^2",
    ]
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(TYPED, max_size=4),
    st.lists(TYPED, max_size=3),
    st.none() | st.frozensets(TYPED | st.sampled_from(sorted(NOTES)), max_size=5),
)
async def test_anything_typed_is_an_answer(
    index: Index, should: list[str], must: list[str], within: frozenset[str] | None
) -> None:
    asked = TextQuery(tuple(should), tuple(must))
    allowed = None if within is None else frozenset(map(VaultPath, within))
    for retriever in (index.passages, index.stems, index.search_notes):
        found = await paths(retriever(asked, 20, allowed))
        assert within is None or set(found) <= within
    found = await paths(index.search_names(" ".join(should), 20, allowed))
    assert within is None or set(found) <= within


async def test_characters_that_nobody_sees_part_no_word(tmp_path: Path) -> None:
    index = await opened(
        tmp_path / "index",
        {
            "Pa\u200bsted.md": "# Sour\u200bdough\n\nA web page had ferm\u00aden\u00adta\u00adtion in it.\n",
            "فارسی.md": "می\u200cخواهم",
        },
    )
    assert await paths(index.passages(words("sourdough"), 5)) == ["Pa\u200bsted.md"]
    assert await paths(index.search_notes(words("fermentation"), 5)) == ["Pa\u200bsted.md"]
    assert await paths(index.passages(words("fer\u2060mentation"), 5)) == ["Pa\u200bsted.md"]
    assert await paths(index.search_names("pasted", 5)) == ["Pa\u200bsted.md"]
    (hit,) = await index.passages(words("sourdough"), 5)
    (passage,) = await index.text_of([hit])
    assert (passage.lines, "Sourdough" in passage.text) == ((1, 3), True)
    # The joiner stays: it makes another word.
    (persian,) = await index.text_of(await index.passages(words("می\u200cخواهم"), 5))
    assert persian.text == "می\u200cخواهم"


async def test_of_notes_that_say_the_same_the_first_by_path_is_found_whichever_was_written_first(
    tmp_path: Path,
) -> None:
    names = [f"n{number:02}.md" for number in range(40)]
    index = await opened(tmp_path / "index", dict.fromkeys(names[::-1], "the same words\n"))
    for some in (names[7:20], names[:3]):
        await index.write(all_of(dict.fromkeys(some, "other words\n")))
        await index.write(all_of(dict.fromkeys(some, "the same words\n")))
    for limit in (5, 39):
        assert await paths(index.passages(words("same"), limit)) == names[:limit]
        assert await paths(index.stems(words("same"), limit)) == names[:limit]
        assert await paths(index.search_notes(words("same"), limit)) == names[:limit]
    await index.optimise()
    assert await paths(index.passages(words("same"), 40)) == names
    await index.close()


async def test_a_passage_keeps_its_heading_and_words_apart(index: Index) -> None:
    [hit] = await index.passages(words("mangeaient"), 1)
    [passage] = await index.text_of([hit])
    assert (passage.heading, passage.lines) == ("Réunion", (1, 3))
    assert passage.text == "# Réunion\n\nLes enfants mangeaient des pommes dans le café."


async def test_languages_of_as_many_notes_are_in_the_same_order_whichever_was_written_first(tmp_path: Path) -> None:
    notes = {"de.md": f"{NOTES['de.md']} Das ist ein Satz und noch einer.\n", "fr.md": NOTES["fr.md"]}
    for folder, order in (("one", [*notes]), ("other", [*notes][::-1])):
        index = await opened(tmp_path / folder, {path: notes[path] for path in order})
        assert index.languages == ("french", "german")
        await index.close()
