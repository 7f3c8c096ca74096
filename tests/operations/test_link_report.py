"""What could be better about the links of a vault."""

from pathlib import Path
from typing import Any

import pytest

from tests.operations.served import Served, readable, serving, write_vault

NOTES = {
    "Old Rye Starter.md": "---\naliases: [Gertrude]\n---\nFed daily.\n",
    "Turbopump.md": "Spins.\n",
    "2024-01-01.md": "A day.\n",
    "a/Index.md": "See [[Gertrude]], [[turbo-pump]] and [[Bokashi]].\n",
    "b/Index.md": "See [[Bokashi|it]], [[Index]], [[2024-01-02]] and ![[gone.png]].\n",
    "Log.md": "The Old Rye Starter and the Turbopump. [[Index]]\n",
    "Plan.md": "The Old Rye Starter on 2024-01-01.\n",
}


async def report(served: Served, **arguments: Any) -> Any:
    return (await served.call("link_report", **arguments)).json


async def test_links_that_lead_nowhere_are_told_with_what_they_likely_mean(served: Served) -> None:
    told = await report(served)
    assert told["unresolved"] == 4
    assert [(one["name"], one["meant"], one["why"]) for one in told["broken"]] == [
        ("Gertrude", "Old Rye Starter.md", "“Gertrude” is another name of it"),
        ("turbo-pump", "Turbopump.md", "it is called almost so: “Turbopump”"),
    ]


async def test_names_that_mean_no_note_are_stubs_by_demand(served: Served) -> None:
    told = await report(served)
    assert [(one["name"], one["wanted"]) for one in told["stubs"]] == [("Bokashi", 2), ("2024-01-02", 1)]


async def test_notes_are_told_that_are_mentioned_without_a_link(served: Served) -> None:
    told = await report(served)
    assert told["unlinked"] == [
        {"path": "Old Rye Starter.md", "mentioned": 3, "linked": 0, "notes": ["Log.md", "Plan.md", "a/Index.md"]},
        {"path": "Turbopump.md", "mentioned": 1, "linked": 0, "notes": ["Log.md"]},
    ]


async def test_names_of_several_notes_are_told_where_links_use_them(served: Served) -> None:
    (one,) = (await report(served))["ambiguous"]
    assert one == {
        "name": "Index",
        "notes": ["a/Index.md", "b/Index.md"],
        "links": 1,
        "sources": ["Log.md"],
    }


async def test_only_what_notes_of_a_folder_say_is_told(served: Served) -> None:
    told = await report(served, folder="b")
    assert (told["broken"], [one["name"] for one in told["stubs"]]) == ([], ["2024-01-02", "Bokashi"])
    assert told["unlinked"] == []


async def test_the_users_own_rate_is_told(served: Served) -> None:
    assert (await report(served))["rate"] is None
    for verdict in ("accept", "accept", "decline"):
        said = {"path": "Log.md", "target": "Turbopump.md", "text": "Turbopump"}
        await served.call("judge_link", **said, verdict=verdict)
    told = await report(served)
    assert (told["accepted"], told["declined"], told["rate"]) == (2, 1, 0.667)


async def test_a_vault_without_faults_has_an_empty_report(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", {"One.md": "nothing\n"})
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        told = await report(served)
    assert [told[name] for name in ("broken", "stubs", "unlinked", "ambiguous")] == [[], [], [], []]


MEANING = {
    "Levain.md": "A culture of wild yeast, fed with flour and water each morning.\n",
    "Compost.md": "Kitchen scraps and leaves rot to soil in the heap behind the shed.\n",
    "Dentist.md": "Every six months, in the tall house at the market.\n",
    "Plan.md": "Before baking, wake the [[wild yeast culture]].\n\nThen see about the [[quarterly tax return]].\n",
    "Diary.md": "[[Rotting kitchen scraps into soil]] takes a year.\n",
    "Todo.md": "[[wild yeast culture]]\n",
}


@pytest.mark.model
async def test_a_name_that_no_note_has_may_be_what_a_note_is_about(tmp_path: Path, models_dir: Path) -> None:
    vault = write_vault(tmp_path / "Notes", MEANING)
    async with serving([vault], tmp_path / "data", models_dir) as served:
        await readable(served, meaning=True)
        told = await report(served)
    assert [(one["name"], one["meant"], one["why"]) for one in told["broken"]] == [
        ("wild yeast culture", "Levain.md", "it is close in meaning"),
        ("Rotting kitchen scraps into soil", "Compost.md", "it is close in meaning"),
    ]
    assert [one["name"] for one in told["stubs"]] == ["quarterly tax return"]
