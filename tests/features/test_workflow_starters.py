"""Every workflow that comes with the bridge is previewed, run by an agent, and undone byte for byte."""

import datetime as dt
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from bridge.features.workflows.parse import STARTERS, starter_text
from bridge.features.workflows.read import read_text
from bridge.vault.rules import Rules
from bridge.vault.vault import Vault
from tests.features.days import noon_of
from tests.features.served import Served
from tests.features.workflows import agent_of, approve, contents, folders, root

TODAY = dt.datetime.now().astimezone().date()
YESTERDAY = TODAY - dt.timedelta(days=1)

NOTES = {
    "Projects/Index.md": "# Projects\n\n- [[Oven]]\n",
    "Projects/Oven.md": "---\ntype: project\nstatus: done # at last\n---\n# Oven\r\n\n- [ ] Sweep 📅 2026-01-31\n",
    "Projects/Barrels.md": "---\nstatus: active\n---\n# Barrels\n",
    "Inbox/Seed.md": "---\ntype: plant\n---\nSee [[Oven]].\n",
    "Inbox/Word.md": "A word without a home.",
    ".obsidian/daily-notes.json": '{"folder": "Daily", "template": "Templates/Day"}',
    "Templates/Day.md": "# {{title}}\n",
    f"Daily/{YESTERDAY}.md": (
        "## Tasks\n\n- [ ] Feed the starter 🆔 a1b2 🔁 every day ⏫ 📅 2026-12-01 ^feed\n  - [ ] with rye ⛔ a1b2\n"
        "  - [x] with water ^water\n"
        "- [x] Bake\n- [-] Rest\n- [>] Sweep\n- [x] Shop\n\t- [/] Call Ada [due:: 2026-12-02]\n\t  before noon\n"
    ),
    "People/Ada.md": "# Ada\n\n## Meetings\n\n- [[Old one]]\n\n## Notes\n",
    "Family/Zofia.md": "---\naliases: [Zosia]\n---\n# Zofia\n",
    "Decisions/Clay.md": "---\ntype: decision\nstatus: holds\n---\n# Clay\n",
    "Links.md": "[[Oven]] and [[Projects/Oven|the oven]] and [[Seed]].\n",
}

GIVEN: Mapping[str, Mapping[str, Any]] = {
    "new-project": {"title": "Bee hotel", "goal": "Bees: many", "first_task": "Find reeds", "due": "2026-03-01"},
    "meeting-note": {"title": "Seeds / spring", "people": ["Ada", "Bo", "Zosia"], "day": "2026-02-01"},
    "reading-note": {"title": "Soil", "author": "Ruth: S.", "kind": "book"},
    "contact": {"name": "Ada", "mail": "ada@example.org", "met": "at the gate"},
    "decision": {"title": "Lime", "context": "Rain.", "decision": "Use lime.", "replaces": "Clay"},
}

