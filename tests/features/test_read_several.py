"""Several notes in one call, the outline of a long one."""

from typing import Any

import pytest

from bridge.features.notes.read import share_budget
from bridge.settings.file import save_settings
from tests.features.served import Served
from tests.mcp.client import connected, text_of

LONG = "# Log\n\n" + "".join(f"## Day {day}\n\n{'Much happened. ' * 40}\n\n" for day in range(1, 21))
NOTES = {
    "Rye.md": "---\nstatus: done\n---\n# Rye\n\nDark.\n\n## Baking\n\nAn hour.\n\n"
    "## Notes\n\nOne.\n\n## Notes\n\nTwo.\n",
    "Garden/Beans.md": "# Beans\n\nSown in May.\n",
    "Log.md": LONG,
    "Secret/Plan.md": "# Plan\n\nNobody knows.\n",
    "A/Same.md": "One.\n",
    "B/Same.md": "Other.\n",
}


async def read(served: Served, *paths: str, **arguments: Any) -> list[dict[str, Any]]:
    answer = await served.result("read_notes", paths=paths, **arguments)
    assert [part["asked"] for part in answer["notes"]] == list(paths)
    parts: list[dict[str, Any]] = answer["notes"]
    return parts


async def test_each_is_read_as_if_alone(served: Served) -> None:
    rye, beans = await read(served, "Rye.md", "[[Beans]]")
    for part, path in ((rye, "Rye.md"), (beans, "Garden/Beans.md")):
        alone = (await served.call("read_note", path=path)).json
        assert part["note"] == {**alone, "next": None, "outline": None}


async def test_one_that_cannot_be_read_is_told_in_its_place(served: Served) -> None:
    missing, ambiguous, outside, rye = await read(served, "Rey.md", "Same", "../x.md", "Rye")
    assert missing["note"] is ambiguous["note"] is outside["note"] is None
    assert missing["problem"] == "note_not_found: There is no note `Rey.md`; the closest is `Rye.md`."
    assert "`A/Same.md`, `B/Same.md`" in ambiguous["problem"]
    assert outside["problem"].startswith("outside_vault: ")
    assert (rye["note"]["path"], rye["problem"]) == ("Rye.md", None)


async def test_sections_are_read(served: Served) -> None:
    rye, link, beans, none = await read(served, "Rye.md#Baking", "[[Rye#Rye#Baking]]", "Beans", "Log", section="Beans")
    assert rye["note"]["text"] == link["note"]["text"] == "## Baking\n\nAn hour.\n\n"
    assert beans["note"]["text"] == NOTES["Garden/Beans.md"]
    assert none["problem"].startswith("heading_not_found: ")


async def test_a_head_is_the_properties_and_the_first_lines(served: Served) -> None:
    rye, log = await read(served, "Rye", "Log", view="head")
    assert rye["note"]["properties"] == {"status": "done"}
    assert rye["note"]["text"].startswith("# Rye\n")
    assert len(log["note"]["text"]) <= 600
    assert log["note"]["next"]


async def test_long_notes_are_cut_first_and_can_be_read_on(served: Served) -> None:
    log, beans, rye = await read(served, "Log.md", "Beans", "Rye", max_chars=2_000)
    assert beans["note"]["text"] == NOTES["Garden/Beans.md"]
    assert rye["note"]["text"] == NOTES["Rye.md"]
    assert sum(len(part["note"]["text"]) for part in (log, beans, rye)) <= 2_000
    text = log["note"]["text"]
    rest = (await served.call("read_note", path="Log.md", **log["note"]["next"])).json
    assert text + rest["text"] == LONG


async def test_an_outline_says_where_each_section_is(served: Served) -> None:
    note = (await served.call("read_note", path="Rye", outline=True)).json
    assert note["text"] == ""
    assert [(one["heading"], one["lines"], one["chars"]) for one in note["outline"]] == [
        ("Rye", [4, 18], len(NOTES["Rye.md"]) - len("---\nstatus: done\n---\n")),
        ("Rye > Baking", [8, 11], len("## Baking\n\nAn hour.\n\n")),
        ("Rye > Notes (line 12)", [12, 15], len("## Notes\n\nOne.\n\n")),
        ("Rye > Notes (line 16)", [16, 18], len("## Notes\n\nTwo.\n")),
    ]
    # Sections of one name are told apart by their lines.
    for one, text in zip(note["outline"][2:], ("One.", "Two."), strict=True):
        assert text in (await served.call("read_note", path="Rye", lines=one["lines"])).json["text"]
    (log,) = await read(served, "Log", view="outline", max_chars=1)
    assert len(log["note"]["outline"]) == 21
    assert (await served.call("read_note", path="Rye", outline=True, section="Rye")).code == "invalid_arguments"
    assert "outline" not in (await served.call("read_note", path="Rye")).json


async def test_a_model_sees_where_each_text_ends(served: Served) -> None:
    async with connected(served) as client:
        text = text_of(await client.call_tool("read_notes", {"paths": ["Rye", "Nope", "Beans#Beans"]}))
        digest = (await served.call("read_note", path="Rye")).json["digest"][:12]
        assert f"up to `--- end of {digest} ---` ---\n{NOTES['Rye.md']}--- end of {digest} ---\n" in text
        assert "\nNope · note_not_found: There is no note `Nope`" in text
        outline = text_of(await client.call_tool("read_note", {"path": "Rye", "outline": True}))
        assert "\n8-11 ## Baking (" in outline
        assert outline.endswith("16-18 # Rye > Notes (line 16) (15 characters)")
        assert "status: done" in outline


@pytest.mark.parametrize("arguments", [{"paths": []}, {"paths": ["Rye"] * 21}, {"paths": ["Rye"], "view": "all"}])
async def test_odd_questions_are_refused(served: Served, arguments: dict[str, Any]) -> None:
    assert (await served.call("read_notes", **arguments)).code == "invalid_arguments"


async def test_what_is_denied_is_missing(served: Served) -> None:
    await served.bridge.use(save_settings(served.bridge.settings_path, {"deny": ["Secret/**"]}))
    denied, missing = await read(served, "Secret/Plan.md", "Secret/Plam.md")
    assert denied["problem"] == missing["problem"].replace("Plam", "Plan")


def test_short_notes_are_whole_and_long_ones_share_the_rest() -> None:
    assert share_budget([100, 5_000, 9_000], 6_100) == [100, 3_000, 3_000]
    assert share_budget([10, 10], 1_000) == [10, 10]
    assert share_budget([5, 5, 5], 2) == [0, 1, 1]
    assert share_budget([], 10) == []
