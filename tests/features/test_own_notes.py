"""The notes that the bridge and agents write: no tidying of the user's notes changes or counts them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio

from bridge.features.tidy.check_scope import REMOVING_CHECKS
from tests.features.served import Served, readable, serving, write_vault
from tests.features.test_agents_folder import contents as content
from tests.features.test_agents_folder import root
from tests.features.test_tidy import is_sure
from tests.features.test_topics import use

SONGS = {f"Songs/{n:02}.md": "---\nType: Song\ntopics: ['[[Oven]]']\n---\n#Clay\n" for n in range(12)}
NOTES = {
    **SONGS,
    "Songs/Odd.md": "---\ntype: Song\n---\n#clay #clay/wet\n",
    "Templates/Song.md": "---\ntype: Song\ncreated: {{date}}\n---\n",
}
RENAMED = ("[[Songs/Odd|Odd]]", "[[Templates/Song|Song]]", "[[Topics/Instructions|Instructions]]")
WORKFLOW = """---
TYPE: [Workflow]
---
```workflow
version: 1
description: Begin a note.
steps:
  - {id: note, do: create_note, path: Oven.md, text: Clay.}
```
"""


@pytest_asyncio.fixture
async def served(tmp_path: Path, models_dir: Path) -> AsyncIterator[Served]:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with serving([vault], tmp_path / "data", models_dir) as served:
        await readable(served)
        await served.call("set_up_memory")
        await served.result("remember", title="Clay", text="Clay cracks when it dries.", tags=["clay"])
        await served.call("set_up_topics")
        yield served


def agents_notes(served: Served) -> dict[str, bytes]:
    return {path: data for path, data in content(served).items() if path.startswith("Agents/")}


async def findings(served: Served, *checks: str) -> list[dict[str, Any]]:
    plan = await served.result("plan_tidy", checks=list(checks), skip_checked=False)
    return [*plan["findings"]]


async def test_a_plan_renames_in_no_note_that_it_does_not_name(served: Served) -> None:
    before = content(served)
    found = await findings(served, "property_names", "tags")
    assert [one["text"] for one in found] == [
        "Rename the tag `clay` (1 note: [[Songs/Odd|Odd]]) to `Clay` (12 notes)",
        f"Rename the property `type` (3 notes: {', '.join(RENAMED)}) to `Type`",
    ]
    [plan] = [path for path in content(served) if path.startswith("Agents/Tidy/")]
    # The second would change the rules of the topic folder.
    assert [is_sure(one) for one in found] == [True, False]
    for one in found:
        await served.call("judge_finding", finding=one["id"], verdict="accept")
    done = (await served.call("apply_plan")).json
    assert ([one["state"] for one in done["checks"]], done["files"]) == (["applied"] * 2, 3)
    after = content(served)
    changed = {path for path in {*before, *after} - {plan} if before.get(path) != after.get(path)}
    assert changed == {"Songs/Odd.md", "Templates/Song.md", "Topics/Instructions.md"}
    assert (await served.call("list_topics")).json["topics"] is not None
    (vault,) = (await served.call("status")).json["vaults"]
    assert vault["types"] == {"song": 14, "topics": 1}


async def test_no_rename_reaches_the_folder_of_agents_unless_it_is_named(served: Served) -> None:
    before = agents_notes(served)
    for operation, arguments in (
        ("change_notes", {"rename": {"type": "sort"}}),
        ("change_notes", {"properties": {"type": "note"}, "old": {"type": "memory"}}),
        ("change_notes", {"rename_tags": {"clay": "loam"}}),
        ("change_notes", {"rename": {"kind": "sort"}}),
    ):
        answer = await served.call(operation, **arguments, confirm=True)
        assert answer.status == 200 or answer.code == "text_not_found"
    assert agents_notes(served) == before
    await served.result("change_notes", rename={"kind": "sort"}, folder="Agents/Memory")
    assert b"\nsort: " in agents_notes(served)["Agents/Memory/Clay.md"]


async def test_notes_of_the_bridge_are_read_whatever_a_person_made_of_their_properties(served: Served) -> None:
    memory = root(served) / "Agents/Memory/Clay.md"
    memory.write_text(memory.read_text().replace("type: memory", "Type: [Memory]"))
    (root(served) / "Begin.md").write_text(WORKFLOW)
    for path in ("Agents/Memory/Clay.md", "Begin.md"):
        await served.call("report_changes", changes=[{"kind": "modify", "path": path}])
        await served.call("wait_until_indexed", path=path)
    assert [one["path"] for one in (await served.call("recall", query="clay")).json["memories"]] == [
        "Agents/Memory/Clay.md"
    ]
    assert [one["path"] for one in (await served.call("list_workflows")).json["workflows"]] == ["Begin.md"]
    assert (await served.call("list_workflows", path="Begin.md")).status == 200


async def test_the_rules_of_a_topic_folder_are_no_finding(served: Served) -> None:
    for number in range(12):
        (root(served) / f"Songs/{number:02}.md").write_text("---\ntype: [Song]\n---\n")
    changes = [{"kind": "modify", "path": f"Songs/{number:02}.md"} for number in range(12)]
    await served.call("report_changes", changes=changes)
    for number in range(12):
        await served.call("wait_until_indexed", path=f"Songs/{number:02}.md")
    assert [one["notes"] for one in await findings(served, "property_types")] == [["Songs/Odd.md"]]


async def test_what_the_bridge_reads_as_rules_is_no_finding_and_never_ticked(served: Served) -> None:
    every = {f"Songs/{number:02}.md": "---\nat-least: 2\n---\nOf [[Ontology]].\n" for number in range(12)}
    rules = "\n# Clay\n# Clay\nOf Clay and [[Claay]].\n"
    every |= {
        "Clay.md": "---\nat_least: 2\n---\nClay is earth.\n",
        "Begin.md": WORKFLOW + rules,
        "Rules.md": f"---\ntype: schema\nfor_type: song\n---\n{rules}",
        "Ontology/Concepts/Concepts.md": f"Ideas, such as Clay.\n{rules}",
        "Ontology/Instructions.md": f"---\ntype: ontology\nat_least: '2'\n---\n{rules}",
        "Plain.md": f"Plain.\n{rules}",
    }
    await use(served, folder="Ontology")
    for path, text in every.items():
        (root(served) / path).parent.mkdir(parents=True, exist_ok=True)
        (root(served) / path).write_text(text)
    await served.call("report_changes", changes=[{"kind": "modify", "path": path} for path in every])
    for path in every:
        await served.call("wait_until_indexed", path=path)
    for check in {one["check"] for one in await findings(served)} - REMOVING_CHECKS:
        assert (await served.call("tidy_rules", check=check, ticked=True)).status == 200
    found = await findings(served)
    ticked = {path for one in found if one["ticked"] for path in one["notes"]}
    assert ticked & every.keys() - {f"Songs/{number:02}.md" for number in range(12)} == {"Plain.md"}
    renames = [one for one in found if one["check"] == "property_names" and "at_least" in one["text"]]
    assert [one["ticked"] for one in renames] == [False]
    assert renames[0]["why"].endswith("; it would change what Vaultside reads as rules")
