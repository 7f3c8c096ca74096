"""What agents write is read again where Obsidian was told that all of its properties are lists."""

import json
from pathlib import Path

from tests.features.served import serving, write_vault

NAMES = (
    "type",
    "kind",
    "status",
    "session",
    "plan",
    "to",
    "goal",
    "created",
    "agent",
    "tier",
    "scope",
    "title",
    "about",
    "valid_until",
    "superseded_by",
)
TYPES = json.dumps({"types": dict.fromkeys(NAMES, "multitext")})
NOTES = {
    ".obsidian/types.json": TYPES,
    "Clay oven.md": "# Clay oven\n\nBuilt of cob.\n",
    "Log.md": "See [[clay-oven]].\n",
}


async def test_properties_that_are_lists(tmp_path: Path) -> None:
    vault = write_vault(tmp_path / "Notes", NOTES)
    async with serving([vault], tmp_path / "data", tmp_path / "models") as served:
        await served.result("set_up_memory", templates=False)
        kept = await served.result("remember", title="Oven heat", text="The oven takes two hours to heat.", kind="fact")
        written = (vault / str(kept["path"])).read_text("utf-8")
        assert "type:\n  - memory" in written or "type: [memory]" in written
        found = await served.result("recall", query="how long does the oven heat")
        assert [each["title"] for each in found["memories"]] == ["Oven heat"]
        newer = await served.result("remember", title="Gas", text="A burner lights the kitchen.", kind="fact")
        replacing = {"path": [kept["path"]], "by": newer["path"]}
        for reverse, titles in ((False, []), (True, ["Oven heat"])):
            await served.result("supersede_memory", **replacing, reverse=reverse)
            found = await served.result("recall", query="how long does the oven take")
            assert [each["title"] for each in found["memories"]] == titles
        await served.result("hand_over", goal="Plaster it", state="Dry.", next_action="Mix the lime.")
        taken = await served.result("take_over")
        assert taken["goal"] == "Plaster it"
        assert (await served.call("take_over")).code == "note_not_found"
        await served.result("save_session", summary="Plastered.")
        plan = await served.result("plan_tidy")
        applied = await served.result("apply_plan")
        assert applied["path"] == plan["path"]
