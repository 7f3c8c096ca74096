from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bridge.errors import ModelMissing
from bridge.search.coverage import score_coverage
from bridge.search.model import SearchHit, SearchRequest, Sources
from bridge.search.pipeline import search
from bridge.search.read_query import read_query
from bridge.search.scope import PhraseReading, search_scope
from bridge.search.terms import All, HasText
from bridge.types import SearchMode, VaultPath
from tests.search.vaults import opened, write_vault
from tests.steps import count_calls

FILES = {
    "Obsidian.md": "An app for notes.\n\n## Vaults\n\nA vault is a folder. See [[Meeting notes]].\n",
    "Work/Meeting notes.md": (
        "---\ntags: [work/weekly]\nstatus: draft\n---\n# Agenda\n\nWe met about the slow rise of prices.\n"
    ),
    "Work/Travel.md": "---\ntags: [work]\nstatus: done\n---\nTrains to the meeting in Vienna. Prices rise.\n",
    "Garden/Fern.md": "---\naliases: [Bracken]\n---\nFerns like shade and rain. #garden\n",
    "Garden/Copy of fern care.md": "Water the fern every third day and keep it away from the hot noon sun of summer.\n",
    "Garden/Fern care.md": "Water the fern every third day and keep it away from the hot noon sun of summer.\n",
    "会议记录.md": "今天的会议讨论了预算和植物园的浇水计划。\n",
    "日记.md": "植物园很漂亮，我们看了蕨类植物。\n",
    "Empty.md": "",
}


@pytest.fixture
async def sources(tmp_path: Path) -> AsyncIterator[Sources]:
    write_vault(tmp_path / "vault", FILES)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        yield found


async def hits(sources: Sources, query: str, **options: object) -> list[str]:
    answer = await search(sources, SearchRequest(query, mode="keyword", **options))  # type: ignore[arg-type]
    return [hit.path for hit in answer.hits]


async def test_a_hit_tells_where_and_why(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("slow rise", mode="keyword", limit=1))
    note = sources.index.notes[answer.hits[0].path]
    assert answer.hits == (
        SearchHit(
            path=note.path,
            title="Meeting notes",
            heading="Agenda",
            lines=(5, 7),
            snippet="We met about the ==slow rise== of prices.",
            score=answer.hits[0].score,
            why=("says “slow”, “rise”",),
            tags=("work/weekly",),
            modified=note.mtime,
            digest=note.digest,
        ),
    )
    assert answer.total >= 1
    assert 0 < answer.hits[0].score <= 1
    assert answer.mode_used == "keyword"


async def test_words_in_cyrillic_and_greek_are_found_in_other_forms(tmp_path: Path) -> None:
    texts = {"Хлеб.md": "Сухари сушат в печи, на них идёт ржаной хлеб.\n", "Ψωμί.md": "Οι φούρνοι ψήνουν το ψωμί.\n"}
    write_vault(tmp_path / "vault", texts | {f"{n}.md": "Ничего про еду здесь нет.\n" for n in range(5)})
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        answer = await search(sources, SearchRequest("блюда с сухарями", mode="keyword"))
        assert [hit.path for hit in answer.hits] == ["Хлеб.md"]
        assert answer.hits[0].snippet.startswith("==Сухари== сушат")
        assert answer.hits[0].why == ("says “Сухари”",)
        assert await hits(sources, "φούρνος") == ["Ψωμί.md"]


async def test_a_phrase_stands_together_and_minus_excludes(sources: Sources) -> None:
    assert await hits(sources, '"slow rise"') == ["Work/Meeting notes.md"]
    assert await hits(sources, '"rise slow"') == []
    assert await hits(sources, "rise -slow") == ["Work/Travel.md"]
    assert await hits(sources, '"植物园的浇水"') == ["会议记录.md"]


async def test_the_event_loop_reads_no_text_for_a_phrase(tmp_path: Path) -> None:
    asked = '"di una" "una casa" -"per il" ("la di" OR "casa di")'

    async def steps(notes: int) -> int:
        text = "Parla di una casa che la vede, di giorno, per le sue mura. "
        write_vault(tmp_path / f"{notes}", {f"{n}.md": text for n in range(notes)})
        async with opened(tmp_path / f"{notes}", tmp_path / f"index {notes}") as sources:
            await search(sources, SearchRequest(asked, mode="keyword", limit=1))
            with count_calls("text/match.py") as counted:
                await read_query(sources, SearchRequest(asked, mode="keyword", limit=1))
        return counted[0]

    assert await steps(30) == await steps(10)


