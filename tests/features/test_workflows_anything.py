"""Random workflows never break the bridge, and write what their preview says or nothing."""

import os
from random import Random
from typing import Any

from bridge.features.workflows.parse import MAX_FILES, MAX_STEPS, MAX_TURNS
from bridge.features.workflows.read import read_text
from bridge.settings.file import save_settings
from tests.features.random_workflows import NOTES, RandomWorkflow
from tests.features.served import Served
from tests.features.workflows import contents, root

WORKFLOWS = int(os.environ.get("VAULTSIDE_WORKFLOWS", "150"))
FIRST = int(os.environ.get("VAULTSIDE_FIRST_WORKFLOW", "0"))
PATH = "Agents/P.md"


def named(shown: dict[str, Any]) -> set[str]:
    """Return the files that a change names."""
    return {path for one in shown["changed"] for path in (one["path"], one["moved_from"]) if path is not None}


async def test_a_random_workflow_writes_what_it_says_or_nothing(served: Served) -> None:
    rules = {"readonly": ["Kept/**"], "deny": ["Secret/**"]}
    await served.bridge.use(save_settings(served.bridge.settings_path, rules))
    seen = dict.fromkeys(("faults", "refused", "nothing", "written"), 0)
    (root(served) / "Agents").mkdir()
    for seed in range(FIRST, FIRST + WORKFLOWS):
        made = RandomWorkflow(Random(seed))
        text, variables = made.text(), made.variables()
        if "\ud800" in text:
            assert read_text(served.bridge.find(None).vault.files, text).faults, seed
            continue
        file = root(served) / PATH
        file.write_text(
            f"---\ntype: workflow\n---\n~~~~~~~~~workflow\n{text}\n~~~~~~~~~\n", encoding="utf-8", newline=""
        )
        checked = await served.call("list_workflows", path=PATH)
        assert checked.status == 200 or checked.code == "invalid_arguments", (seed, checked.body)
        is_sound = checked.status == 200 and checked.json["workflows"][0]["sound"]
        before = contents(served)
        shown = await served.call("run_workflow", path=PATH, variables=variables, dry_run=True)
        assert contents(served) == before, seed
        if shown.status != 200:
            assert shown.code != "internal", (seed, shown.body)
            seen["refused" if is_sound else "faults"] += 1
            continue
        assert is_sound, seed
        assert sum(step["turns"] for step in shown.json["steps"]) <= MAX_TURNS + MAX_STEPS, seed
        assert shown.json["files"] <= MAX_FILES, seed

        ran = await served.call("run_workflow", path=PATH, variables=variables, confirm=True)
        if ran.status != 200:
            assert ran.code != "internal", (seed, ran.body)
            assert contents(served) == before, seed
            continue
        after = contents(served)
        differing = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        outside = {path for path in differing - named(ran.json) if not path.startswith(".trash/")}
        assert outside == set(), (seed, outside)
        for path in ("Secret/S.md", "Kept/K.md"):
            assert after[path] == NOTES[path].encode(), seed
        seen["written" if differing else "nothing"] += 1
        if ran.json["change_id"] is not None:
            undone = await served.call("undo_change", change_id=ran.json["change_id"])
            assert undone.status == 200, (seed, undone.body)
            assert contents(served) == before, seed
    if WORKFLOWS > 1_000:
        (root(served).parent / "seen.txt").write_text(f"{seen}\n")
    assert seen["written"] >= WORKFLOWS // 15, seen
    assert seen["refused"] >= WORKFLOWS // 15, seen
    assert seen["faults"] >= WORKFLOWS // 15, seen
