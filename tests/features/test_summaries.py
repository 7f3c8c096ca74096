"""Summaries of notes, by their own sentences or by chat models whose behaviour is known."""

from pathlib import Path
from typing import Any

import pytest

from bridge.features.summaries import write as summary_writing
from bridge.search.sentences import iter_sentences
from bridge.settings.file import save_settings
from tests.features.served import Served
from tests.index.made import learn_from
from tests.mcp.client import connected, text_of
from tests.models.scripted import place_chat_model, scripted_gguf

LEVAIN = """\
---
tags: [bread]
---
# Levain

A levain is a starter of flour and water that raises
sourdough bread.[^1] It is fed twice a day.

> [!info] Picture
> Left the levain of flour and water, right the sourdough bread.

## Feeding

- Discard half of the levain before it is fed
- Add flour and water in equal parts

| when | how much |
|---|---|
| morning | a levain of 100 g |

```
the levain = flour + water
```

The kitchen was painted green in May. A levain that is not fed turns sour and gray.

[^1]: A book about a levain of flour and water.
"""
NOTES = {
    "Levain.md": LEVAIN,
    "Bread/Rye.md": "#bread\n\nRye bread needs a levain. It keeps for a week.\n",
    "Bread/Empty.md": "# Nothing\n",
    "中文.md": "酵母是面包的灵魂。今天天气很好。没有酵母就没有面包。\n",
    "Secret/Plan.md": "The levain is worth a million. #bread\n",
}

APPEND = {"op": "append", "text": "Caraway goes well with rye."}


async def test_properties_come_first_where_the_text_does_not_name_its_subject(served: Served) -> None:
    facts = "---\ncategories: Books\nauthor: E. M. Forster\nyear: 1909\n---\n"
    quotes = "There were buttons everywhere to call for food. There was the hot bath.\n"
    for text, first in (
        (quotes, "categories: Books, author: E. M. Forster"),
        (f"People live in the machine. {quotes}", "People live"),
    ):
        await write(served, "Machine.md", facts + text)
        told = (await served.call("summarise", paths=["Machine.md"])).json["sentences"]
        assert told[0]["text"].startswith(first)


async def test_a_beginning_below_empty_sections_is_told_with_its_heading(served: Served) -> None:
    era = "## Moon years\n\nThis era brought quieter music. It ended in 2002.\n"
    for text, begins in (
        (f"# Band\n\n## First years\n\n{era}", "Moon years: This era"),
        (f"# Band\n\n{era}", "This era"),
    ):
        (served.bridge.find(None).root / "Band.md").write_text(text, encoding="utf-8")
        await served.bridge.find(None).vault.indexer.look_at(["Band.md"])
        assert (await served.call("summarise", paths=["Band.md"])).json["text"].startswith(begins)


async def test_a_property_tells_the_alias_of_a_link(served: Served) -> None:
    await write(
        served, "Song.md", "---\ntype: Song\non:\n- [[Discs/Loaves, Vol. 2|Loaves, Vol. 2]]\n- [[Crumbs]]\n---\n"
    )
    assert (await served.call("summarise", paths=["Song.md"])).json["text"] == "type: Song, on: Loaves, Vol. 2, Crumbs"


async def test_an_item_that_recurs_in_other_notes_is_told_in_its_list(served: Served) -> None:
    other = "1. [[The Long Song]]\n"
    await served.bridge.find(None).vault.index.use_boilerplate(learn_from([other] * 9))
    for text, told in (
        (f"1. [[Something]]\n{other}2. [[A Fall of Snow]]\n", "Night: Something, The Long Song, A Fall of Snow"),
        (f"{other}2. Something fell from the sky that night.\n", "Something fell from the sky that night."),
    ):
        await write(served, "Night.md", text)
        assert (await served.call("summarise", paths=["Night.md"])).json["text"] == told


async def test_rows_stand_for_a_note_that_is_a_table(served: Served) -> None:
    text = "# Market\n| item | price |\n|---|---|\n| apples | 3 EUR |\n"
    (served.bridge.find(None).root / "Market.md").write_text(text, encoding="utf-8")
    await served.call("wait_until_indexed", path="Market.md")
    assert (await served.call("summarise", paths=["Market.md"])).json["text"] == "apples: price 3 EUR"


async def write(served: Served, path: str, text: str) -> None:
    file = served.bridge.find(None).root / path
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    await served.call("wait_until_indexed", path=path)


async def summarise(served: Served, **arguments: Any) -> dict[str, Any]:
    found: dict[str, Any] = await served.result("summarise", **arguments)
    return found