async def test_phrases_of_a_query_share_what_may_be_read(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {f"{n}.md": f"one two {'three' if n < 4 else 'and'} four" for n in range(9)})
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        request = SearchRequest("")
        both = All((HasText("one two", quoted=True), HasText("three four", quoted=True)))
        reading = PhraseReading(passages=13)
        found = await search_scope(sources.index, request, both, reading)
        assert found == frozenset(VaultPath(f"{n}.md") for n in range(4))
        assert (reading.passages, reading.notices()) == (0, [])
        reading = PhraseReading(passages=8)
        words = HasText("two one", quoted=True)
        assert await search_scope(sources.index, request, words, reading) == frozenset(sources.index.notes)
        assert reading.notices() == ["`two one` is read as words: the query asks for too many common phrases."]


async def test_or_means_one_of_them(sources: Sources) -> None:
    assert set(await hits(sources, "Vienna OR bracken")) == {"Work/Travel.md", "Garden/Fern.md"}


async def test_words_of_a_condition_mean_their_other_forms_too_and_quoted_ones_do_not(sources: Sources) -> None:
    assert set(await hits(sources, "trains OR vault")) == set(await hits(sources, "train OR vaults"))
    assert set(await hits(sources, "train OR folders")) == {"Work/Travel.md", "Obsidian.md"}
    assert await hits(sources, "prices -train") == ["Work/Meeting notes.md"]
    assert set(await hits(sources, 'prices -"train"')) == {"Work/Meeting notes.md", "Work/Travel.md"}


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("obsid", "Obsidian.md"),
        ("meetng", "Work/Meeting notes.md"),
        ("meeting no", "Work/Meeting notes.md"),
        ("brack", "Garden/Fern.md"),
        ("fern", "Garden/Fern.md"),
        ("vaul", "Obsidian.md"),
        ("会议", "会议记录.md"),
        ("植物", "日记.md"),
        ("浇水", "会议记录.md"),
    ],
)
async def test_names_are_found_while_they_are_typed(sources: Sources, typed: str, path: str) -> None:
    found = await hits(sources, typed)
    assert path in found[:2]


async def test_a_name_typed_in_full_comes_first(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("meeting notes", mode="keyword"))
    assert answer.hits[0].path == "Work/Meeting notes.md"
    assert answer.hits[0].why[0] == "title matches"


async def test_filters_narrow_and_without_words_list_the_newest(sources: Sources) -> None:
    assert await hits(sources, "rise", folder="Work", tags=("work",), properties={"status": "done"}) == [
        "Work/Travel.md"
    ]
    assert set(await hits(sources, "", tags=("work",))) == {"Work/Meeting notes.md", "Work/Travel.md"}
    assert set(await hits(sources, "tag:work [status:dr]")) == {"Work/Meeting notes.md"}
    assert set(await hits(sources, "path:garden fern", limit=1)) == {"Garden/Fern.md"}


async def test_filters_that_no_note_passes_say_so(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("fern", folder="Work", tags=("garden",)))
    assert (answer.hits, answer.notices) == ((), ("No note passes the filters.",))


@pytest.mark.parametrize(
    ("query", "filters", "notices"),
    [
        ("rise", {"tags": ("wrok",)}, ["There is no tag `wrok`; the closest is `work`."]),
        (
            "rise",
            {"properties": {"statsu": "done"}},
            ["There is no property `statsu`; the closest is `status`."],
        ),
        (
            "rise",
            {"properties": {"status": "drafts"}},
            ["No note has the value `drafts` in `status`; the closest is `draft`."],
        ),
        ("tag:#work/weekli", {}, ["There is no tag `work/weekli`; the closest is `work/weekly`."]),
        ("rise path:Gardn", {}, ["No path contains `Gardn`; the closest is `Garden`."]),
        ("rise file:Meetign", {}, ["No path contains `Meetign`; the closest is `Work/Meeting notes.md`."]),
        ("[statsu:done]", {}, ["There is no property `statsu`; the closest is `status`."]),
        ("[status:drift]", {}, ["No note has the value `drift` in `status`; the closest is `draft`."]),
        (
            "rise tag:wrok",
            {"folder": "Gardn"},
            [
                "There is no folder `Gardn` with notes; the closest is `Garden`.",
                "There is no tag `wrok`; the closest is `work`.",
            ],
        ),
    ],
)
async def test_a_filter_by_a_name_that_no_note_has_names_the_closest(
    sources: Sources, query: str, filters: dict[str, object], notices: list[str]
) -> None:
    answer = await search(sources, SearchRequest(query, mode="keyword", **filters))  # type: ignore[arg-type]
    assert (answer.hits, list(answer.notices)) == ((), notices)


