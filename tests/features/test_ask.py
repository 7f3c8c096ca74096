"""Answers to questions, quoted from notes or written by chat models whose behaviour is known."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import psutil
import pytest

from bridge.settings.file import save_settings
from tests.features.served import PATIENCE_S, Served
from tests.mcp.client import connected, text_of
from tests.models.scripted import place_chat_model, random_gguf, scripted_gguf

NOTES = {
    "Levain.md": "# Levain\n\nA levain is a starter of flour and water. It is fed twice a day.\n\n"
    "## Storage\n\nIn the fridge it keeps for 2 weeks.\n",
    "Bread/Rye.md": "Rye bread needs a levain. It keeps for a week.\n",
    "Bread/Spelt.md": "Spelt bread rises fast and needs no levain.\n",
    "Kitchen.md": "The kitchen was painted green in May.\n",
    "Secret/Plan.md": "The levain is worth a million.\n",
    "面包.md": "酵母是面包的灵魂。今天天气很好。\n",
}
LEVAIN = "A levain is a starter of flour and water. It is fed twice a day."
FED = "How often is the levain fed?"


async def ask(served: Served, question: str, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = await served.result("ask", question=question, **arguments)
    return found


async def test_that_the_agents_notes_were_not_asked_is_said_where_nothing_answers(served: Served) -> None:
    unknown = "Who invented the zeppelin?"
    assert '@"Agents/"' not in " ".join((await ask(served, unknown))["notices"])
    assert (await served.call("set_up_memory", templates=False)).status == 200
    assert '@"Agents/"' in (await ask(served, unknown))["notices"][-1]
    assert '@"Agents/"' not in " ".join((await ask(served, unknown, among="all"))["notices"])
    assert '@"Agents/"' not in " ".join((await ask(served, FED))["notices"])


async def test_what_the_properties_of_a_quoted_note_say_is_not_missing(served: Served) -> None:
    text = "---\nauthor: '[[Ada Quill]]'\n---\nA widow meets the captain again whom she had refused.\n"
    await served.call("create_note", path="Refusal.md", text=text)
    found = await ask(served, "Which novel by Ada Quill has a captain?")
    assert found["citations"][0]["path"] == "Refusal.md"
    assert found["answerability"]["missing"] == ["novel"]


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Maize\n\nMīkla rūgst divpadsmit stundas ledusskapī.", "Cik stundu rūga maizes mīkla?"),
        ("Atzeko trena\n\nGaueko trena 19:04ean irteten da.", "Noiz irteten da gaueko trenak?"),
        (
            "Framework\n\nBruno Bez è inventore di un framework per decidere.",
            "Chi ha inventato il framework per decidere?",
        ),
    ],
)
async def test_another_form_of_a_word_says_it(served: Served, text: str, question: str) -> None:
    await served.call("create_note", path="Note.md", text=f"# {text}\n")
    judged = (await ask(served, question))["answerability"]
    assert (judged["verdict"], judged["missing"]) == ("answered", [])


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Who directed Glass Harbour?", "director: Ada Quill"),
        ("In which year was Glass Harbour published?", "year: 1992"),
        ("What did the Glass Harbour band play?", "Setlist: 1. Salt; 2. Tar"),
        ("Where did Glass Harbour play?", "The band performed live at Harrow Hall."),
    ],
)
async def test_another_word_of_the_same_sense_says_it(served: Served, question: str, quote: str) -> None:
    said = "The band performed live at Harrow Hall.\n\n## Setlist\n\n1. Salt\n2. Tar\n"
    text = f"---\ndirector: Ada Quill\nyear: 1992\n---\n# Glass Harbour\n\n{said}"
    await served.call("create_note", path="Glass Harbour.md", text=text)
    found = await ask(served, question)
    assert quote in [one["quote"] for one in found["citations"]]
    assert (found["answerability"]["verdict"], found["answerability"]["missing"]) == ("answered", [])


async def test_what_was_published_names_no_publisher(served: Served) -> None:
    await served.call("create_note", path="Glass Harbour.md", text="---\nyear: 1992\npublished: true\n---\n# Glass\n")
    judged = (await ask(served, "Which publisher released Glass Harbour?"))["answerability"]
    assert judged["verdict"] != "answered"


async def test_a_line_without_a_place_does_not_answer_where(served: Served) -> None:
    await served.call("create_note", path="Bike.md", text="# Road bike\n\nI bought a road bike, and it gives me joy.\n")
    judged = (await ask(served, "Where did I buy my road bike?"))["answerability"]
    assert (judged["verdict"], judged["missing"]) == ("partial", ["where"])


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("PDCA 是哪一年提出的？", "哪一年"),
        ("Quanto costa sostenere la Prova Alfa?", "costa"),
        ("Alfa 的开发者是谁？", "发者"),
    ],
)
async def test_the_year_or_price_that_is_asked_for_is_told_missing(served: Served, question: str, missing: str) -> None:
    for path, text in (
        ("PDCA.md", "---\ncreated: 2022-06-09\n---\nPDCA 循环由戴明提出，因此也称戴明环。\n"),
        ("Prova Alfa.md", "La Prova Alfa copre la gestione dei costi e dei tempi.\n"),
    ):
        await served.call("create_note", path=path, text=text)
    judged = (await ask(served, question))["answerability"]
    assert judged["verdict"] in ("partial", "not_in_vault")
    assert missing in judged["missing"][0]


@pytest.mark.parametrize("day", ["2002-09-26", "September 26th, 2002", "26 Sep 2002", "26.9.2002"])
async def test_a_question_on_a_day_is_answered_by_what_says_that_day(served: Served, day: str) -> None:
    for path, text in (
        ("2002-04-21 — Barbican.md", "The band did play at The Barbican, London on Apr. 21st, 2002.\n"),
        ("2002-09-26 — Feelee.md", "The band performed at Tochka, Moscow on Sep. 26th, 2002.\n"),
    ):
        await served.call("create_note", path=path, text=text)
    found = await ask(served, f"Where did the band play on {day}?")
    assert [one["path"] for one in found["citations"]] == ["2002-09-26 — Feelee.md"]
    other = await ask(served, "Where did the band play on 25 September 2002?")
    assert other["answerability"]["verdict"] == "not_in_vault"
    assert other["answerability"]["missing"][0] == "2002-09-25"


async def test_a_question_on_a_month_is_answered_by_what_says_a_day_of_it(served: Served) -> None:
    for day, hall in (("2002-04-21", "Barbican"), ("2002-09-26", "Tochka")):
        text = f"---\nDate: {day}\n---\nThe band performed at {hall}, London.\n"
        await served.call("create_note", path=f"{hall}.md", text=text)
    found = await ask(served, "Where did the band play in September 2002?")
    assert found["citations"][0]["path"] == "Tochka.md"
    assert found["answerability"]["verdict"] == "answered"
    other = await ask(served, "Where did the band play in October 2003?")
    assert (other["answerability"]["verdict"], other["answerability"]["missing"][0]) == ("not_in_vault", "2003-10")


async def test_the_day_that_a_property_says_is_quoted(served: Served) -> None:
    text = "---\nAuthor: Ada Quill\nDate: 22-12-2022\n---\nIl video spiega la regola del ritiro.\n"
    await served.call("create_note", path="Retirement.md", text=text)
    found = await ask(served, "Il video sulla regola del ritiro è del 22 dicembre 2022?")
    assert "Date: 22-12-2022" in [one["quote"] for one in found["citations"]]


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [({}, "answered"), ({"paths": ["Levain.md"]}, "partial"), ({"paths": ["Kitchen.md"]}, "not_in_vault")],
)
async def test_of_two_questions_one_may_be_answered(served: Served, limit: dict[str, Any], verdict: str) -> None:
    found = await ask(served, f"{FED} And how long does rye bread keep?", **limit)
    assert found["answerability"]["verdict"] == verdict


@pytest.mark.parametrize(("text", "answers"), [("on 16 February 1962", "When"), ("in Bath", "Where")])
async def test_a_line_that_says_when_does_not_answer_where(served: Served, text: str, answers: str) -> None:
    await served.call("create_note", path="Ada Quill.md", text=f"# Ada Quill\n\nAda Quill was born {text}.\n")
    for word in ("When", "Where"):
        judged = (await ask(served, f"{word} was Ada Quill born?"))["answerability"]
        assert (judged["verdict"] == "answered") is (word == answers)


async def use_chat_model(served: Served, file: Path, **settings: Any) -> None:
    """Place a chat model and choose it."""
    chosen = {"chat_model": place_chat_model(served.models, file), "chat_threads": 1}
    save_settings(served.bridge.settings_path, {**chosen, **settings})
    await served.bridge.reload()


async def use_script(served: Served, tmp_path: Path, *pieces: str, **settings: Any) -> None:
    await use_chat_model(served, scripted_gguf(tmp_path / "speaker.gguf", {"<|answer|>": pieces}), **settings)


async def events_of(served: Served, **arguments: Any) -> list[tuple[str, Any]]:
    return [one async for one in stream(served, **arguments)]


async def stream(served: Served, **arguments: Any) -> AsyncIterator[tuple[str, Any]]:
    """Yield the events of an answer."""
    headers = {"Authorization": f"Bearer {served.runtime.token}", "Accept": "text/event-stream"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{served.runtime.url}/api/ask", headers=headers, json=arguments) as response,
    ):
        assert response.headers["Content-Type"].startswith("text/event-stream"), await response.text()
        kind = ""
        async for line in response.content:
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                yield kind, json.loads(value)


def workers() -> list[psutil.Process]:
    """Return the chat workers of this process that have not ended."""
    found = []
    for one in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "bridge.models.chat_worker" in one.cmdline():
                found.append(one)
    return found


# -- quoted -----------------------------------------------------------------------------------------------------------


async def test_without_a_chat_model_the_answer_is_quoted(served: Served) -> None:
    found = await ask(served, FED)
    assert found["mode_used"] == "extract"
    first = found["citations"][0]
    assert (first["path"], first["lines"], first["quote"]) == ("Levain.md", [3, 3], LEVAIN)
    assert found["answer"].startswith(f"{LEVAIN} [{first['number']}]")
    assert first["number"] in {one["number"] for one in found["context"]}
    assert found["sentences"][0] == {
        "text": LEVAIN,
        "cites": [first["number"]],
        "supported": True,
    }


async def test_a_question_in_a_script_without_spaces_is_answered(served: Served) -> None:
    assert (await ask(served, "面包的灵魂是什么？"))["citations"][0]["quote"] == "酵母是面包的灵魂。今天天气很好。"


async def test_a_mentioned_note_is_read_whatever_the_question(served: Served) -> None:
    found = await ask(served, "What happened in @[[Kitchen]] with the levain?")
    assert "Kitchen.md" in {one["path"] for one in found["context"]}


async def test_a_mentioned_section_is_read_alone(served: Served) -> None:
    found = await ask(served, "How long does @[[Levain#Storage]] last?", paths=["Kitchen.md"])
    first = found["context"][0]
    assert (first["path"], first["lines"][0]) == ("Levain.md", 5)


async def test_a_mentioned_folder_is_searched_alone(served: Served) -> None:
    found = await ask(served, "What needs a levain in @Bread/ and what not?")
    assert {one["path"] for one in found["context"]} == {"Bread/Rye.md", "Bread/Spelt.md"}


async def test_a_note_can_be_left_out(served: Served) -> None:
    assert "Levain.md" in {one["path"] for one in (await ask(served, FED))["context"]}
    found = await ask(served, f"{FED} @[[Levain]] @[[Rye]]", without=["Levain.md", "Bread"])
    assert {one["path"] for one in found["context"]}.isdisjoint({"Levain.md", "Bread/Rye.md", "Bread/Spelt.md"})


@pytest.mark.parametrize("mention", ["Levein", "Levain#Storege"])
async def test_what_is_mentioned_and_does_not_exist_is_not_answered_by_other_notes(
    served: Served, mention: str
) -> None:
    found = await ask(served, f"@[[{mention}]] {FED}")
    assert (found["answer"], found["citations"], found["context"]) == ("", [], [])
    assert mention in found["notices"][0]
    assert "Levain.md" in found["notices"][0]
    beside = await ask(served, f"@[[{mention}]] @[[Kitchen]] {FED}")
    assert beside["citations"]
    assert any(mention in notice for notice in beside["notices"])


async def test_a_folder_that_is_mentioned_and_does_not_exist_is_told(served: Served) -> None:
    found = await ask(served, f"{FED} @Brot/")
    assert (found["answer"], found["context"]) == ("", [])
    assert found["notices"][0].startswith("`@Brot/` is not searched: ")
    beside = await ask(served, f"{FED} @Brot/ @Bread/")
    assert {one["path"] for one in beside["context"]} <= {"Bread/Rye.md", "Bread/Spelt.md"}
    assert any("`@Brot/`" in notice for notice in beside["notices"])


async def test_a_question_that_refers_to_the_one_before_is_searched_with_its_words(served: Served) -> None:
    history = [{"question": "How often is the levain fed?", "answer": "Twice a day."}]
    for more in ({"question": "Why is it so?", "answer": ""}, None):
        found = await ask(served, "How long does it keep in the fridge?", history=[*history, *filter(None, [more])])
        assert found["citations"][0]["quote"] == "In the fridge it keeps for 2 weeks."
        assert found["answerability"]["verdict"] == "answered"
    kitchen = await ask(served, "What was painted green in May?", history=history)
    assert kitchen == await ask(served, "What was painted green in May?")


async def test_the_first_sentences_of_a_named_note_are_quoted_where_no_word_is_common(served: Served) -> None:
    found = await ask(served, "@[[Kitchen]] what did we do there that day?")
    assert found["answer"].startswith("The kitchen was painted green in May. [1]")


async def test_a_mentioned_note_that_is_only_properties_is_read(served: Served) -> None:
    file = served.bridge.find(None).root / "Trip.md"
    file.write_text("---\nstart: 2026-04-01\nend: 2026-04-19\n---\n", encoding="utf-8")
    await served.call("wait_until_indexed", path="Trip.md")
    found = await ask(served, "@[[Trip]] when does it start")
    assert ("Trip.md", [1, 4]) in [(one["path"], one["lines"]) for one in found["context"]]
    file.write_text("", encoding="utf-8")
    found = await ask(served, f"@[[Trip]] {FED}")
    assert (found["answer"], found["notices"]) == ("", ["The mentioned note `Trip.md` has no text."])


async def test_a_mentioned_note_without_room_is_named(served: Served) -> None:
    (served.bridge.find(None).root / "Long.md").write_text("A long story of the levain. " * 300, encoding="utf-8")
    await served.call("wait_until_indexed", path="Long.md")
    found = await ask(served, "What says @[[Long]]?", budget=100)
    assert "There was no room for the mentioned note `Long.md`." in found["notices"]


async def test_a_question_that_no_note_answers_is_told(served: Served) -> None:
    found = await ask(served, "zeppelins?")
    assert (found["answer"], found["citations"]) == ("", [])
    assert found["notices"][0].startswith("Not in the vault, as far as can be told: the quoted lines do not say")


async def test_a_day_without_a_year_is_answered_from_the_note_of_that_day(served: Served) -> None:
    await write(served, "2026-05-18.md", "Byłam w Krakowie u siostry. Padało cały dzień.\n")
    await write(served, "2026-05-18 Spotkanie.md", "---\ndata: 2026-05-18\n---\nObecni: siostra i hydraulik.\n")
    found = await ask(served, "Co robiłam 18 maja?")
    assert found["citations"][0]["path"] == "2026-05-18.md"
    assert found["answerability"]["verdict"] != "not_in_vault"


async def test_a_property_answers(served: Served) -> None:
    file = served.bridge.find(None).root / "Blade Runner.md"
    for body in ("", "It rains all the time.\n"):
        file.write_text(f"---\nrating: 7\nyear: 1982\n---\n{body}", encoding="utf-8")
        await served.call("wait_until_indexed", path="Blade Runner.md")
        found = await ask(served, "What rating has Blade Runner?")
        assert (found["answer"].split("\n")[0], found["citations"][0]["lines"]) == ("rating: 7 [1]", [2, 2])


async def test_a_property_answers_where_only_the_heading_or_an_alias_names_the_subject(served: Served) -> None:
    root = served.bridge.find(None).root
    (root / "f-0017.md").write_text("---\nrating: 9\n---\n# Metropolis\n\nA city of towers.\n", encoding="utf-8")
    (root / "f-0018.md").write_text("---\naliases: [大都会]\n评分: 8\n---\n未来的城市。\n", encoding="utf-8")
    for question, path, said in (
        ("What rating has Metropolis?", "f-0017.md", "rating: 9"),
        ("大都会的评分是多少？", "f-0018.md", "评分: 8"),
    ):
        await served.call("wait_until_indexed", path=path)
        found = await ask(served, question)
        first = found["citations"][0]
        assert (first["quote"], first["path"]) == (said, path)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("《狩猎》的导演是谁？", "director: 李政宰"),
        ("《狩猎》的评分是多少？", "score: 7.7"),
        ("《狩猎》哪一年上映？", "datePublished: 2022-05-20"),
        ("Chi è il regista di 狩猎?", "director: 李政宰"),
    ],
)
async def test_a_property_that_is_named_in_english_answers_in_another_language(
    served: Served, question: str, said: str
) -> None:
    facts = "date created: 2023-01-24\nscore: 7.7\ndatePublished: 2022-05-20\ndirector: 李政宰"
    await write(served, "狩猎.md", f"---\n{facts}\n---\n# 狩猎\n\n国家安全企划部的故事。\n")
    await write(served, "阅读.md", "《教父》的导演说，第一次通读整篇小说非常重要，评分是多少不重要。\n")
    assert (await ask(served, question))["citations"][0]["quote"] == said


async def test_what_a_quote_says_is_not_called_missing(served: Served) -> None:
    file = served.bridge.find(None).root / "Rooms.md"
    file.write_text("# Rooms\n\nDon't be the smartest person in any room you walk into.\n", encoding="utf-8")
    await served.call("wait_until_indexed", path="Rooms.md")
    found = await ask(served, "Is it wrong to be the smartest person in the room?")
    assert "smartest" in found["answer"]
    assert not any("smartest" in notice for notice in found["notices"])


async def test_where_no_sentence_answers_the_closest_note_is_named(served: Served) -> None:
    file = served.bridge.find(None).root / "Blade Runner.md"
    file.write_text("```\nrating 7, year 1982\n```\n", encoding="utf-8")
    await served.call("wait_until_indexed", path="Blade Runner.md")
    found = await ask(served, "rating Blade Runner")
    assert found["citations"] == []
    assert any("The closest note is *Blade Runner*" in notice for notice in found["notices"])


async def test_a_question_that_the_vault_does_not_answer_is_not_answered(served: Served) -> None:
    found = await ask(served, "How heavy is the retarder of the zeppelin engine?")
    assert (found["answer"], found["sentences"]) == ("", [])
    assert found["answerability"]["verdict"] == "not_in_vault"
    assert any(notice.startswith("Not in the vault") for notice in found["notices"])


async def write(served: Served, path: str, text: str) -> None:
    (served.bridge.find(None).root / path).write_text(text, encoding="utf-8")
    await served.call("wait_until_indexed", path=path)


async def test_rows_of_tables_and_footnotes_answer(served: Served) -> None:
    await write(served, "Market.md", "# Market\n| item | price |\n|---|---|\n| apples | 3 EUR |\n| pears | 4 EUR |\n")
    await write(served, "Trip.md", "# Trip\nTickets cost 12 euros. [^1]\n\n[^1]: Children under 6 travel free.\n")
    assert "apples: price 3 EUR" in (await ask(served, "What is the price of apples?"))["answer"]
    assert (await ask(served, "Do children travel free?"))["answer"].startswith("Children under 6 travel free. [1]")


async def test_what_no_quoted_line_says_is_not_answered(served: Served) -> None:
    await write(served, "Album.md", "Scatology is an album released by Threshold House in the year 1985.\n")
    await write(served, "Pipes.md", "Threshold House was painted. Its blood type is unknown to the house.\n")
    ran = await served.command("ask", "Who founded Threshold House?")
    assert ran.out.splitlines()[0].startswith(
        "Not in the vault, as far as can be told: the quoted lines name no person"
    )
    found = await ask(served, "Who founded Threshold House?")
    assert (found["answerability"]["verdict"], found["answerability"]["missing"]) == (
        "not_in_vault",
        ["who", "founded"],
    )


async def test_a_line_that_leads_to_a_list_is_shown_with_it(served: Served) -> None:
    text = "# Gambit\n\nThe following conditions are needed\n\n* The king is castled;\n* A knight is near;\n"
    await write(served, "Gambit.md", text)
    found = await ask(served, "Which conditions are needed in the gambit?")
    assert found["citations"][0]["quote"].endswith("needed: The king is castled; A knight is near;")


async def test_words_that_different_notes_say_answer_nothing(served: Served) -> None:
    await write(served, "Doctor.md", "The blood pressure was fine at the last visit.\n")
    await write(served, "Values.md", "An integer is a type of number in most programming languages.\n")
    found = await ask(served, "What is my blood type?")
    assert found["answerability"]["verdict"] != "answered"
    assert found["notices"][0].startswith(("Not in the vault", "The quoted lines do not say", "The notes may answer"))


async def test_what_only_code_says_is_told(served: Served) -> None:
    await write(served, "Oven.md", "# Oven\n\nThe oven of the bakery is old.\n\n```yaml\nwattage: 3000\n```\n")
    found = await ask(served, "What wattage has the oven of the bakery?")
    assert any("*Oven* says “wattage” where nothing is quoted" in notice for notice in found["notices"])


async def test_quotes_are_numbered_in_their_order_below_the_verdict(served: Served) -> None:
    ran = await served.command("ask", FED)
    lines = ran.out.splitlines()
    assert lines[0] == "The notes answer this, as far as can be told:"
    assert lines[1].startswith(f"[1] {LEVAIN} · ")
    assert [line[:3] for line in lines[1:]] == [f"[{number}]" for number in range(1, len(lines))]
    found = await ask(served, FED)
    assert found["citations"][0]["number"] == found["context"][0]["number"] == 1


async def test_a_sentence_that_asks_comes_last(served: Served) -> None:
    await write(served, "卡片.md", "什么是卡片笔记法？\n\n卡片笔记法是一种记录想法的方法。\n")
    quotes = [one["quote"] for one in (await ask(served, "什么是卡片笔记法？"))["citations"]]
    assert quotes[0] == "卡片笔记法是一种记录想法的方法。"


async def test_a_question_without_words_is_refused(served: Served) -> None:
    assert (await served.call("ask", question="  ")).code == "invalid_arguments"


async def test_denied_notes_are_no_source(served: Served) -> None:
    save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]})
    await served.bridge.reload()
    assert "million" not in json.dumps(await ask(served, "What is the levain worth?"))
    found = json.dumps(await ask(served, "What is in @[[Plan]]?"))
    assert "There is no note `Plan`" in found
    assert "Secret" not in found


@pytest.mark.model
async def test_what_is_denied_while_an_answer_is_written_is_told_no_more(served: Served, tmp_path: Path) -> None:
    slow: dict[str, Any] = {"answers.answer_tokens": 4096}
    await use_chat_model(served, random_gguf(tmp_path / "slow.gguf", layers=16), **slow)
    quotes: list[str] = []
    async for kind, data in stream(served, question="What is a levain of flour and water worth?"):
        if kind == "quotes":
            quotes.append(json.dumps(data))
        if len(quotes) > 1:
            break
        if kind == "token" and not served.bridge.settings.deny:
            save_settings(served.bridge.settings_path, {"chat_model": "slow", "deny": ["Secret/**"], **slow})
            await served.bridge.reload()
    assert ["Secret/Plan.md" in one for one in quotes] == [True, False]


async def test_what_was_read_is_recorded_for_the_user(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "X-Vaultside-Session": "one"}
    await served.request("POST", "/api/ask", headers=headers, data=json.dumps({"question": FED}).encode())
    given = (await served.call("list_injections")).json
    assert "Levain.md" in json.dumps(given)
    assert "fed?" not in json.dumps(given)


# -- written by a chat model ------------------------------------------------------------------------------------------


async def number_of(served: Served, path: str, **arguments: Any) -> int:
    """Return the number that an excerpt of a note has in a question to the chat model."""
    found = await ask(served, FED, mode="extract", **arguments)
    return int(next(one["number"] for one in found["context"] if one["path"] == path))


@pytest.mark.model
async def test_a_chat_model_writes_the_answer_and_each_sentence_is_checked(served: Served, tmp_path: Path) -> None:
    number = await number_of(served, "Levain.md")
    await use_script(served, tmp_path, "The levain is ", f"fed twice a day [{number}]. ", f"It flies [{number}].")
    found = await ask(served, FED)
    assert found["mode_used"] == "chat"
    assert found["answer"] == f"The levain is fed twice a day [{number}]. It flies [{number}]."
    assert [(one["text"], one["supported"]) for one in found["sentences"]] == [
        ("The levain is fed twice a day.", True),
        ("It flies.", False),
    ]
    assert found["citations"][0]["quote"] == "It is fed twice a day."
    assert found["withheld"] == ""
    assert found["tokens_written"] > 0
    assert found["tokens_read"] > 100


@pytest.mark.model
async def test_an_unsupported_sentence_is_marked_where_it_stands(served: Served, tmp_path: Path) -> None:
    number = await number_of(served, "Levain.md")
    await use_script(served, tmp_path, "The levain is ", f"fed twice a day [{number}]. ", f"It flies [{number}].")
    ran = await served.command("ask", FED)
    said, mark = f"The levain is fed twice a day. [{number}]", f"It flies. [{number}] (not in these notes)"
    assert ran.out.splitlines()[:2] == ["The notes answer this, as far as can be told:", f"{said} {mark}"]
    assert "flies" not in ran.err
    assert "Kitchen.md" not in ran.out + ran.err


@pytest.mark.model
async def test_an_answer_that_is_mostly_unsupported_is_withheld(served: Served, tmp_path: Path) -> None:
    quoted = await ask(served, FED)
    await use_script(served, tmp_path, "It is fed twice a day [1]. ", "It flies [1]. ", "It sings loudly [1].")
    found = await ask(served, FED)
    assert found["withheld"] == "It is fed twice a day [1]. It flies [1]. It sings loudly [1]."
    for name in ("answer", "sentences", "citations", "mode_used"):
        assert found[name] == quoted[name]
    withheld = "What the chat model wrote is withheld: the cited notes do not say 2 of its 3 sentences."
    assert found["notices"][-1] == withheld
    ran = await served.command("ask", FED)
    assert ran.out.splitlines()[1].startswith(f"[1] {LEVAIN} · ")
    assert "sings" not in ran.out + ran.err
    assert "`--json` shows it." in ran.err


@pytest.mark.model
@pytest.mark.parametrize(
    "pieces", [("The levain is ", "fed twice ", "a day [1]. "), ("It is fed twice a day", " and day")]
)
async def test_an_answer_ends_where_it_repeats_itself(served: Served, tmp_path: Path, pieces: tuple[str, ...]) -> None:
    file = scripted_gguf(tmp_path / "parrot.gguf", {"<|answer|>": pieces}, loop=True)
    await use_chat_model(served, file, **{"answers.answer_tokens": 4096})
    found = await ask(served, FED)
    assert (found["withheld"] or found["answer"]) == "".join(pieces).strip()
    assert found["tokens_written"] < 100


@pytest.mark.model
async def test_a_model_is_stopped_when_its_time_is_over(served: Served, tmp_path: Path) -> None:
    slow = random_gguf(tmp_path / "slow.gguf", layers=16)
    await use_chat_model(served, slow, **{"answers.answer_tokens": 4096, "chat_answer_s": 1})
    found = await ask(served, FED, mode="chat")
    assert any("`chat_answer_s` allows it no more time" in notice for notice in found["notices"])
    assert found["citations"][0]["quote"] == LEVAIN
    assert found["tokens_written"] < 4096


@pytest.mark.model
async def test_numbers_of_notes_that_were_not_given_cannot_be_cited(served: Served, tmp_path: Path) -> None:
    await use_script(served, tmp_path, "The levain is fed twice a day [", "99", "]. ")
    found = await ask(served, FED)
    numbers = {one["number"] for one in found["context"]}
    assert all(set(one["cites"]) <= numbers for one in found["sentences"])
    assert "[99]" not in found["answer"]


@pytest.mark.model
async def test_a_model_may_say_that_the_notes_do_not_say(served: Served, tmp_path: Path) -> None:
    await use_script(served, tmp_path, "The notes do not say.")
    found = await ask(served, FED)
    assert (found["answer"], found["sentences"], found["mode_used"]) == ("The notes do not say.", [], "chat")


@pytest.mark.model
async def test_the_quotes_come_before_the_words_of_the_model(served: Served, tmp_path: Path) -> None:
    number = await number_of(served, "Levain.md")
    await use_script(served, tmp_path, "The levain is ", f"fed twice a day [{number}]. ")
    events = await events_of(served, question=FED)
    kinds = [kind for kind, _ in events]
    assert kinds[0] == "quotes"
    assert kinds[-1] == "done"
    assert "".join(data for kind, data in events if kind == "token").strip() == events[-1][1]["answer"]
    assert events[0][1]["mode_used"] == "extract"


async def test_without_a_chat_model_a_stream_has_only_its_end(served: Served) -> None:
    ((kind, answer),) = await events_of(served, question=FED)
    assert kind == "done"
    assert answer["mode_used"] == "extract"


async def test_an_error_before_the_first_part_is_the_status_of_a_stream(served: Served) -> None:
    headers = {"Authorization": f"Bearer {served.runtime.token}", "Accept": "text/event-stream"}
    answer = await served.request("POST", "/api/ask", headers=headers, data=b'{"question": " "}')
    assert (answer.status, answer.code) == (400, "invalid_arguments")


@pytest.mark.model
async def test_leaving_a_stream_ends_the_answer(served: Served, tmp_path: Path) -> None:
    await use_chat_model(served, random_gguf(tmp_path / "slow.gguf", layers=16), **{"answers.answer_tokens": 4096})
    generator = await served.bridge.generators.current()
    async for kind, _ in stream(served, question=FED):
        if kind == "token":
            break
    async with asyncio.timeout(PATIENCE_S):
        while generator.is_speaking:
            await asyncio.sleep(0.01)
    assert generator.answers <= 1


@pytest.mark.model
async def test_a_model_that_dies_in_mid_answer_leaves_the_quotes(served: Served, tmp_path: Path) -> None:
    await use_chat_model(served, random_gguf(tmp_path / "slow.gguf", layers=16), **{"answers.answer_tokens": 4096})
    events = []
    async for event in stream(served, question=FED):
        events.append(event)
        if event[0] == "token" and len(workers()) == 1:
            workers()[0].kill()
    kind, answer = events[-1]
    assert kind == "done"
    assert answer["mode_used"] == "extract"
    assert answer["citations"][0]["quote"] == LEVAIN
    assert any("died" in notice for notice in answer["notices"])


async def test_a_chosen_model_that_is_missing_is_told_and_quotes_answer(served: Served) -> None:
    save_settings(served.bridge.settings_path, {"chat_model": "qwen3.5-2b"})
    await served.bridge.reload()
    found = await ask(served, FED)
    assert found["mode_used"] == "extract"
    assert any("models install qwen3.5-2b" in notice for notice in found["notices"])


async def test_the_mode_chat_needs_a_model(served: Served) -> None:
    answer = await served.call("ask", question=FED, mode="chat")
    assert (answer.status, answer.code) == (404, "model_missing")
    assert "models install" in answer.json["error"]["hint"]


@pytest.mark.model
@pytest.mark.parametrize("window", [512, 700])
async def test_excerpts_that_do_not_fit_the_window_are_left_out(served: Served, tmp_path: Path, window: int) -> None:
    await use_script(served, tmp_path, "It is fed twice a day [1]. ", chat_window=window)
    found = await ask(served, FED, budget=2_000)
    assert found["tokens_read"] < window or found["mode_used"] == "extract"


@pytest.mark.model
async def test_earlier_turns_are_part_of_the_prompt(served: Served, tmp_path: Path) -> None:
    await use_script(served, tmp_path, "It is fed twice a day [1]. ")
    alone = await ask(served, FED)
    turn = {"question": "What is a levain?", "answer": "A starter of flour and water [1]."}
    assert (await ask(served, FED, history=[turn]))["tokens_read"] > alone["tokens_read"]


@pytest.mark.model
async def test_agents_get_an_answer(served: Served, tmp_path: Path) -> None:
    await use_script(served, tmp_path, "It is fed twice a day [1]. ")
    async with connected(served) as client:
        text = text_of(await client.call_tool("run_tool", {"name": "ask", "arguments": {"question": FED}}))
    assert "It is fed twice a day. [1]" in text
    assert "Levain.md:3" in text


@pytest.mark.model
async def test_the_model_ends_when_the_bridge_stops_using_it(served: Served, tmp_path: Path) -> None:
    await use_script(served, tmp_path, "It is fed twice a day [1]. ")
    await ask(served, FED)
    assert len(workers()) == 1
    await served.bridge.generators.close()
    assert workers() == []
