"""What globs would close, before they do."""

from pathlib import Path

from bridge.api.call import OWNER, Call
from bridge.features import get_operation
from bridge.settings.file import save_settings
from tests.features.served import serving, write_vault


async def test_globs_are_counted_also_where_a_rule_hides_what_they_mean(tmp_path: Path) -> None:
    vault = write_vault(
        tmp_path / "Notes", {"A/one.md": "One.", "A/two.md": "Two.", "B/Three.md": "Three.", "c.md": ""}
    )
    (tmp_path / "data").mkdir()
    save_settings(tmp_path / "data" / "settings.toml", {"deny": ["A/**"]})
    async with serving([vault], tmp_path / "data", tmp_path / "no models") as served:
        globs = ["A/**", "b/**", "Nowhere", "[a"]
        shown = await get_operation("read_settings").run(Call(served.bridge, OWNER), {"globs": globs})
        typed = await served.command("read-settings", "--globs", "A/**", "--json")
    assert typed.json["globs"][0]["notes"] == 2
    assert [(g.notes, g.first) for g in shown.globs] == [
        (2, ("A/one.md", "A/two.md")),
        (1, ("B/Three.md",)),
        (0, ()),
        (0, ()),
    ]
    assert [g.glob for g in shown.globs if g.problem] == ["[a"]