async def test_an_unknown_name_is_told_beside_hits_too(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("rise -tag:wrok", mode="keyword"))
    assert answer.hits
    assert answer.notices == ("There is no tag `wrok`; the closest is `work`.",)


@pytest.mark.parametrize(
    ("folder", "notice"),
    [
        ("Gardn", "There is no folder `Gardn` with notes; the closest is `Garden`."),
        ("Elsewhere/", "There is no folder `Elsewhere` with notes."),
    ],
)
async def test_a_folder_that_is_nowhere_is_named_with_the_closest(sources: Sources, folder: str, notice: str) -> None:
    answer = await search(sources, SearchRequest("fern", folder=folder))
    assert (answer.hits, answer.notices) == ((), (notice,))


@pytest.mark.parametrize("typed", ["", "???", '"', "(((", "  "])
async def test_nothing_to_look_for_is_an_honest_empty_answer(sources: Sources, typed: str) -> None:
    answer = await search(sources, SearchRequest(typed))
    assert answer.hits == ()
    assert answer.notices[-1].startswith("There is nothing to look for")


@pytest.mark.parametrize("typed", ["fern " * 20_000, "x" * 100_000, "' OR 1=1 --", "fern AND NOT *~?^{}\\", "\x00fern"])
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
async def test_hostile_queries_are_answered(sources: Sources, typed: str, mode: SearchMode) -> None:
    answer = await search(sources, SearchRequest(typed, mode=mode))
    assert all(0 <= hit.score <= 1 for hit in answer.hits)


async def test_near_duplicates_collapse_and_are_counted(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("water every third day", mode="keyword"))
    copies = [hit for hit in answer.hits if "ern care" in hit.path]
    assert len(copies) == 1
    assert copies[0].why[-1] == "1 other note with the same passage left out"


async def test_copies_do_not_leave_an_answer_short(tmp_path: Path) -> None:
    copied = "Whoever reads this should take smart notes, said the author of the book on notes.\n"
    files = {f"Copies/{at}.md": copied for at in range(30)} | {
        f"Own {at}.md": f"Notes on this and that, number {at}, of which smart people speak now and then.\n"
        for at in range(5)
    }
    write_vault(tmp_path / "vault", files)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        answer = await search(found, SearchRequest("smart notes", mode="keyword", limit=4))
    assert len(answer.hits) == 4
    assert answer.hits[0].why[-1] == "29 other notes with the same passage left out"


async def test_a_tag_that_is_typed_finds_its_notes(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("weekly", mode="keyword"))
    assert [hit.path for hit in answer.hits] == ["Work/Meeting notes.md"]
    assert "tag #work/weekly" in answer.hits[0].why


async def test_without_a_model_hybrid_is_keyword_search_and_says_so(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("fern"))
    assert answer.mode_used == "keyword"
    assert answer.notices[0].startswith("There is no model")
    with pytest.raises(ModelMissing):
        await search(sources, SearchRequest("fern", mode="semantic"))


async def test_the_numbers_are_shown_on_request(sources: Sources) -> None:
    answer = await search(sources, SearchRequest("slow rise of prices", mode="keyword", limit=2, explain=True))
    assert answer.explain is not None
    assert answer.explain.words == ("slow", "rise", "prices")
    stems = answer.explain.lanes[answer.hits[0].path]["stems"]
    assert stems.calibrated == pytest.approx(1.0, abs=0.05)
    assert stems.rank == 1
    assert {"stems", "whole", "names", "ranking"} <= answer.explain.took_ms.keys()


async def test_a_note_that_was_deleted_is_no_hit(sources: Sources) -> None:
    assert "Garden/Fern.md" in await hits(sources, "bracken")
    await sources.index.write([], [path for path in sources.index.notes if path == "Garden/Fern.md"])
    assert await hits(sources, "bracken") == []


async def test_attributes_of_html_are_neither_found_nor_shown(tmp_path: Path) -> None:
    frame = '<iframe width="100%" height="zebra" src="https://quagga.net/embed"></iframe>'
    text = f'A talk on okapis:\n\n{frame}\n\nThe API&nbsp;key is `<b id="gnu">`.\n'
    write_vault(tmp_path / "vault", {"Video.md": text})
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        assert await hits(found, "zebra") == await hits(found, "quagga") == await hits(found, "nbsp") == []
        assert await hits(found, "gnu") == ["Video.md"]
        answer = await search(found, SearchRequest("okapis", mode="keyword"))
    assert answer.hits[0].snippet.startswith("A talk on ==okapis==: The API key is")


