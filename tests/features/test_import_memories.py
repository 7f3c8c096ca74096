"""Memories of other systems become notes of the agents' folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from bridge.errors import InvalidArguments
from bridge.notebook.exports import read_export
from tests.features.served import Answer, Served
from tests.mcp.client import connected, text_of

NOTES = {"Oven.md": "# Oven\n\nBuilt of clay.\n"}
MEM0 = {
    "results": [
        {"id": "1", "memory": "Prefers rye bread", "categories": ["food"], "created_at": "2025-02-01T10:00:00Z"},
        {"id": "2", "memory": "Prefers rye bread", "categories": None},
        {"id": "3", "memory": "The key is ghp_" + "a" * 36},
        {"id": "4", "memory": "Fires the oven: at noon / on Fridays", "metadata": {"type": "habit"}},
        {"id": "5", "memory": "  "},
    ]
}
GRAPH = """\
{"type":"entity","name":"Ada","entityType":"person","observations":["Speaks French","Likes  tea"]}
{"type":"entity","name":"Empty","entityType":"person","observations":[]}
{"type":"relation","from":"Ada","to":"Mill","relationType":"works_at"}
"""
NOTE = """\
---
title: Coffee brewing
type: note
tags: [coffee, brewing]
permalink: coffee-brewing
---

# Coffee brewing

- [method] Pour over is clear #coffee
- relates_to [[Water]]
"""


def root(served: Served) -> Path:
    return served.bridge.find(None).root


async def take(served: Served, export: Any, **arguments: Any) -> Answer:
    text = export if isinstance(export, str) else json.dumps(export)
    return await served.call("import_memories", export=text, **arguments)


async def test_memories_of_mem0_are_imported_in_one_change_and_once(served: Served) -> None:
    before = {path: path.read_bytes() for path in root(served).rglob("*.md")}
    made = (await take(served, MEM0)).json
    assert (made["imported"], made["existing"]) == (2, 1)
    [left] = made["left_out"]
    assert (left["number"], left["title"]) == (3, "")
    assert "token of GitHub" in left["why"]
    assert "ghp_" not in str(made)
    note = (root(served) / "Agents/Memory/Prefers rye bread.md").read_text()
    assert note.rstrip().endswith("\nPrefers rye bread")
    assert all(line in note for line in ("tags:\n", "source: mem0", "source_created: 2025-02-01T10:00:00Z"))
    assert (root(served) / "Agents/Memory/Fires the oven at noon on Fridays.md").exists()
    await served.call("wait_until_indexed", path="Agents/Memory/Prefers rye bread.md")
    again = (await take(served, MEM0)).json
    assert (again["imported"], again["existing"], again["change_id"]) == (0, 3, None)
    recalled = (await served.call("recall", query="rye bread")).json
    assert [one["path"] for one in recalled["memories"]] == ["Agents/Memory/Prefers rye bread.md"]
    assert (await served.call("undo_change", change_id=made["change_id"])).status == 200
    assert {path: path.read_bytes() for path in root(served).rglob("*.md")} == before


@pytest.mark.parametrize(
    ("export", "title", "text", "tags"),
    [
        (GRAPH, "Ada", "- Speaks French\n- Likes tea\n- works at [[Mill]]", ("person",)),
        (
            {"entities": [{"name": "Ada", "observations": ["Tall"]}], "relations": []},
            "Ada",
            "- Tall",
            (),
        ),
        ([{"memory": "One line.\nAnother."}], "One line.", "One line.\nAnother.", ()),
        (
            {"notes": {"notes/Coffee.md": NOTE}},
            "Coffee brewing",
            "- [method] Pour over is clear #coffee\n- relates_to [[Water]]",
            ("coffee", "brewing"),
        ),
    ],
)
def test_each_known_export_is_read(export: Any, title: str, text: str, tags: tuple[str, ...]) -> None:
    [memory] = read_export(export if isinstance(export, str) else json.dumps(export))
    assert (memory.title, memory.text, memory.tags) == (title, text, tags)


@pytest.mark.parametrize(
    "export", ["", "not JSON", "{}", "[]", "null", '{"results": 7}', "[[[[", '"x"\n{"type": 1}', "[" * 9_000]
)
def test_what_is_no_export_is_refused_with_what_is_known(export: str) -> None:
    with pytest.raises(InvalidArguments) as refusal:
        read_export(export)
    assert "basic-memory" in refusal.value.hint


def test_a_long_first_line_is_cut_to_a_title_between_words() -> None:
    [memory] = read_export(json.dumps([{"memory": "word " * 60}]))
    assert len(memory.title) <= 82
    assert memory.title.endswith("word …")


async def test_a_terminal_imports_files_and_folders(served: Served, tmp_path: Path) -> None:
    (tmp_path / "memory.json").write_text(GRAPH)
    (tmp_path / "mem0.json").write_text(json.dumps(MEM0))
    looked = await served.command("import-memories", str(tmp_path / "mem0.json"), "--vault", "Notes", "--dry-run")
    assert looked.status == 0, looked.err
    assert looked.out.startswith("2 new memories, 1 known already.\n")
    assert "ghp_" not in looked.out
    ran = await served.command("import-memories", str(tmp_path / "memory.json"), "--vault", "Notes")
    assert ran.status == 0, ran.err
    assert ran.out.startswith("1 new memory.\n")
    assert "works at [[Mill]]" in (root(served) / "Agents/Memory/Ada.md").read_text()
    folder = tmp_path / "basic-memory/notes"
    folder.mkdir(parents=True)
    (folder / "Coffee.md").write_text(NOTE)
    ran = await served.command("import-memories", str(folder.parent), "--vault", "Notes")
    assert ran.status == 0, ran.err
    assert (root(served) / "Agents/Memory/Coffee brewing.md").exists()
    missing = await served.command("import-memories", str(tmp_path / "absent.json"), "--vault", "Notes")
    assert missing.status != 0
    assert "absent.json" in missing.err


async def test_an_agent_asks_the_user_first_and_a_dry_run_writes_nothing(served: Served) -> None:
    looked = (await take(served, MEM0, dry_run=True)).json
    assert (looked["imported"], looked["change_id"]) == (2, None)
    async with connected(served, preset="full") as client:
        refused = await client.call_tool("import_memories", {"export": json.dumps(MEM0)})
        assert text_of(refused).startswith("confirmation_required: Agents may keep notes")
    assert not (root(served) / "Agents").exists()


async def test_many_memories_are_confirmed_as_many_files_are(served: Served) -> None:
    many = [{"memory": f"Number {number} of the ovens is cold."} for number in range(40)]
    asked = await take(served, many)
    assert asked.code == "confirmation_required"
    made = (await take(served, many, confirm=True)).json
    assert made["imported"] == len(list((root(served) / "Agents/Memory").glob("*.md"))) == 40