async def test_what_the_author_says_of_a_note_comes_first(served: Served) -> None:
    for described, rest in (
        ("What horses eat.", ["Oats grow in the north.", "They are cut late."]),
        ("How oats grow in the cold north.", ["They are cut late.", "Nobody sows them twice."]),
    ):
        text = (
            f"---\ndescription: {described}\n---\nOats grow in the north. They are cut late. Nobody sows them twice.\n"
        )
        await write(served, "Bread/Oats.md", text)
        said = (await summarise(served, paths=["Bread/Oats.md"]))["sentences"]
        assert [one["text"] for one in said] == [described, *rest]
        assert said[0]["lines"] == [1, 3]


async def test_a_line_that_says_more_than_the_property_takes_its_place_and_lines_alike_are_told_apart(
    served: Served,
) -> None:
    for name, text in (
        ("Solstice", "Solstice is an official single by the quartet, released in June by Threshold House."),
        ("Equinox", "Equinox is what the players made after a long winter."),
        ("Perihelion", "Perihelion is what they made when it was over."),
    ):
        await write(served, f"Music/{name}.md", f"---\ndescription: A single by the quartet\n---\n{text}\n")
    found = await summarise(served, paths=["Music"], length="line")
    assert [one["text"] for one in found["sentences"]] == [
        "Equinox is what the players made after a long winter.",
        "Perihelion is what they made when it was over.",
        "Solstice is an official single by the quartet, released in June by Threshold House.",
    ]
    found = await summarise(served, paths=["Music/Equinox.md"], length="line")
    assert found["text"] == "A single by the quartet"


async def test_the_sentences_stand_in_the_note(served: Served) -> None:
    found = await summarise(served, paths=["Levain.md"])
    assert found["sentences"][0] == {
        "text": "A levain is a starter of flour and water that raises sourdough bread.",
        "path": "Levain.md",
        "lines": [6, 7],
        "group": "",
    }
    assert found["text"] == " ".join(one["text"] for one in found["sentences"])
    assert [one["lines"] for one in found["sentences"]] == sorted(one["lines"] for one in found["sentences"])
    assert (found["notes"], len(found["sentences"])) == (1, 3)


async def test_several_notes_say_a_line_each_with_a_link_by_folder(served: Served) -> None:
    await write(served, "Bread/Oats.md", "---\ndescription: What horses eat.\n---\nOats grow in the north.\n")
    await write(served, "Bread/Card.md", "---\nkind: [flour]\ngrain: wheat\ncreated: 2026-01-01\n---\n")
    found = await summarise(served, paths=["Bread", "Levain.md"], length="long")
    assert [(one["group"], one["path"]) for one in found["sentences"]] == [
        ("", "Levain.md"),
        ("Bread", "Bread/Card.md"),
        ("Bread", "Bread/Oats.md"),
        ("Bread", "Bread/Rye.md"),
    ]
    assert found["text"].split("\n") == [
        "- [[Levain]]: A levain is a starter of flour and water that raises sourdough bread.",
        "**Bread**",
        "",
        "- [[Card]]: kind: flour, grain: wheat",
        "- [[Oats]]: What horses eat.",
        "- [[Rye]]: Rye bread needs a levain.",
    ]
    assert found["notices"] == ["There is nothing to sum up yet in Bread/Empty.md."]


async def test_what_a_thing_is_for_is_told_alone_and_among_several(served: Served) -> None:
    await write(served, "Bread/Scale.md", "---\npurpose: weighs flour and salt\n---\nThe new one is far too dear.\n")
    await write(served, "Bread/Filler.md", "Lorem ipsum dolor sit amet.\n\n![[Oven.jpg]]\n*Left: the oven in 1985*\n")
    found = await summarise(served, paths=["Bread"])
    told = {one["path"]: one["text"] for one in found["sentences"]}
    assert told["Bread/Scale.md"] == "weighs flour and salt"
    assert told["Bread/Scale.md"] == (await summarise(served, paths=["Bread/Scale.md"], length="line"))["text"]
    assert "Bread/Filler.md" not in told


async def test_dated_notes_are_told_by_time_and_each_month_is_heard(served: Served) -> None:
    for day in ("2026-01-05", "2026-03-01", *(f"2026-03-{number}" for number in range(10, 20))):
        await write(served, f"Daily/{day}.md", f"On {day} the starter was fed.\n")
    found = await summarise(served, paths=["Daily"], length="line")
    assert [(one["group"], one["path"][6:16]) for one in found["sentences"]] == [
        ("2026-03", "2026-03-19"),
        ("2026-03", "2026-03-18"),
        ("2026-03", "2026-03-17"),
        ("2026-03", "2026-03-16"),
        ("2026-01", "2026-01-05"),
    ]
    assert (found["notes"], found["left_out"]) == (5, 7)


