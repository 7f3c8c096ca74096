"""A person puts another value into a line of a plan, and has all that a check finds ticked."""

import re
from typing import Any

import pytest

from tests.features.served import Served
from tests.features.test_tidy import change, content, edit_file, new_plan, root, ticked_plan

LISTED = [f"Herb {letter}" for letter in "ABCDEF"]
NOTES = {
    "Cob oven.md": "---\naliases: [clay oven]\n---\nBuilt of clay. #Garden\n",
    "Build log.md": "---\nstage: doone\n---\nThe [[clay oven]] dries. #garden\n",
    **{f"Log/{number:02}.md": f"---\nstage: done\n---\nDay {number}.\n" for number in range(1, 13)},
    "Log/13.md": "---\nstage: doone\n---\nDay 13.\n",
    "2025-01-03.md": "A day.\n",
    **{f"Days/2025-01-{day}.md": "A day.\n" for day in ("11", "12", "14", "15")},
    ".obsidian/daily-notes.json": '{"folder": "Days"}',
    "Herbs/Herbs.md": "".join(f"- [[{name}]]\n" for name in LISTED),
    **{f"Herbs/{name}.md": "Grows.\n" for name in LISTED},
    "Herbs/Lovage.md": "Grows, too.\n",
    **{f"Read {n}.md": f"Day {n} about [[Sebastian Kneipp]], and how he bathed, {n}.\n" for n in range(5)},
    "Strange · instead: this.md": "## Twice\n\n## Twice\n",
    "Rye.md": "## Soil\n\n## Soil\n\nThe dough rests.\n",
}


async def put_value(served: Served, plan: dict[str, Any], check: str, value: str) -> dict[str, Any]:
    """Tick the only finding of a check, put another value into its line, and return what is said of it."""
    (one,) = [one for one in plan["findings"] if one["check"] == check]
    line = rf"(?m)^- \[.\] (.*) \^{one['id']}$"
    await edit_file(
        served,
        plan["path"],
        lambda text: re.sub(line, lambda found: f"- [x] {found[1]} · instead: {value} ^{one['id']}", text),
    )
    shown = await served.result("show_plan", path=plan["path"], finding=one["id"])
    found: dict[str, Any] = shown["findings"][0] | {"diff": shown["diff"], "notices": shown["notices"]}
    return found


@pytest.mark.parametrize(
    ("check", "proposed", "value", "file", "expected"),
    [
        ("tags", "garden", "land/garden", "Build log.md", b"#land/garden\n"),
        ("conventions", "done", "doing", "Log/13.md", b"---\nstage: doing\n---\nDay 13.\n"),
        ("broken_links", "[[Cob oven|clay oven]]", "[[Herbs/Herbs|oven]]", "Build log.md", b"[[Herbs/Herbs|oven]] dr"),
        ("daily_notes", "Days/2025-01-03", "Log/The third", "Log/The third.md", b"A day.\n"),
        ("orphans", "[[Lovage]]", "[[Lovage]], of the hill", "Herbs/Herbs.md", b"- [[Lovage]], of the hill\n"),
        ("prospects", "Sebastian Kneipp", "Reading/Kneipp.md", "Reading/Kneipp.md", b""),
    ],
)
async def test_the_value_that_stands_in_the_line_is_written(
    served: Served, check: str, proposed: str, value: str, file: str, expected: bytes
) -> None:
    plan = await new_plan(served, checks=[check])
    assert [one["value"] for one in plan["findings"]] == [proposed]
    before = content(served)
    shown = await put_value(served, plan, check, value)
    assert (shown["value"], shown["text"].endswith("” instead"), shown["notices"]) == (
        value.removesuffix(".md"),
        True,
        [],
    )
    assert shown["text"].startswith(plan["findings"][0]["text"])
    done = await served.result("apply_plan", path=plan["path"], confirm=True)
    assert [(one["state"], one["texts"]) for one in done["checks"]] == [("applied", [shown["text"]])]
    assert expected in content(served)[file]
    await served.result("undo_change", change_id=done["session"])
    assert content(served) == before