async def test_what_a_long_note_says_by_chance_tells_less(tmp_path: Path) -> None:
    everything = " ".join(f"word{number}" for number in range(300))
    long, short = VaultPath("Long.md"), VaultPath("Short.md")
    others = {f"Other {number}.md": f"Nothing of it: term{number}.\n" for number in range(20)}
    files = {"Long.md": f"Freeze {everything} the bread.\n", "Short.md": "Freeze the bread.\n", **others}
    write_vault(tmp_path / "vault", files)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        said = score_coverage(found.index, [long, short], ("freeze", "bread"))
        rare = score_coverage(found.index, [long, short], ("freeze", "unheard"))
    assert said is not None
    assert rare is not None
    assert said[short] == 1.0
    assert 0 < said[long] < said[short]
    assert 0 < rare[short] < 0.5


async def test_a_quoted_phrase_is_part_of_what_a_note_says(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {"Budget.md": "The board approved the spending plan.\n"})
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        for query in ('"spending plan" elephants', '"spending" elephants on the moon'):
            answer = await search(found, SearchRequest(query, mode="keyword"))
            assert [hit.path for hit in answer.hits] == ["Budget.md"]


async def test_a_quoted_word_is_a_whole_word_of_a_name_too(tmp_path: Path) -> None:
    files = {
        "Saturnalia.md": "A feast.\n",
        "Saturn's rings.md": "Ice.\n",
        "The Saturn V.md": "A rocket.\n",
        "土星环.md": "冰。\n",
    }
    write_vault(tmp_path / "vault", files)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        assert set(await hits(found, '"saturn"')) == {"Saturn's rings.md", "The Saturn V.md"}
        assert set(await hits(found, 'saturnalia OR "saturn v"')) == {"Saturnalia.md", "The Saturn V.md"}
        assert await hits(found, '"土星"') == ["土星环.md"]


async def test_a_control_character_parts_words_in_a_snippet_as_in_the_index(tmp_path: Path) -> None:
    write_vault(tmp_path / "vault", {"A.md": "a zapfolk\x00after one line\n"})
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        answer = await search(found, SearchRequest("zapfolk", mode="keyword"))
    assert [hit.snippet for hit in answer.hits] == ["a ==zapfolk== after one line"]


async def test_a_foreign_name_in_a_question_does_not_outweigh_the_question(tmp_path: Path) -> None:
    files = {
        "1.md": "Vienna, Vienna.\n",
        "2.md": "蕨类植物的浇水计划是每三天一次。\n",
        "3.md": "今天的会议讨论了预算。\n",
    }
    write_vault(tmp_path / "vault", files)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        assert (await hits(found, "Vienna 的蕨类植物浇水计划"))[0] == "2.md"


async def test_a_question_without_spaces_is_no_name(tmp_path: Path) -> None:
    files = {
        "请问我们今天讨论的植物园的开放时间.md": "见地图。\n",
        "1.md": "我们今天讨论的植物园的开放时间是每天上午九点到下午五点。\n",
    }
    write_vault(tmp_path / "vault", files)
    async with opened(tmp_path / "vault", tmp_path / "index") as found:
        answer = await search(
            found, SearchRequest("请问我们今天讨论的植物园的开放时间是什么", mode="keyword", explain=True)
        )
    assert answer.explain is not None
    assert answer.explain.lanes
    assert not any("name" in scores for scores in answer.explain.lanes.values())


async def test_a_name_that_a_third_of_the_notes_say_still_finds_them(tmp_path: Path) -> None:
    days = {f"Day {day}.md": f"John walked to stop {day}.\n" for day in range(70)}
    others = {f"Stop {stop}.md": f"A bus leaves from here at {stop}.\n" for stop in range(110)}
    write_vault(tmp_path / "vault", {**days, **others, "Words.md": "What words cannot describe.\n"})
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        found = await hits(sources, "what attributes describe John", limit=5)
    assert found[0] == "Words.md"
    assert [path.partition(" ")[0] for path in found[1:]] == ["Day"] * 4


async def test_of_common_words_alone_every_note_that_says_one_is_found(tmp_path: Path) -> None:
    both = {f"Both {number}.md": f"Trains and buses, {number}.\n" for number in range(110)}
    one = {f"One {number}.md": f"Trains only, {number}.\n" for number in range(90)}
    write_vault(tmp_path / "vault", {**both, **one, "Rest.md": "A quiet garden.\n"})
    async with opened(tmp_path / "vault", tmp_path / "index") as sources:
        found = await hits(sources, "trains buses", limit=300)
    assert {path.partition(" ")[0] for path in found} == {"Both", "One"}
