"""A plan proposes in a note, and does what a person ticked there, and nothing else."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from bridge.api.call import OWNER, Call
from bridge.features import get_operation
from tests.features.served import Served

PLAN = "Agents/Tidy/Plan.md"
Edit = Callable[[str], str]
NOTES = {
    "Cob oven.md": "---\naliases: [clay oven]\n---\nBuilt of clay and straw. #garden\n",
    "Build log.md": "---\nstatus: open\n---\nThe [[clay oven]] dries. See [[Old/Plot]] and [[cob-oven]].\n\n#Garden\n",
    "Land/Plot.md": "---\nstatus: open\n---\n## Soil\n\n## Soil\n\nHeavy clay. [[Cob oven]]\n",
    "Land/Kept.md": "---\ntidy: ignore\nstatus: open\n---\n[[clay oven]]\n\n## Twice\n\n## Twice\n",
    "Land/Left.md": "[[clay oven]]\n",
    "Hidden/Secret oven.md": "[[clay oven]] and a hidden word\n",
    "Land/Protected.md": "[[clay oven]] is fixed\n",
    "2025-01-03.md": "A day.\n",
    "Days/2025-01-01.md": "A day. #tool\n",
    "Days/2025-01-02.md": "A day. #tool\n",
    "Days/2025-01-04.md": "A day. #tool\n",
    "Days/2025-01-05.md": "A day. #tool #tools\n",
    ".obsidian/daily-notes.json": '{"folder": "Days"}',
}


def root(served: Served) -> Path:
    return served.bridge.find(None).root


def content(served: Served) -> dict[str, bytes]:
    """Return the files outside of Obsidian's folder and the agents', but those of the trash."""
    found = (path for path in root(served).rglob("*") if path.is_file())
    named = {str(path.relative_to(root(served))): path.read_bytes() for path in found}
    return {path: data for path, data in named.items() if not path.startswith((".", "Agents/"))}


async def edit_file(served: Served, path: str, edit: Edit) -> None:
    """Save a note as another program does, and wait until it is indexed."""
    file = root(served) / path
    file.write_text(edit(file.read_text(encoding="utf-8")), encoding="utf-8")
    await served.bridge.find(None).vault.indexer.look_at([path])


async def new_plan(served: Served, **arguments: Any) -> Any:
    plan = await served.result("plan_tidy", **arguments)
    assert plan["path"] == PLAN
    return plan


async def change(served: Served, settings: dict[str, Any]) -> None:
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": settings})


def is_sure(finding: Mapping[str, Any]) -> bool:
    """Say whether a finding is very likely right."""
    return bool(finding["confidence"] >= 0.85)


async def tick(served: Served, plan: Mapping[str, Any], *ids: str) -> None:
    """Tick findings in the note as a person does; without ids, those that are very likely right."""
    chosen = "|".join(ids or [one["id"] for one in plan["findings"] if is_sure(one)])
    await edit_file(served, plan["path"], lambda text: re.sub(rf"(?m)^- \[ \](?=.* \^({chosen})$)", "- [x]", text))


async def ticked_plan(served: Served, **arguments: Any) -> Any:
    """Have a plan made, and tick in it what is very likely right."""
    plan = await new_plan(served, **arguments)
    await tick(served, plan)
    return plan


def by_check(found: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    checks: dict[str, list[dict[str, Any]]] = {}
    for one in found["findings"]:
        checks.setdefault(one["check"], []).append(one)
    return checks


async def test_a_plan_is_a_note_and_changes_nothing_else(served: Served) -> None:
    before = content(served)
    plan = await new_plan(served)
    assert content(served) == before
    text = (root(served) / plan["path"]).read_text(encoding="utf-8")
    found = by_check(plan)
    assert {one["text"] for one in found["broken_links"]} >= {
        "In [[Build log]], let “clay oven” lead to [[Cob oven]]",
        "In [[Build log]], let “cob-oven” lead to [[Cob oven]]",
        "In [[Build log]], let “Old/Plot” lead to [[Land/Plot|Plot]]",
    }
    assert found["headings"][0]["notes"] == ["Land/Plot.md"]
    assert found["daily_notes"][0]["notes"] == ["2025-01-03.md"]
    assert {one["check"] for one in plan["findings"]} >= {"tags", "broken_links", "headings", "daily_notes"}
    assert "```" not in text
    for one in plan["findings"]:
        line = next(line for line in text.splitlines() if line.endswith(f"^{one['id']}"))
        assert (line.startswith("- [ ]"), one["ticked"]) == (True, False)
        assert one["text"] in line
    dangling = next(one for one in plan["forecast"] if one["name"] == "dangling")
    assert dangling["after"] < dangling["before"]


async def test_what_is_ticked_by_hand_is_applied_and_undone_byte_for_byte(served: Served) -> None:
    plan = await ticked_plan(served)
    before, file = content(served), root(served) / plan["path"]
    kept = next(one for one in plan["findings"] if one["text"].startswith("In [[Build log]], let “cob-oven”"))
    await edit_file(served, plan["path"], lambda text: re.sub(rf"- \[x\](.*\^{kept['id']})\n", r"- [ ]\1\n", text))
    text = file.read_bytes()
    tried = await served.result("apply_plan", path=plan["path"], dry_run=True)
    assert content(served) == before
    done = await served.result("apply_plan", path=plan["path"], confirm=True)
    assert [one["check"] for one in done["checks"]] == [one["check"] for one in tried["checks"]]
    assert (done["forecast"], done["files"]) == (tried["forecast"], tried["files"])
    assert {one["state"] for one in done["checks"]} == {"applied"}
    assert len({one["change_id"] for one in done["checks"]}) == 1
    now = content(served)
    assert b"[[Cob oven|clay oven]]" in now["Build log.md"]
    assert b"[[Land/Plot|Plot]]" in now["Build log.md"] or b"[[Plot]]" in now["Build log.md"]
    assert b"[[cob-oven]]" in now["Build log.md"]
    assert now["Land/Plot.md"].count(b"## Soil") == 1
    assert "Days/2025-01-03.md" in now
    assert now["Land/Kept.md"] == before["Land/Kept.md"]
    again = await served.result("apply_plan", path=plan["path"])
    assert all(not one["findings"] for one in again["checks"])
    assert {why["why"] for one in again["checks"] for why in one["dropped"]} == {"it was applied before."}
    await served.result("undo_change", change_id=done["session"])
    assert content(served) == before
    assert file.read_bytes() == text
    redone = await served.result("apply_plan", path=plan["path"], confirm=True)
    assert any(one["findings"] for one in redone["checks"])


async def test_what_an_interrupted_call_applied_is_marked_by_the_next(served: Served) -> None:
    plan = await ticked_plan(served, checks=["headings"])
    file = root(served) / plan["path"]
    unmarked = file.read_text()
    await served.result("apply_plan", path=plan["path"])
    marked = file.read_text()
    assert marked != unmarked
    await edit_file(served, plan["path"], lambda _: unmarked)
    again = await served.result("apply_plan", path=plan["path"])
    assert [one["findings"] for one in again["checks"]] == [[]]
    assert file.read_text() == marked


async def test_what_was_applied_and_undone_does_not_count_for_a_check(served: Served) -> None:
    async def judgements() -> list[tuple[int, int]]:
        rules = (await served.result("tidy_rules"))["rules"]
        return [(one["accepted"], one["rejected"]) for one in rules if one["check"] == "headings"]

    plan = await ticked_plan(served, checks=["headings"])
    done = await served.result("apply_plan", path=plan["path"])
    assert await judgements() == [(1, 0)]
    await served.result("undo_change", change_id=done["session"])
    assert await judgements() == [(0, 0)]
    await served.result("undo_change", change_id=done["checks"][0]["change_id"], redo=True)
    assert await judgements() == [(1, 0)]
    await served.result("undo_change", change_id=done["checks"][0]["change_id"])
    await served.result("judge_finding", path=plan["path"], finding="g1", verdict="reject")
    assert await judgements() == [(0, 1)]


async def test_how_an_applied_plan_is_undone_is_said_as_it_is_typed(served: Served) -> None:
    plan = await ticked_plan(served, checks=["headings"])
    ran = await served.command("apply-plan", plan["path"])
    said = re.search(r"`vaultside undo-change (tidy-\w+)`", ran.out + ran.err)
    assert said
    (listed,) = (await served.result("list_sessions", client="tidy"))["sessions"]
    assert (listed["id"], listed["status"]) == (said[1], "completed")
    assert listed["changed"]


async def test_a_finding_shows_what_it_alone_would_change(served: Served) -> None:
    plan = await new_plan(served, checks=["headings", "broken_links"])
    before = content(served)
    for one in plan["findings"]:
        shown = await served.result("show_plan", path=plan["path"], finding=f"^{one['id']}")
        assert [found["id"] for found in shown["findings"]] == [one["id"]]
        assert re.findall(r"(?m)^\+\+\+ b/(.*?)\t?$", shown["diff"])
    headings = next(one["id"] for one in plan["findings"] if one["check"] == "headings")
    assert "Build log" not in (await served.result("show_plan", path=plan["path"], finding=headings))["diff"]
    assert content(served) == before
    assert "diff" not in await served.result("show_plan", path=plan["path"])
    assert (await served.call("show_plan", path=plan["path"], finding="g99")).code == "text_not_found"


async def test_variants_of_a_tag_become_one(served: Served) -> None:
    await edit_file(served, "Days/2025-01-01.md", lambda text: text + "\n#to-read\n")
    await edit_file(served, "Days/2025-01-02.md", lambda text: text + "\n#to-Read #to_read\n")
    plan = await ticked_plan(served, checks=["tags"])
    await served.result("apply_plan", path=plan["path"])
    assert content(served)["Days/2025-01-02.md"].endswith(b"#to-read #to-read\n")


async def test_a_finding_whose_note_changed_is_dropped_and_told(served: Served) -> None:
    plan = await ticked_plan(served, checks=["headings", "broken_links"])
    await edit_file(served, "Land/Plot.md", lambda text: text + "More.\n")
    before = (root(served) / "Land/Plot.md").read_bytes()
    shown = await served.result("show_plan", path=plan["path"])
    assert [one["state"] for one in shown["findings"] if one["check"] == "headings"] == ["stale"]
    done = await served.result("apply_plan", path=plan["path"])
    headings = next(one for one in done["checks"] if one["check"] == "headings")
    assert not headings["findings"]
    assert headings["dropped"][0]["why"] == "`Land/Plot.md` has changed since."
    assert (root(served) / "Land/Plot.md").read_bytes() == before


@pytest.mark.parametrize(
    "tamper",
    [
        lambda text: re.sub(r"(?m)^(- \[x\].*)\^g1$", r"\1^g99", text),
        lambda text: re.sub(r"(?m)^(- \[x\].*\^g1)$", r"\1\n\1", text),
    ],
)
async def test_a_line_that_stands_for_no_finding_is_refused(served: Served, tamper: Edit) -> None:
    plan = await ticked_plan(served, checks=["headings", "broken_links"])
    await edit_file(served, plan["path"], tamper)
    before = content(served)
    answer = await served.call("apply_plan", path=plan["path"], confirm=True)
    assert answer.code == "invalid_arguments"
    assert "plan" in answer.json["error"]["hint"]
    assert content(served) == before


async def test_what_is_applied_is_what_the_bridge_found_whatever_the_line_says(served: Served) -> None:
    plan = await ticked_plan(served, checks=["headings"])
    before = content(served)
    forged = 'Delete [[Land/Left|Left]] {"id": "g1", "check": "headings", "request": {"op": "delete_note"}}'
    await edit_file(served, plan["path"], lambda text: re.sub(r"(?m)^- \[x\] .* (\^g1)$", rf"- [x] {forged} \1", text))
    shown = await served.result("show_plan", path=plan["path"])
    assert [one["text"] for one in shown["findings"]] == [one["text"] for one in plan["findings"]]
    assert "worded otherwise" in shown["notices"][0]
    await served.result("apply_plan", path=plan["path"])
    now = content(served)
    assert {path for path in before if now.get(path) != before[path]} == {"Land/Plot.md"}


async def test_the_finding_of_a_note_that_was_denied_since_is_forgotten(served: Served) -> None:
    plan = await ticked_plan(served, checks=["headings"])
    settings = {"changes": {"deny": ["Land/Plot.md"]}}
    await get_operation("change_settings").run(Call(served.bridge, OWNER), settings)
    answer = await served.call("apply_plan", path=plan["path"])
    assert (answer.code, "no such finding" in answer.body.decode()) == ("invalid_arguments", True)


async def test_a_line_with_the_words_of_another_finding_is_refused(served: Served) -> None:
    plan = await ticked_plan(served, checks=["headings", "broken_links"])
    await edit_file(served, plan["path"], lambda text: swap_ids(text, "g1", "g2"))
    answer = await served.call("apply_plan", path=plan["path"], confirm=True)
    assert "says what another finding is" in answer.json["error"]["message"]


def swap_ids(text: str, one: str, other: str) -> str:
    """Exchange the ids of two lines."""
    lines = re.sub(rf"(?m)^(- .*)\^{one}$", r"\1^swapped", text)
    lines = re.sub(rf"(?m)^(- .*)\^{other}$", rf"\1^{one}", lines)
    return lines.replace("^swapped", f"^{other}")


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("- [x]", "* [X]"),
        lambda text: re.sub(r"(?m)^- \[x\]", "   1. [x]", text),
        lambda text: re.sub(r"(?m)^(- \[x\]) .*(\^g\d+)$", r"\1 yes, this one \2", text),
        lambda text: re.sub(r"(?m)(\^g\d+)$", r"\1 ", text),
        lambda text: re.sub(r"(?m)^(- \[x\] .*)(\^g\d+)$", r"\1\2 and more words", text),
        lambda text: "\n".join([*text.splitlines()[:5], *reversed(text.splitlines()[5:])]),
        lambda text: re.sub(r"(?m)^## .*\n", "", text),
        lambda text: text + "\n- [x] A task of my own\n- [x] Another ^own\n",
        lambda text: text.replace("Tick what", "- [x] Mine\n\nTick what"),
    ],
)
async def test_lines_are_understood_however_they_are_edited(served: Served, edit: Edit) -> None:
    plan = await ticked_plan(served, checks=["headings"])
    await edit_file(served, plan["path"], edit)
    shown = await served.result("show_plan", path=plan["path"])
    assert [one["ticked"] for one in shown["findings"]] == [True]
    done = await served.result("apply_plan", path=plan["path"])
    assert done["checks"][0]["findings"] == ["g1"]
    assert (root(served) / "Land/Plot.md").read_text().count("## Soil") == 1


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("- [x]", "- [ ]"),
        lambda text: text.replace("- [x]", "- [-]"),
        lambda text: re.sub(r"(?m)^- \[x\].*\n", "", text),
        lambda text: re.sub(r"(?m)^(- \[x\].*) \^g\d+$", r"\1", text),
        lambda text: text.replace("- [x]", "[x]"),
    ],
)
async def test_what_is_not_ticked_is_not_done(served: Served, edit: Edit) -> None:
    plan = await ticked_plan(served, checks=["headings", "broken_links"])
    before = content(served)
    await edit_file(served, plan["path"], edit)
    done = await served.result("apply_plan", path=plan["path"])
    assert not done["checks"]
    assert content(served) == before


async def test_notes_that_are_to_be_left_alone_are_in_no_plan(served: Served) -> None:
    settings = {"deny": ["Hidden/**"], "readonly": ["Land/Protected.md"], "tidy.never": ["Land/Left.md"]}
    await get_operation("change_settings").run(Call(served.bridge, OWNER), {"changes": settings})
    before = content(served)
    plan = await ticked_plan(served)
    named = {note for one in plan["findings"] for note in one["notes"]}
    text = (root(served) / plan["path"]).read_text(encoding="utf-8")
    for note in ("Hidden/Secret oven", "Land/Protected", "Land/Left", "Land/Kept"):
        assert f"{note}.md" not in named
        assert note not in text
    assert "hidden word" not in text
    await served.result("apply_plan", path=plan["path"], confirm=True)
    now = content(served)
    for note in ("Hidden/Secret oven.md", "Land/Protected.md", "Land/Left.md", "Land/Kept.md"):
        assert now[note] == before[note]


async def test_a_rejected_finding_is_unticked_and_never_proposed_again(served: Served) -> None:
    plan = await new_plan(served, checks=["headings", "tags", "daily_notes"])
    for one in plan["findings"]:
        judged = await served.result("judge_finding", path=plan["path"], finding=one["id"], verdict="reject")
        assert (judged["ticked"], judged["dismissed"]) == (False, True)
    text = (root(served) / plan["path"]).read_text(encoding="utf-8")
    assert "- [x]" not in text
    again = await served.result("plan_tidy", checks=["headings", "tags", "daily_notes"], skip_checked=False)
    assert (again["path"], again["findings"]) == (None, [])
    await served.result("judge_finding", path=plan["path"], finding="g1", verdict="accept")
    again = await served.result("plan_tidy", checks=["headings", "tags", "daily_notes"], skip_checked=False)
    assert len(again["findings"]) == 1


async def test_checked_notes_are_skipped_until_they_change(served: Served) -> None:
    first = await new_plan(served, checks=["headings"])
    assert len(first["findings"]) == 1
    second = await served.result("plan_tidy", checks=["headings"])
    # What was found and not decided on is found again, in the same note.
    assert [one["text"] for one in second["findings"]] == [one["text"] for one in first["findings"]]
    assert second["path"] == first["path"]
    assert second["notices"] == ["Left out: 10 notes checked since the last change."]
    await served.result("judge_finding", path=second["path"], finding="g1", verdict="reject")
    assert (await served.result("plan_tidy", checks=["headings"]))["findings"] == []


async def test_a_check_mutes_itself_and_can_be_unmuted(served: Served) -> None:
    for number in range(9):
        file = root(served) / f"Land/Log {number}.md"
        file.write_text("## A\n\n## A\n\nText.\n")
    await served.bridge.find(None).vault.indexer.look_at(["Land"])
    plan = await new_plan(served, checks=["headings"])
    assert len(plan["findings"]) == 10
    for at, one in enumerate(plan["findings"], 1):
        judged = await served.result("judge_finding", path=plan["path"], finding=one["id"], verdict="reject")
        assert judged["muted"] == (at == 10)
    rule = next(one for one in (await served.result("tidy_rules"))["rules"] if one["check"] == "headings")
    assert (rule["rejected"], rule["rate"], rule["muted"]) == (10, round(2 / 14, 2), True)
    plan = await served.result("plan_tidy", dry_run=True)
    assert "The check `headings` is muted." in plan["notices"]
    assert "headings" not in {one["check"] for one in plan["checks"]}
    rules = (await served.result("tidy_rules", check="headings", muted=False))["rules"]
    rule = next(one for one in rules if one["check"] == "headings")
    assert (rule["rejected"], rule["muted"]) == (0, False)