SEEN: Mapping[str, Mapping[str, str]] = {
    "new-project": {
        "Projects/Bee hotel/Bee hotel.md": "- [ ] Find reeds",
        "Projects/Index.md": "- [[Oven]]\n- [[Bee hotel]]\n",
    },
    "meeting-note": {
        "Meetings/2026-02-01 Seeds spring.md": "date: 2026-02-01",
        "People/Ada.md": "- [[Old one]]\n- [[2026-02-01 Seeds spring]]\n",
        "People/Bo.md": "type: person\n---\n# Bo\n\n## Meetings\n\n- [[2026-02-01 Seeds spring]]\n",
        "Family/Zofia.md": "## Meetings\n\n- [[2026-02-01 Seeds spring]]\n",
    },
    "weekly-review": {
        f"Reviews/{TODAY:%G-[W]%V}.md".replace("[W]", "W"): "## From the journals\n",
    },
    "archive-done-projects": {
        "Archive/Oven.md": f"status: done # at last\narchived: {TODAY}\n",
        "Links.md": "[[Archive/Oven|the oven]]",
    },
    "inbox-triage": {"Notes/plant/Seed.md": "See [[Oven]]", "Inbox/Word.md": "status: to sort"},
    "reading-note": {"Reading/Soil.md": 'author: "Ruth: S."', "Reading/Reading list.md": "- [[Soil]] by Ruth: S."},
    "daily-roll-over": {
        f"Daily/{TODAY}.md": (
            f"# {TODAY}\n## Tasks\n\n- [ ] Feed the starter 🔁 every day ⏫ 📅 2026-12-01\n"
            "  - [ ] with rye ⛔ a1b2\n  - [x] with water\n- [/] Call Ada [due:: 2026-12-02]\n  before noon\n"
        ),
        f"Daily/{YESTERDAY}.md": (
            "## Tasks\n\n- [>] Feed the starter 🆔 a1b2 🔁 every day ⏫ 📅 2026-12-01 ^feed\n"
            "  - [>] with rye ⛔ a1b2\n  - [x] with water ^water\n"
            "- [x] Bake\n- [-] Rest\n- [>] Sweep\n- [x] Shop\n\t- [>] Call Ada [due:: 2026-12-02]\n\t  before noon\n"
        ),
    },
    "contact": {"People/Ada.md": f"- {TODAY}: at the gate"},
    "decision": {f"Decisions/{TODAY} Lime.md": "Use lime.", "Decisions/Clay.md": f"[[{TODAY} Lime]]"},
}


@pytest.fixture(autouse=True)
def _same_day() -> Iterator[None]:
    """Stay in the day for which the notes were made."""
    with noon_of(TODAY):
        yield


def test_every_starter_is_sound(tmp_path: Path) -> None:
    for name in STARTERS:
        assert read_text(Vault(tmp_path, Rules()), starter_text(name)).problems == (), name
    assert SEEN.keys() == set(STARTERS)


@pytest.mark.parametrize("name", STARTERS)
async def test_a_starter_is_previewed_run_and_undone(served: Served, name: str) -> None:
    made = await served.result("author_workflow", name=name, starter=name, confirm=True)
    path, digest = made["path"], made["workflow_digest"]
    await approve(served, path, digest)
    agent = await agent_of(served)
    before, places = contents(served), folders(served)
    total = (await served.call("find_notes", limit=1)).json["total"]

    shown = await agent.call("run_workflow", path=path, variables=GIVEN.get(name, {}), dry_run=True)
    assert shown.status == 200, shown.body
    assert contents(served) == before
    assert shown.json["approved"]
    assert shown.json["diff"]

    expect = {"files": shown.json["files"], "links_rewritten": shown.json["links_rewritten"]}
    ran = await agent.call("run_workflow", path=path, variables=GIVEN.get(name, {}), expect=expect)
    assert ran.status == 200, ran.body
    assert ran.json["diff"] == shown.json["diff"]
    assert ran.json["steps"] == shown.json["steps"]
    after = contents(served)
    for place, text in SEEN[name].items():
        found = [data.decode() for file, data in after.items() if file == place or file.startswith(place)]
        assert any(text in one for one in found), (place, found)
    counts = {one["name"]: one["after"] for one in shown.json["forecast"]}
    counted = (await served.call("find_notes", limit=1)).json["total"]
    assert counted == counts.get("notes", total)

    await served.result("undo_change", change_id=ran.json["change_id"])
    assert contents(served) == before
    assert folders(served) == places