async def test_a_focus_ranks_the_notes(served: Served) -> None:
    await write(served, "Bread/Price.md", "A loaf weighs a kilogram. The price of a loaf is 3 EUR.\n")
    await write(served, "Bread/Zopf.md", "It is braided. The price of a loaf of Zopf is 4 EUR.\n")
    # Its name says that it is about it.
    await write(served, "Bread/Price of a loaf.md", "Nobody wrote it down in this house.\n")
    found = await summarise(served, paths=["Bread", "Levain.md"], focus="price of a loaf")
    assert {one["text"] for one in found["sentences"]} == {
        "The price of a loaf is 3 EUR.",
        "The price of a loaf of Zopf is 4 EUR.",
        "Nobody wrote it down in this house.",
    }
    assert found["left_out"] == 3
    found = await summarise(served, paths=["Bread/Rye.md"], focus="zeppelin")
    assert found["notices"] == ["Nothing is said of “zeppelin”, so here is the beginning of Bread/Rye.md."]


async def test_notes_that_say_most_of_a_focus_are_told_and_no_others(served: Served) -> None:
    await write(served, "Bread/Price.md", "A loaf weighs a kilogram. The price of a loaf is 3 EUR.\n")
    await write(served, "Bread/Loaf.md", "A loaf cools on a rack. Nobody cuts a warm loaf.\n")
    await write(served, "Bread/Price list.md", "---\ngoods: price of a loaf\nyear: 2024\n---\n")
    found = await summarise(served, paths=["Bread", "Levain.md"], focus="price of a loaf")
    assert {one["path"]: one["text"] for one in found["sentences"]} == {
        "Bread/Price.md": "The price of a loaf is 3 EUR.",
        "Bread/Price list.md": "goods: price of a loaf, year: 2024",
    }
    found = await summarise(served, paths=["Bread", "Levain.md"], focus="cools on a rack in Zurich")
    assert found["notices"] == ["No note says all of “cools on a rack in Zurich”; these say part of it."]
    found = await summarise(served, paths=["Bread"], focus="zeppelin")
    assert (found["sentences"], found["notices"]) == ([], ["No note says “zeppelin”."])


async def test_words_that_no_note_says_do_not_keep_notes_out_that_say_the_rest(served: Served) -> None:
    await write(served, "Bread/1.md", "A recording of this was released as Live One. It sold well.\n")
    await write(served, "Bread/2.md", "## Rye tapes\n\nIt was released as a recording of two hours in spring.\n")
    for name in "abcdef":
        await write(served, f"Other {name}.md", "A recording was released, and a tape was released as a recording.\n")
    await write(served, "Zeppelin.md", "A zeppelin flew over the bakery.\n")
    found = await summarise(served, paths=["Bread"], focus="recordings released of the zeppelin")
    assert {one["path"]: one["text"] for one in found["sentences"]} == {
        "Bread/1.md": "A recording of this was released as Live One.",
        # What goes on from a heading is told with it.
        "Bread/2.md": "Rye tapes: It was released as a recording of two hours in spring.",
    }
    assert found["notices"] == ["No note says all of “recordings released of the zeppelin”; these say part of it."]


async def test_each_part_of_a_focus_is_told_and_no_bare_name(served: Served) -> None:
    await write(served, "Bread/Kiln.md", "The kiln is heated with beech wood.\n")
    await write(served, "Bread/Malt 1.md", "Malt makes the crust brown. Malt is sweet. Malt is made of barley.\n")
    await write(served, "Bread/Malt 2.md", "Too much malt makes the crumb sticky.\n")
    await write(
        served,
        "Bread/List.md",
        "All pages are named here below.\n\n- Kiln\n- Beech and oak wood\n- The malt of Malt 1\n",
    )
    found = await summarise(served, paths=["Bread"], focus="kiln and malt")
    assert found["notices"] == ["No note says all of “kiln and malt”; these say part of it."]
    told = {one["path"]: one["text"] for one in found["sentences"]}
    assert told["Bread/Kiln.md"] == "The kiln is heated with beech wood."
    assert {"Bread/Malt 1.md", "Bread/Malt 2.md"} <= told.keys()
    assert "Kiln" not in told.values()


