"""What could be better about the links of a vault."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bridge.features.links.report import share_some_words
from tests.features.served import PATIENCE_S, Served, readable, serving, write_vault

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
        ("Gertrude", "Old Rye Starter.md", "“Gertrude” is an alias of it"),
        ("turbo-pump", "Turbopump.md", "its name is almost the same: “Turbopump”"),
    ]


async def test_reports_agree_on_the_names_that_notes_have_in_another_spelling(served: Served) -> None:
    root = served.bridge.find(None).root
    for name in ("Moon's Milk (Bonus)", "Equazioni Esponenziali", "Café au Lait", "Ape of Naples"):
        (root / f"{name}.md").write_text("Nothing.\n", encoding="utf-8")
        await served.call("wait_until_indexed", path=f"{name}.md")
    meant = ("Moon’s Milk (Bonus)", "cafe-au-lait", "The Ape of Naples")
    apart = ("Disequazioni Esponenziali", "Equazioni Esponenziali II")
    for name in ("One", "Two"):
        text = " ".join(f"[[{target}]]" for target in (*meant, *apart))
        (root / f"{name}.md").write_text(f"{text}\n", encoding="utf-8")
        await served.call("wait_until_indexed", path=f"{name}.md")
    broken = {one["name"] for one in (await report(served, limit=100))["broken"]}
    wanted = {one["name"] for one in (await served.call("find_prospects", limit=200)).json["prospects"]}
    assert (broken & {*meant, *apart}, wanted & {*meant, *apart}) == (set(meant), set(apart))


async def test_names_that_mean_no_note_are_stubs_by_demand(served: Served) -> None:
    told = await report(served)
    assert [(one["name"], one["wanted"]) for one in told["stubs"]] == [("Bokashi", 2), ("2024-01-02", 1)]


async def test_notes_are_told_that_are_mentioned_without_a_link(served: Served) -> None:
    told = await report(served)
    places = [{"path": path, "line": 1, "text": "Old Rye Starter"} for path in ("Log.md", "Plan.md")]
    turbopump = {"path": "Log.md", "line": 1, "text": "Turbopump"}
    assert told["unlinked"] == [
        {
            "path": "Old Rye Starter.md",
            "said": ["Old Rye Starter"],
            "mentioned": 2,
            "linked": 0,
            "notes": ["Log.md", "Plan.md"],
            "places": places,
        },
        {
            "path": "Turbopump.md",
            "said": ["Turbopump"],
            "mentioned": 1,
            "linked": 0,
            "notes": ["Log.md"],
            "places": [turbopump],
        },
    ]


async def test_every_sort_has_pages_and_totals(served: Served) -> None:
    told = await report(served, limit=1, offset=1)
    assert told["totals"] == {"broken": 2, "stubs": 2, "unlinked": 2, "ambiguous": 1}
    assert "next_offset" not in told
    assert (await report(served, limit=1))["next_offset"] == 1
    assert [one["name"] for one in (*told["broken"], *told["stubs"])] == ["turbo-pump", "2024-01-02"]
    assert ([one["path"] for one in told["unlinked"]], told["ambiguous"]) == (["Turbopump.md"], [])


async def insights(served: Served) -> dict[str, Any]:
    found: dict[str, Any] = (await served.call("graph_insights", parts=["stubs"], limit=100)).json
    return found


async def test_names_without_a_note_are_counted_as_the_graph_counts_them(served: Served, tmp_path: Path) -> None:
    (tmp_path / "Notes/More.md").write_text(
        "[[Dr. Who]] [[v1.5]] [x](gone.md) ![[gone.mp3]] [[song.mp3]] [[bokashi#How]]\n"
    )
    await served.call("wait_until_indexed", path="More.md", what="links")
    # The graph is built when the links of a batch are known.
    async with asyncio.timeout(PATIENCE_S):
        while (counts := await insights(served))["counts"]["stubs"] == 4:
            await asyncio.sleep(0.05)
    told = await report(served, limit=100)
    assert told["unresolved"] == counts["counts"]["stubs"] == counts["totals"]["stubs"] == 7
    assert {"Dr. Who", "v1.5", "gone"} <= {one["name"] for one in counts["stubs"]}


WORDS = {
    "test.md": "A list.\n",
    "Entity.md": "What there is.\n",
    "Hop.md": "Beer.\n",
    **{f"{n}.md": "We test it: an entity, `Entity` #Entity\n\n# Entity\n[[x|Entity]]\n" for n in range(9)},
    "Say.md": "---\nkind: Entity\n---\nFirst line.\n- [ ] 🔁 Hop\n\nThe Hop is an entity of a test.\n",
}


async def test_a_common_word_is_no_mention_and_a_mention_is_told_with_its_words(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", WORDS)
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        told = await report(served)
    assert [(one["path"], one["said"], one["places"]) for one in told["unlinked"]] == [
        ("Hop.md", ["Hop"], [{"path": "Say.md", "line": 7, "text": "Hop"}]),
    ]


async def test_of_a_very_long_note_the_beginning_is_looked_at(tmp_path: Path) -> None:
    notes = {
        "Old Rye Starter.md": "Fed daily.\n",
        "Turbopump.md": "Spins.\n",
        "Long.md": "The Old Rye Starter.\n\n" + "Nothing at all.\n" * 13_000 + "\nThe Turbopump.\n",
    }
    root = write_vault(tmp_path / "Long", notes)
    async with serving([root], tmp_path / "data", tmp_path / "no models") as served:
        await readable(served)
        told = await report(served)
    assert [one["path"] for one in told["unlinked"]] == ["Old Rye Starter.md"]
    assert told["notices"] == ["Only the first 200,000 characters of `Long.md` were looked at for mentions."]


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


@pytest.mark.parametrize(
    ("name", "title", "siblings"),
    [
        ("Loops", "C While Loops", True),
        ("Agent Program", "Utility-based Agent", True),
        ("wild yeast culture", "Levain", False),
        ("repairing cars", "Car repair", False),
        ("नीली किताब", "लाल किताब", True),
        ("कार", "कारण", False),
    ],
)
def test_a_name_that_shares_a_word_with_another_and_differs_means_something_else(
    name: str, title: str, siblings: bool
) -> None:
    assert share_some_words(name, title) == siblings


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
    assert (told["totals"]["broken"], told["totals"]["stubs"]) == (2, 1)
