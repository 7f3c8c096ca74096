"""Notes that say no more than their template are proposed for deletion, and no other notes."""

import pytest

from tests.features.served import Served
from tests.features.test_tidy import content, is_sure, new_plan, root
from tests.features.test_tidy_checks import make_old

MEETING = """\
---
date: {{date}}
who: []
stage: planned
---
# {{title}}

Held on {{date:YYYY}}.

## Agenda

## Decisions
"""
DAY = """\
# <% tp.file.title %>

Next: <% tp.date.tomorrow() %>
Mood: <% tp.system.prompt('Mood') %>

```tasks
not done
```
"""
CHECKLIST = "## Bags\n\n- [ ] Pack the oven gloves\n"
UNFILLED = {
    "Meetings/Kiln.md": MEETING.replace("{{date}}", "2025-01-02")
    .replace("{{title}}", "Kiln")
    .replace("{{date:YYYY}}", "2025"),
    "Meetings/Cellar.md": "---\nstage: planned\n---\n## Agenda\n",
    "2025-01-02.md": "# 2025-01-02\n\nNext: 2025-01-03\n\n```tasks\nnot done\n```\n",
}
FILLED = {
    "Meetings/With words.md": "## Agenda\n\nThe roof leaks.\n\n## Decisions\n",
    "Meetings/With people.md": "---\nwho: [Ada]\nstage: planned\n---\n## Agenda\n",
    "Meetings/Of another stage.md": "---\nstage: held\n---\n## Agenda\n",
    "Meetings/With another property.md": "---\nrating: 4\n---\n## Agenda\n",
    "Meetings/Only a name.md": "---\nstage: planned\n---\n",
    "Meetings/Meetings.md": "## Agenda\n",
    "Meetings/Wanted.md": "## Agenda\n",
    "Meetings/Ignored.md": "---\ntidy: ignore\n---\n## Agenda\n",
    "Meetings/New.md": "## Agenda\n",
    "2025-01-04.md": "# 2025-01-04\n\nMood: 7 of 10\n",
    "Bags.md": CHECKLIST,
    "Void.md": "",
    "Names.md": "See [[Wanted]].\n",
}
TEMPLATES = {"Templates/Meeting.md": MEETING, "Templates/Day.md": DAY, "Templates/Bags to pack.md": CHECKLIST}
NOTES = {**UNFILLED, **FILLED, **TEMPLATES}


@pytest.fixture
async def old(served: Served) -> Served:
    """The vault a month later, but for one note."""
    await make_old(served, *(name for name in NOTES if name not in ("Meetings/New.md", "Names.md")))
    return served


async def test_notes_with_nothing_but_their_template_are_found(old: Served) -> None:
    plan = await old.result("plan_tidy", checks=["unfilled_notes"], dry_run=True)
    assert {one["notes"][0] for one in plan["findings"]} == set(UNFILLED)
    assert not any(is_sure(one) for one in plan["findings"])
    assert {one["notes"][0]: one["why"] for one in plan["findings"]}["2025-01-02.md"].startswith(
        "it says no more than its template [[Templates/Day|Day]]"
    )


async def test_they_are_deleted_if_a_person_ticks_them_and_come_back(old: Served) -> None:
    refused = await old.call("tidy_rules", check="unfilled_notes", ticked=True)
    assert refused.code == "invalid_arguments"
    plan = await new_plan(old, checks=["unfilled_notes"])
    before = content(old)
    for one in plan["findings"]:
        await old.result("judge_finding", path=plan["path"], finding=one["id"], verdict="accept")
    done = await old.result("apply_plan", path=plan["path"], confirm=True)
    assert [(one["state"], one["dropped"]) for one in done["checks"]] == [("applied", [])]
    assert before.keys() - content(old).keys() == set(UNFILLED)
    await old.result("undo_change", change_id=done["session"])
    assert content(old) == before


async def test_without_templates_there_are_none(old: Served) -> None:
    for name in TEMPLATES:
        (root(old) / name).unlink()
    await old.bridge.find(None).vault.indexer.look_at([""])
    assert (await old.result("plan_tidy", checks=["unfilled_notes"], dry_run=True))["findings"] == []