async def test_an_unfilled_page_is_told_by_its_properties_with_a_notice(served: Served) -> None:
    text = "---\nlabel: Torso\nyear: 1991\n---\n# Page\n\nTruth is a song by [ARTIST NAME], released in 1991.\n"
    await write(served, "Page.md", text)
    found = await summarise(served, paths=["Page.md"])
    assert (found["text"], found["notices"]) == (
        "label: Torso, year: 1991",
        ["Only the properties are filled in yet in Page.md."],
    )


async def test_indexes_come_last_of_several_notes(served: Served) -> None:
    await write(served, "Bread/All.md", "- [[Rye]]\n- [[Oats]]\n- [[Price of bread]]\n")
    for name in ("Rye", "Oats", "Price of bread"):
        await write(served, f"Bread/{name}.md", f"{name} has been known for long. See [[All]].\n")
    found = await summarise(served, paths=["Bread"])
    assert {one["path"]: one["text"] for one in found["sentences"]}[
        "Bread/All.md"
    ] == "Links: Rye, Oats, Price of bread"
    for number in range(3):
        await write(served, f"Bread/More {number}.md", f"More of it is said on day {number}.\n")
    found = await summarise(served, paths=["Bread"], length="line")
    assert "Bread/All.md" not in {one["path"] for one in found["sentences"]}


@pytest.mark.parametrize(("length", "most"), [("line", 1), ("short", 3), ("long", 10)])
async def test_a_length_is_a_number_of_sentences(served: Served, length: str, most: int) -> None:
    found = await summarise(served, paths=["Levain.md"], length=length)
    texts = [one["text"] for one in found["sentences"]]
    assert 1 <= len(texts) <= most
    assert not any(word in text for text in texts for word in ("morning", "=", "[^", "A book"))


async def test_a_focus_changes_the_choice(served: Served) -> None:
    found = await summarise(served, paths=["Levain.md"], length="line", focus="the colour of the kitchen")
    assert found["text"] == "The kitchen was painted green in May."


async def test_notes_are_chosen_by_folder_tag_time_and_session(served: Served) -> None:
    assert (await summarise(served, paths=["Bread"]))["notes"] == 2
    tagged = await summarise(served, tags=["bread"], length="long")
    assert {one["path"] for one in tagged["sentences"]} == {"Levain.md", "Bread/Rye.md", "Secret/Plan.md"}
    nothing = await summarise(served, modified_after="tomorrow")
    assert (nothing["sentences"], nothing["notices"]) == ([], ["There is no such note."])
    settings = served.bridge.find(None).root / ".obsidian/templates.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text('{"folder": "Bread"}')
    nothing = await summarise(served, paths=["Bread"])
    assert (nothing["sentences"], nothing["notices"]) == ([], ["There are only templates; name one by its path."])
    settings.unlink()
    await served.result("edit_note", path="Bread/Rye.md", edits=[APPEND])
    [change] = (await served.call("list_changes", limit=1)).json["changes"]
    found = await summarise(served, session=change["session"])
    assert {one["path"] for one in found["sentences"]} == {"Bread/Rye.md"}
    assert (await summarise(served, session="nobody"))["notes"] == 0


async def test_a_script_without_spaces_is_summarised(served: Served) -> None:
    found = await summarise(served, paths=["中文.md"], length="line")
    assert found["text"] == "酵母是面包的灵魂。"


async def test_what_is_missing_is_said(served: Served) -> None:
    nothing = await served.call("summarise")
    assert (nothing.code, "`paths`" in nothing.json["error"]["hint"]) == ("invalid_arguments", True)
    missing = await served.call("summarise", paths=["Levian.md"])
    assert (missing.code, missing.json["error"]["closest"][0]) == ("note_not_found", "Levain.md")
    empty = await summarise(served, paths=["Bread/Empty.md"])
    assert (empty["sentences"], empty["notices"]) == ([], ["There is nothing to sum up yet in Bread/Empty.md."])


