"""RecordList tasks."""

import hashlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.features.served import Served, serving, write_vault

NOTES = {
    "Plan.md": (
        "# Plan\n\n- [ ] Dig 📅 2026-01-31 #garden/beds ⏫\n  - [/] Fetch spades ⏳ 2026-01-30\n\n"
        "## Later\n\n- [x] Ask ✅ 2026-01-01\n- [-] Rent a digger\n"
        "- [!] Straße fegen [due:: 2026-02-01] 🔁 every week\n"
    ),
    "Garden/Beans.md": "- [ ] Sow beans 📅 2026-05-01 #garden\n\n```\n- [ ] no task\n```\n",
    "Garden/Old/Peas.md": "---\ntags: [garden]\n---\n- [ ] Sow peas\n- [D] Dry peas 📅 2025-08-01\n",
    "Board.canvas": '{"nodes": [{"id": "a", "type": "text", "text": "- [ ] card", "x": 0, "y": 0}], "edges": []}',
    "Empty.md": "",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    folder = tmp_path_factory.mktemp("tasks")
    async with serving([write_vault(folder / "Notes", NOTES)], folder / "data", folder / "no models") as served:
        yield served


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def found(served: Served, **arguments: Any) -> list[str]:
    answer = await served.result("list_tasks", **arguments)
    return [task["text"].partition(" #")[0] for task in answer["tasks"]]


@pytest.mark.parametrize(
    ("arguments", "texts"),
    [
        (
            {},
            ["Sow beans", "Sow peas", "Dry peas", "Dig", "Fetch spades", "Ask", "Rent a digger", "Straße fegen"],
        ),
        ({"path": "Plan.md", "status": "open"}, ["Dig", "Fetch spades", "Straße fegen"]),
        ({"path": "Empty.md"}, []),
        ({"path": "Board.canvas"}, []),
        ({"folder": "Garden"}, ["Sow beans", "Sow peas", "Dry peas"]),
        ({"folder": "Garden/Old", "path": "Plan.md"}, []),
        ({"status": "done"}, ["Ask"]),
        ({"status": "cancelled"}, ["Rent a digger"]),
        ({"status": "in_progress"}, ["Fetch spades"]),
        ({"status": "other", "path": "Plan.md"}, ["Straße fegen"]),
        ({"status": "xX"}, ["Ask"]),
        ({"status": "/D"}, ["Dry peas", "Fetch spades"]),
        ({"due_on": "2026-01-31"}, ["Dig"]),
        ({"due_on": "Jan 2026"}, ["Dig"]),
        ({"due_on": "2026-02"}, ["Straße fegen"]),
        ({"due_on": "2026-12"}, []),
        ({"overdue": True, "path": "Plan.md"}, ["Dig", "Straße fegen"]),
        ({"overdue": True, "due_before": "2026-02-01"}, ["Dry peas", "Dig"]),
        ({"overdue": True, "status": "done"}, []),
        ({"due_before": "2026-01-31"}, ["Dry peas"]),
        ({"due_after": "2026-01-31", "due_before": "2026-05-01"}, ["Dig", "Straße fegen"]),
        ({"tags": ["garden"]}, ["Sow beans", "Dig"]),
        ({"tags": ["#Garden/Beds"]}, ["Dig"]),
        ({"text": "STRASSE"}, ["Straße fegen"]),
        ({"text": "🔁"}, ["Straße fegen"]),
        (
            {"sort": "due"},
            ["Dry peas", "Dig", "Straße fegen", "Sow beans", "Sow peas", "Fetch spades", "Ask", "Rent a digger"],
        ),
        ({"sort": "-due", "limit": 2}, ["Sow beans", "Straße fegen"]),
        ({"sort": "due", "limit": 2, "offset": 1}, ["Dig", "Straße fegen"]),
    ],
)
async def test_tasks_are_listed_by_status_day_tags_and_place(
    served: Served, arguments: dict[str, Any], texts: list[str]
) -> None:
    assert await found(served, **arguments) == texts


async def test_a_task_is_told_with_all_that_its_line_says(served: Served) -> None:
    answer = await served.call("list_tasks", path="Plan.md", limit=2)
    digest = hashlib.sha256(NOTES["Plan.md"].encode()).hexdigest()[:12]
    assert answer.json == {
        "tasks": [
            {
                "path": "Plan.md",
                "line": 3,
                "text": "Dig #garden/beds",
                "status": " ",
                "meaning": "todo",
                "due": "2026-01-31",
                "tags": ["garden/beds"],
                "heading": "Plan",
                "parent": None,
                "scheduled": None,
                "start": None,
                "done": None,
                "priority": "high",
                "recurrence": None,
                "digest": digest,
            },
            {
                "path": "Plan.md",
                "line": 4,
                "text": "Fetch spades",
                "status": "/",
                "meaning": "in_progress",
                "due": None,
                "tags": [],
                "heading": "Plan",
                "parent": 3,
                "scheduled": "2026-01-30",
                "start": None,
                "done": None,
                "priority": None,
                "recurrence": None,
                "digest": digest,
            },
        ],
        "total": 5,
        "next_offset": 2,
        "notices": [],
    }


async def test_the_vault_s_own_marks_count(served: Served) -> None:
    statuses = {"customStatuses": [{"symbol": "D", "nextStatusSymbol": " ", "type": "DONE"}]}
    settings: dict[str, Any] = {
        "community-plugins.json": ["obsidian-tasks-plugin"],
        "plugins/obsidian-tasks-plugin/data.json": {"statusSettings": statuses},
    }
    for name, content in settings.items():
        file = served.bridge.find(None).root / ".obsidian" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(content), encoding="utf-8")
    try:
        assert await found(served, status="done") == ["Dry peas", "Ask"]
    finally:
        # The vault is that of the other tests, too.
        for name in settings:
            (served.bridge.find(None).root / ".obsidian" / name).unlink()


async def test_odd_questions_are_refused(served: Served) -> None:
    assert (await served.call("list_tasks", status="")).status == 400
    assert (await served.call("list_tasks", status="finished")).status == 400
    assert (await served.call("list_tasks", due_on="someday")).status == 400
    missing = await served.call("list_tasks", path="Plam.md")
    assert (missing.status, missing.json["error"]["closest"]) == (404, ["Plan.md"])