async def test_a_review_says_what_was_worked_on_decided_and_left_open_and_is_brought_up_to_date(served: Served) -> None:
    made = await served.call("author_workflow", name="R", starter="weekly-review", confirm=True)
    plan = {"path": "Plan.md", "text": "# Plan\n\nHere we decided to use reeds.\n\n- [ ] Find reeds\n- [x] Draw it\n"}
    assert (await served.call("create_note", **plan)).status == 200
    said = {"goal": "Bee [hotel]", "decisions": ["It faces\nsouth"], "open_questions": ["How many rooms?"]}
    said |= {"summary": "A plan\nof it.", "where_left_off": "At the reeds"}
    assert (await served.call("save_session", **said)).status == 200
    assert (await served.call("run_workflow", path=made.json["path"])).status == 200
    (review,) = (root(served) / "Reviews").glob("*.md")
    (journal,) = (root(served) / "Agents/Sessions").glob("*.md")
    link = f"[[Agents/Sessions/{journal.stem}|Bee hotel]]"
    assert review.read_text().partition("## From the journals")[2] == (
        f"\nEach run rewrites this section.\n\n### Worked on\n\n- {link}\n  A plan of it.\n  - Draw it\n\n"
        f"### Decided\n\n- {link}\n  - It faces south\n  - Here we decided to use reeds.\n\n"
        f"### Left open\n\n- {link}\n  - At the reeds\n  - How many rooms?\n  - Find reeds\n\n"
        "### What was changed\n\n- [[Plan]]\n"
    )
    review.write_text(review.read_text().replace("## What went well\n", "## What went well\n\nThe reeds.\n"))
    file = root(served) / "Plan.md"
    file.write_text(file.read_text().replace("[ ]", "[x]"))
    assert (await served.call("save_session", summary="All of it.", where_left_off="")).status == 200
    for name in ("Plan.md", f"Reviews/{review.name}", f"Agents/Sessions/{journal.name}"):
        await served.call("wait_until_indexed", path=name)
    assert (await served.call("run_workflow", path=made.json["path"])).status == 200
    text = review.read_text()
    assert "The reeds.\n" in text
    assert text.count("### Worked on") == text.count("All of it.") == 1
    assert "A plan" not in text
    assert "Find reeds" not in text
    assert "At the reeds" not in text


async def test_tasks_are_taken_over_once(served: Served) -> None:
    """Also where the user's own statuses have `[>]` as something that is to be done."""
    plugin = root(served) / ".obsidian/plugins/obsidian-tasks-plugin/data.json"
    plugin.parent.mkdir(parents=True)
    plugin.write_text(
        '{"statusSettings": {"customStatuses": [{"symbol": ">", "type": "TODO", "nextStatusSymbol": "x"}]}}'
    )
    (root(served) / ".obsidian/community-plugins.json").write_text('["obsidian-tasks-plugin"]')
    made = await served.call("author_workflow", name="R", starter="daily-roll-over", confirm=True)
    assert (await served.call("run_workflow", path=made.json["path"])).status == 200
    once = contents(served)
    await served.result("run_workflow", path=made.json["path"])
    assert contents(served) == once


@pytest.mark.parametrize("yesterday", ["- [x] Bake\n- [>] Sweep\n", None])
async def test_a_day_without_open_tasks_or_a_note_changes_nothing(served: Served, yesterday: str | None) -> None:
    note = root(served) / f"Daily/{YESTERDAY}.md"
    if yesterday is None:
        note.unlink()
    else:
        note.write_text(yesterday)
    await served.bridge.find(None).vault.indexer.look_at([""])
    made = await served.call("author_workflow", name="R", starter="daily-roll-over", confirm=True)
    before = contents(served)
    ran = await served.result("run_workflow", path=made.json["path"])
    assert {one["state"] for one in ran["steps"]} == {"skipped"}
    assert contents(served) == before


@pytest.mark.parametrize(
    ("yesterday", "today"),
    [
        ("## 待办\n\n- [ ] 交房租\n\n## 灵感\n\n- [ ] 写诗\n", "## 待办\n\n- [ ] 交房租\n\n## 灵感\n\n- [ ] 写诗\n"),
        ("- [ ] Sweep\n", "- [ ] Sweep\n"),
    ],
)
async def test_tasks_stand_under_the_headings_that_they_had(served: Served, yesterday: str, today: str) -> None:
    (root(served) / f"Daily/{YESTERDAY}.md").write_text(yesterday, encoding="utf-8")
    await served.bridge.find(None).vault.indexer.look_at([""])
    made = await served.call("author_workflow", name="R", starter="daily-roll-over", confirm=True)
    await served.result("run_workflow", path=made.json["path"])
    assert (root(served) / f"Daily/{TODAY}.md").read_text(encoding="utf-8") == f"# {TODAY}\n{today}"