async def test_denied_notes_are_not_summarised(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
    found = await summarise(served, tags=["bread"], length="long")
    assert "million" not in str(found)
    assert (await served.call("summarise", paths=["Secret"])).code == "note_not_found"


async def test_agents_read_each_sentence_with_its_place(served: Served) -> None:
    async with connected(served) as client:
        called = {"name": "summarise", "arguments": {"paths": ["Levain.md"], "length": "line"}}
        text = text_of(await client.call_tool("run_tool", called))
    assert text.endswith("\nA levain is a starter of flour and water that raises sourdough bread. · Levain.md:6-7")


async def test_sentences_are_those_of_prose(served: Served) -> None:
    from bridge.api.note_text import open_note
    from bridge.types import VaultPath

    note = open_note(served.bridge.find(None).vault, VaultPath("Levain.md"))
    assert [one.text for one in iter_sentences(note)] == [
        "A levain is a starter of flour and water that raises sourdough bread.",
        "It is fed twice a day.",
        "Picture Left the levain of flour and water, right the sourdough bread.",
        "Discard half of the levain before it is fed",
        "Add flour and water in equal parts",
        "The kitchen was painted green in May.",
        "A levain that is not fed turns sour and gray.",
    ]


# -- written by a chat model ------------------------------------------------------------------------------------------


async def use_script(served: Served, file: Path, *pieces: str, **settings: Any) -> None:
    """Choose a chat model that always writes the same."""
    id_ = place_chat_model(served.models, scripted_gguf(file, {"<|answer|>": pieces}))
    save_settings(served.bridge.settings_path, {"chat_model": id_, "chat_threads": 1, **settings})
    await served.bridge.reload()


@pytest.mark.model
async def test_a_chat_model_writes_and_unsupported_sentences_are_left_out(served: Served, tmp_path: Path) -> None:
    await use_script(served, tmp_path / "a.gguf", "The levain is fed twice a day [1]. ", "It flies [1].")
    found = await summarise(served, paths=["Levain.md"])
    assert (found["mode_used"], found["text"], found["cached"]) == ("chat", "The levain is fed twice a day.", False)
    assert [one["text"] for one in found["sentences"]] == ["The levain is fed twice a day."]
    assert [(one["path"], one["lines"]) for one in found["sentences"]] == [("Levain.md", [7, 7])]
    assert found["notices"] == ["Left out: 1 sentence of the chat model that the notes do not support."]
    assert found["tokens_read"] > found["tokens_written"] > 0


@pytest.mark.model
async def test_nothing_is_written_twice_until_a_note_changes(served: Served, tmp_path: Path) -> None:
    await use_script(served, tmp_path / "a.gguf", "The levain is fed twice a day [1].")
    first = await summarise(served, paths=["Levain.md"])
    again = await summarise(served, paths=["Levain.md"])
    assert again == {**first, "cached": True}
    assert (await served.bridge.generators.current()).answers == 1
    await served.result("edit_note", path="Levain.md", edits=[APPEND])
    assert not (await summarise(served, paths=["Levain.md"]))["cached"]


@pytest.mark.model
async def test_what_the_notes_do_not_support_gives_way_to_their_own_sentences(served: Served, tmp_path: Path) -> None:
    await use_script(served, tmp_path / "a.gguf", "Zeppelins fly over 40 mountains [1].")
    found = await summarise(served, paths=["Levain.md"])
    assert found["mode_used"] == "extract"
    assert found["notices"] == ["The notes support no sentence that the chat model wrote."]
    assert len(found["sentences"]) == 3


@pytest.mark.model
async def test_a_summary_for_which_the_time_is_too_short_is_told(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await use_script(served, tmp_path / "a.gguf", "The levain is fed twice a day [1].")
    monkeypatch.setattr(summary_writing, "deadline", lambda _: 0.0)
    late = await served.call("summarise", paths=["Levain.md"], mode="chat")
    assert (late.status, late.code) == (503, "model_missing")
    assert "`chat_answer_s` allows it no more time" in late.json["error"]["message"]
    found = await summarise(served, paths=["Levain.md"])
    assert found["mode_used"] == "extract"
    assert "`chat_answer_s` allows it no more time" in found["notices"][0]
    monkeypatch.undo()
    assert not (await summarise(served, paths=["Levain.md"]))["cached"]


@pytest.mark.model
async def test_notes_longer_than_the_window_are_read_in_parts(served: Served, tmp_path: Path) -> None:
    root = served.bridge.find(None).root
    paths = [f"Rye {number}.md" for number in range(8)]
    for path in paths:
        (root / path).write_text("Rye bread keeps for a week and needs a levain. " * 30, encoding="utf-8")
    for path in paths:
        await served.call("wait_until_indexed", path=path)
    await use_script(served, tmp_path / "a.gguf", "Rye bread keeps for a week [", "1", "]. ", chat_window=2048)
    found = await summarise(served, paths=paths, length="line", mode="chat")
    assert [one["text"] for one in found["sentences"]] == ["Rye bread keeps for a week."]
    assert found["mode_used"] == "chat"
    assert (await served.bridge.generators.current()).answers > 2


async def test_the_mode_chat_needs_a_model(served: Served) -> None:
    answer = await served.call("summarise", paths=["Levain.md"], mode="chat")
    assert (answer.status, answer.code) == (404, "model_missing")
