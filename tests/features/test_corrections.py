"""Corrections: recorded by agents, ticked by agents or by hand, and told in briefings."""

from typing import Any

from tests.features.served import Served

NOTES = {"Zoo.md": "The python is asleep. See Python there.\n", "Python.md": "A language.\n", "Bread.md": "Rye.\n"}
PLACE = "Agents/Corrections.md"


async def record(served: Served, **arguments: Any) -> Any:
    made = await served.result("record_correction", **arguments)
    await served.call("wait_until_indexed", path=PLACE)
    return made


async def test_a_correction_is_a_task_until_it_is_resolved_or_ticked(served: Served) -> None:
    made = await record(served, kind="wrong_fact", text="Rye needs more water", path="Bread.md")
    file = served.bridge.find(None).root / PLACE
    assert "- [ ] wrong_fact · Rye needs more water · in [[Bread]]" in file.read_text(encoding="utf-8")
    assert (served.bridge.find(None).root / "Agents/About this folder.md").exists()
    assert made["id"] in file.read_text(encoding="utf-8")
    again = await record(served, kind="wrong_fact", text="rye needs more  water", path="Bread.md")
    assert again["change_id"] is None
    assert again["id"] == made["id"]
    before = file.read_bytes()
    [task] = (await served.result("list_tasks", path=PLACE))["tasks"]
    solved = await served.result("toggle_task", path=PLACE, line=task["line"], text=task["text"], status="x")
    await served.call("wait_until_indexed", path=PLACE)
    assert (await served.result("list_tasks", path=PLACE, status="open"))["total"] == 0
    await served.result("undo_change", change_id=solved["change_id"])
    assert file.read_bytes() == before
    file.write_bytes(before.replace(b"- [ ]", b"- [x]"))
    reopened = await record(served, kind="wrong_fact", text="Rye needs more water", path="Bread.md")
    assert reopened["change_id"]
    assert file.read_bytes().count(b"- [ ]") == 1


async def test_a_wrong_link_is_not_suggested_again(served: Served) -> None:
    async def targets() -> list[str]:
        found = await served.result("suggest_links", path="Zoo.md", strictness="aggressive")
        return [one["target"] for one in found["suggestions"]]

    assert await targets() == ["Python.md"]
    asked = {
        "kind": "wrong_link",
        "text": "The python in the zoo is an animal",
        "path": "Zoo.md",
        "target": "Python.md",
    }
    tried = await served.result("record_correction", **asked, dry_run=True)
    assert not tried["declined"]
    assert await targets() == ["Python.md"]
    assert (await record(served, **asked))["declined"]
    assert await targets() == []


async def test_briefings_tell_open_corrections_only(served: Served) -> None:
    first = await record(served, kind="general", text="Say dough and not batter")
    await record(served, kind="general", text="Give weights in grams")
    told = (await served.result("brief", parts=["corrections"]))["text"]
    assert "Say dough" in told
    assert first["id"] not in told
    task = (await served.result("list_tasks", path=PLACE, text="dough"))["tasks"][0]
    await served.result("toggle_task", path=PLACE, line=task["line"], text=task["text"], status="-")
    await served.call("wait_until_indexed", path=PLACE)
    told = (await served.result("brief", parts=["corrections"]))["text"]
    assert "Say dough" not in told
    assert "Give weights in grams" in told


async def test_what_cannot_be_recorded_is_refused(served: Served) -> None:
    async def code(operation: str, **arguments: Any) -> str:
        return (await served.call(operation, **arguments)).code

    assert await code("record_correction", kind="general", text="password: hunter2hunter2x") == "invalid_arguments"
    assert await code("record_correction", kind="general", text="x", path="No.md") == "note_not_found"
    assert await code("record_correction", kind="general", text=" · ") == "invalid_arguments"
    wrong = {"kind": "general", "text": "x", "path": "Zoo.md", "target": "Python.md"}
    assert await code("record_correction", **wrong) == "invalid_arguments"
    assert not (served.bridge.find(None).root / PLACE).exists()
