"""The rules in the instructions note of a topic folder are followed, and those that cannot be are told."""

from tests.features.served import Served
from tests.features.test_topics import NOTES, note, root, use, write

__all__ = ["NOTES"]


async def test_rules_are_followed(served: Served) -> None:
    await use(served, folder="Ontology")
    private = (await served.call("list_topics", path="Private/Loaf.md")).json["note"]
    assert private["suggested"] == []
    assert "instructions" in private["why_none"]
    await write(served, {"Ontology/Instructions.md": "---\nnever: []\nprefer: {Leavening: Pruning}\n---\n"})
    assert [
        one["name"] for one in (await served.call("list_topics", path="Private/Loaf.md")).json["note"]["suggested"]
    ] == ["Pruning"]
    await write(served, {"Ontology/Instructions.md": "---\nat_least: many\nprefer: {A: Nothing}\n---\n"})
    assert len((await served.call("list_topics")).json["notices"]) == 2


async def test_preferences_in_a_circle_are_told_and_not_followed(served: Served) -> None:
    await use(served, folder="Ontology")
    rules = "{Leavening: Pruning, pruning: Unused, Unused: 'Raising agents', Leavenings: Leavening, Sours: Sours}"
    await write(served, {"Ontology/Instructions.md": f"---\nprefer: {rules}\n---\n"})
    circle = (await served.call("list_topics")).json["notices"]
    assert len(circle) == 2
    assert "`prefer: Sours`" in circle[0]
    assert "circle" in circle[1]
    assert all(name in circle[1] for name in ("Leavening →", "Pruning →", "Unused →"))
    found = (await served.call("list_topics", problems=["values"])).json
    assert found["notices"] == circle
    assert not any(value["instead"] for one in found["findings"] for value in one["values"])
    # One that only leads into the circle is followed as far as that.
    await write(served, {"Bread/Copy.md": note('"[[Leavenings]]"', "As the other.")})
    found = (await served.call("list_topics", problems=["values"])).json
    instead = [(one["path"], value["instead"]) for one in found["findings"] for value in one["values"]]
    assert ("Bread/Copy.md", "Ontology/Concepts/Leavening.md") in instead


async def test_a_chain_of_preferences_keeps_every_part(served: Served) -> None:
    await use(served, folder="Ontology")
    for rules in ("{Sours: Leavening, Leavening: Pruning}", "{Leavening: Pruning, Sours: Leavening}"):
        await write(served, {"Ontology/Instructions.md": f"---\nprefer: {rules}\n---\n"})
        found = (await served.call("list_topics", problems=["values"], limit=50)).json
        instead = {(value["value"], value["instead"]) for one in found["findings"] for value in one["values"]}
        assert {("Sours", "Ontology/Concepts/Pruning.md"), ("leavening", "Ontology/Concepts/Pruning.md")} <= instead


async def test_notes_that_are_too_deep_are_no_topics(served: Served) -> None:
    await use(served, folder="Ontology")
    (root(served) / "Ontology/Concepts/Bread").mkdir()
    await write(
        served,
        {
            "Ontology/Concepts/Bread/Crumb.md": "The inside of a loaf.\n",
            "Ontology/Loose.md": "In no folder.\n",
            "Bread/Deep.md": note('"[[Crumb]]"', "Of the crumb."),
        },
    )

    async def names() -> set[str]:
        return {one["name"] for one in (await served.call("list_topics", limit=50)).json["topics"]}

    assert {"Crumb", "Leavening", "Loose"} <= await names()
    await write(served, {"Ontology/Instructions.md": "---\nMax_Depth: 1\n---\n"})
    assert await names() & {"Crumb", "Leavening", "Loose"} == {"Leavening", "Loose"}
    found = (await served.call("list_topics", problems=["values"])).json["findings"]
    assert ["outside"] in [
        [value["problem"] for value in one["values"]] for one in found if one["path"] == "Bread/Deep.md"
    ]
    await write(served, {"Ontology/Instructions.md": "---\nmax_depth: 0\n---\n"})
    assert await names() & {"Crumb", "Leavening", "Loose"} == {"Loose"}
    await write(served, {"Ontology/Instructions.md": "---\nmax_depth: deep\n---\n"})
    assert {"Crumb", "Leavening", "Loose"} <= await names()
    notices = (await served.call("list_topics")).json["notices"]
    assert notices == ["`max_depth` must be a whole number from 0 on."]