@pytest.mark.parametrize(
    ("check", "value", "why"),
    [
        ("tags", "two words", "is not a tag"),
        ("daily_notes", "../Outside", "contains `..`"),
        ("daily_notes", ".obsidian/app", "is hidden"),
        ("daily_notes", "Cob oven", "Cob oven.md"),
        ("prospects", "Kept/Kneipp", "Kept/Kneipp.md"),
        ("prospects", "Hidden/Kneipp", "Hidden/Kneipp.md"),
        ("headings", "Anything", "no value"),
    ],
)
async def test_a_value_that_cannot_be_is_refused(served: Served, check: str, value: str, why: str) -> None:
    await change(served, {"deny": ["Hidden/**"], "readonly": ["Kept/**"]})
    plan = await new_plan(served, checks=[check])
    before = content(served)
    ids = [one["id"] for one in plan["findings"] if "Strange" not in one["text"]]
    await edit_file(
        served,
        plan["path"],
        lambda text: re.sub(rf"(?m)^- \[.\] (.*) \^{ids[0]}$", rf"- [x] \1 · instead: {value} ^{ids[0]}", text),
    )
    answer = await served.call("apply_plan", path=plan["path"], confirm=True)
    assert why in answer.body.decode()
    assert content(served) == before


async def test_words_of_a_note_are_no_value(served: Served) -> None:
    plan = await ticked_plan(served, checks=["headings"])
    strange = next(one for one in plan["findings"] if "Strange" in one["text"])
    shown = await served.result("show_plan", path=plan["path"])
    assert shown["notices"] == []
    done = await served.result("apply_plan", path=plan["path"], confirm=True)
    assert strange["id"] in done["checks"][0]["findings"]
    assert content(served)["Strange · instead: this.md"] == b"## Twice\n"


async def test_all_that_a_check_finds_is_ticked_if_the_user_wants_it(served: Served) -> None:
    checks = ["conventions", "prospects"]

    async def ticks() -> set[tuple[str, bool]]:
        plan = await served.result("plan_tidy", checks=checks, skip_checked=False, dry_run=True)
        return {(one["check"], one["ticked"]) for one in plan["findings"]}

    assert ("prospects", False) in await ticks()
    rules = (await served.result("tidy_rules", check="prospects", ticked=True))["rules"]
    assert [(one["check"], one["muted"]) for one in rules if one["ticked"]] == [("prospects", False)]
    assert ("prospects", True) in await ticks()
    refused = await served.call("tidy_rules", check="attachments", ticked=True)
    assert (refused.code, "deleted" in refused.json["error"]["message"]) == ("invalid_arguments", True)
    plan = await new_plan(served, checks=checks, skip_checked=False)
    text = (root(served) / plan["path"]).read_text()
    assert re.search(r"(?m)^- \[x\] Create a note “Sebastian Kneipp”", text)
    # Muting and unmuting changes nothing of it.
    for muted in (True, False):
        rules = (await served.result("tidy_rules", check="prospects", muted=muted))["rules"]
        assert [(one["ticked"], one["muted"]) for one in rules if one["check"] == "prospects"] == [(True, muted)]
    await served.result("tidy_rules", check="prospects", ticked=False)
    assert ("prospects", False) in await ticks()


async def test_what_the_rules_of_the_topic_folder_name_is_left_alone(served: Served) -> None:
    await change(served, {"topics.folder": "Ontology"})
    files = {
        "Ontology/Instructions.md": '---\ntype: ontology\nnever: ["Log/**", "/absolute["]\n---\n',
        "Ontology/Clay.md": "A stone.\n",
    }
    checks = ["conventions", "headings"]
    found = await served.result("plan_tidy", checks=checks, dry_run=True)
    assert "conventions" in {one["check"] for one in found["findings"]}
    for path, text in files.items():
        (root(served) / path).parent.mkdir(exist_ok=True)
        (root(served) / path).write_text(text)
    await served.bridge.find(None).vault.indexer.look_at(["Ontology"])
    found = await served.result("plan_tidy", checks=checks, dry_run=True)
    assert {one["check"] for one in found["findings"]} == {"headings"}
