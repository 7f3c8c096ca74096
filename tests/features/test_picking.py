"""Choosing where a link leads, which learns from what was chosen."""

from typing import Any

from tests.features.served import Served

NOTES = {
    "Old Rye Starter.md": "---\naliases: [Gertrude]\n---\nFed daily.\n",
    "Diary.md": "A diary of rye.\n",
    "Spelt.md": "A grain, like rye. Gertrude likes it.\n",
    "Ovens.md": "Heat.\n",
}


async def picked(served: Served, words: str, **arguments: Any) -> list[str]:
    answer = await served.call("pick_link", words=words, path="Diary.md", **arguments)
    return [hit["path"] for hit in answer.json["hits"]]


async def chose(served: Served, target: str, text: str, verdict: str = "accept") -> None:
    answer = await served.call("judge_link", path="Diary.md", target=target, text=text, verdict=verdict)
    assert answer.status == 200


async def test_names_lead_and_the_note_itself_is_never_found(served: Served) -> None:
    assert await picked(served, "gertr") == ["Old Rye Starter.md"]
    assert await picked(served, "gertrude") == ["Old Rye Starter.md", "Spelt.md"]
    assert await picked(served, "diary") == []
    assert len(await picked(served, "rye", limit=1)) == 1


async def test_the_note_whose_name_the_words_begin_comes_first(served: Served) -> None:
    folder = served.bridge.find(None).root / "Templates"
    folder.mkdir()
    # Templates come last, but not the one that is being typed; a name that is not finished lacks no word.
    for name in ("Rye sheet", "Rye"):
        (folder / f"{name}.md").write_text("A form for rye and shelves.\n", encoding="utf-8")
        await served.call("wait_until_indexed", path=f"Templates/{name}.md")
    answer = (await served.call("pick_link", words="rye she")).json
    assert (answer["hits"][0]["path"], answer.get("answerability")) == ("Templates/Rye sheet.md", None)


async def test_what_was_chosen_for_the_words_comes_first_even_if_nothing_speaks_for_it(served: Served) -> None:
    await chose(served, "Ovens.md", "Gertrude's home")
    for words in ("gertrude's home", "Gertr"):
        assert (await picked(served, words))[0] == "Ovens.md"
    assert "Ovens.md" not in await picked(served, "ge")
    assert "Ovens.md" not in await picked(served, "home of rye")
    first = (await served.call("pick_link", words="gertrude's home")).json["hits"][0]
    assert (first["title"], first["why"][0]) == ("Ovens", "chosen before")


async def test_the_more_often_chosen_lead_and_what_was_declined_does_not(served: Served) -> None:
    for target in ("Ovens.md", "Spelt.md", "Spelt.md"):
        await chose(served, target, "gertrude")
    assert await picked(served, "gertrude") == ["Spelt.md", "Ovens.md", "Old Rye Starter.md"]
    await chose(served, "Ovens.md", "gertrude", "decline")
    assert await picked(served, "gertrude") == ["Spelt.md", "Old Rye Starter.md"]
